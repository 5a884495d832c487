/**
 * The source of an MCP server on stdin and stdout that appends to a file who started it and what it was
 * asked, a JSON line each. Arguments: the file, and how it behaves.
 */
export const PROBE_PROGRAM = String.raw`
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [file, mode = "well", ...words] = process.argv.slice(2);
const note = (entry) => appendFileSync(file, JSON.stringify(entry) + "\n");
note({ event: "started", pid: process.pid, args: words, probe: process.env.DRAGOMAN_PROBE ?? null, cwd: process.cwd() });
if (mode === "exits") process.exit(3);
const tool = {
  name: "probe_word",
  description: "Returns the secret word of the probe.",
  inputSchema: { type: "object", properties: {} },
};
const answer = (method, params) => {
  if (method === "initialize")
    return {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "probe", version: "1.0.0" },
    };
  if (method === "tools/list") return { tools: [tool] };
  if (method === "tools/call")
    return { content: [{ type: "text", text: "the word is " + (process.env.DRAGOMAN_PROBE ?? "unknown") }] };
  if (method === "ping") return {};
  return undefined;
};
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  note({ event: "asked", method: message.method });
  if (message.id === undefined || mode === "hangs") return;
  const result = answer(message.method, message.params);
  const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }) + "\n");
});
input.on("close", () => process.exit(0));
`;
