// The baseline: only spawn, the same handshake, split and JSON.parse.
import { report, start } from "../measure.mjs";

const [count] = process.argv.slice(2);
const startedAt = performance.now();
const child = start("client-agent", count);
const send = (id, method, params) =>
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
let open = "";
let seen = 0;
let startMs;
child.stdout.setEncoding("utf8");
child.stdout.on("data", (chunk) => {
  const lines = (open + chunk).split("\n");
  open = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.id === undefined) {
      if (++seen === 1) startMs = performance.now() - startedAt;
    } else if (message.id === 1) {
      send(2, "session/new", { cwd: process.cwd(), mcpServers: [] });
    } else if (message.id === 2) {
      const { sessionId } = message.result;
      send(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
    } else {
      child.stdin.end();
    }
  }
});
child.on("close", () => report({ seen, startMs }));
send(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
