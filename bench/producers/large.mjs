// Writes `count` session updates of about 1 MB: one long text, or many small items.
import { Buffer } from "node:buffer";

const count = Number(process.argv[2]);
const shape = process.argv[3];
const framing = process.argv[4] ?? "lines";

const text = "The quick brown fox jumps over the lazy dog. ".repeat(23_000);
const locations = Array.from({ length: 11_200 }, (_, line) => ({
  path: `/workspace/src/file-${line}.ts`,
  line,
  _meta: { column: line % 80, exact: true },
}));
const update =
  shape === "text"
    ? { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
    : { sessionUpdate: "tool_call_update", toolCallId: "call_1", locations };
const json = JSON.stringify({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "one", update },
});
const frame =
  framing === "lines" ? `${json}\n` : `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;

for (let n = 0; n < count; n++) {
  if (!process.stdout.write(frame)) await new Promise((go) => process.stdout.once("drain", go));
}
