// Starts an agent that sends `count` updates in one turn, and prints the costs that the agent reports.
// `stall` is how many milliseconds to wait before reading the turn, `version` that of the protocol.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const [variant, count, stall = "0", version = "1"] = process.argv.slice(2);
const script = fileURLToPath(new URL(`../producers/agent-${variant}.mjs`, import.meta.url));
const child = spawn(process.execPath, [script, count], { stdio: ["pipe", "pipe", "pipe"] });

let stderr = "";
child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
const ask = (id, method, params) =>
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);

let lines = 0;
let head = "";
let asked = 1;
child.stdout.on("data", (chunk) => {
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
  if (asked < 3) next(chunk.toString());
});

/** Sends each request after the answer to the previous one. */
function next(text) {
  head += text;
  if (asked === 1 && head.includes("\n")) {
    asked = 2;
    head = "";
    ask(2, "session/new", { cwd: process.cwd(), mcpServers: [] });
  }
  const sessionId = /"sessionId":"([^"]+)"/.exec(head)?.[1];
  if (sessionId === undefined) return;
  asked = 3;
  ask(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
  if (Number(stall) === 0) return;
  child.stdout.pause();
  setTimeout(() => child.stdout.resume(), Number(stall));
}

child.on("close", () => {
  const used = JSON.parse(stderr.trim().split("\n").at(-1));
  console.log(JSON.stringify({ ...used, lines }));
});

const info = { name: "bench", version: "0" };
ask(
  1,
  "initialize",
  version === "2" ? { protocolVersion: 2, info } : { protocolVersion: 1, clientCapabilities: {} },
);
