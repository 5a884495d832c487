// Writes `count` session updates of about 230 bytes to stdout as fast as the reader can take them.
import { Buffer } from "node:buffer";

const count = Number(process.argv[2]);
const framing = process.argv[3] ?? "lines";
const LINES_PER_WRITE = 256;

function frame(index) {
  const json = JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: "0b6a5c1e-8f6d-4a53-9a0f-2f6f2a0d7c11",
      update: {
        sessionUpdate: "agent_message_chunk",
        messageId: "4a9ea652-7c1d-4b58-8f40-6a1f5a3b9d02",
        content: { type: "text", text: `word ${String(index).padStart(7, "0")} ` },
      },
    },
  });
  if (framing === "lines") return `${json}\n`;
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

for (let index = 0; index < count;) {
  let batch = "";
  for (let n = 0; n < LINES_PER_WRITE && index < count; n++) batch += frame(index++);
  if (!process.stdout.write(batch)) await new Promise((go) => process.stdout.once("drain", go));
}
