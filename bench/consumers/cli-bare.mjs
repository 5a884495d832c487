// The minimum for one prompt: spawn the agent, do the same handshake, print the text, and wait for the
// agent to exit.
import { spawn } from "node:child_process";

const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: ["pipe", "pipe", "inherit"],
});
const send = (id, method, params) =>
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
let open = "";
child.stdout.setEncoding("utf8").on("data", (chunk) => {
  const lines = (open + chunk).split("\n");
  open = lines.pop();
  for (const line of lines) {
    const { id, result, params } = JSON.parse(line);
    if (id === undefined) process.stdout.write(params.update.content?.text ?? "");
    else if (id === 1) send(2, "session/new", { cwd: process.cwd(), mcpServers: [] });
    else if (id === 2) {
      const { sessionId } = result;
      send(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
    } else child.stdin.end();
  }
});
send(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
