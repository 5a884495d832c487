// A client that means no good, or is very broken. Usage: node hostile-client.mjs MODE --agent COMMAND
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";

const mode = process.argv[2];
const command = process.argv[process.argv.indexOf("--agent") + 1];
const MIB = 1024 * 1024;

function start() {
  for (const signal of mode === "ignores-signals" ? ["SIGINT", "SIGTERM", "SIGHUP"] : [])
    process.on(signal, () => {});
  const agent = spawn("/bin/sh", ["-c", `exec ${command}`], { stdio: ["pipe", "pipe", "inherit"] });
  agent.stdin.on("error", () => {});
  const write = (message) =>
    agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const steps = [
    ["initialize", { protocolVersion: 1, clientCapabilities: CAPABILITIES }],
    ["session/new", { cwd: process.cwd(), mcpServers: [] }],
    ["session/prompt", { sessionId: "check-session", prompt: [{ type: "text", text: "hello" }] }],
  ];
  let sent = 0;
  const next = () => {
    const [method, params] = steps[sent];
    sent += 1;
    write({ id: sent, method, params });
    if (method === "session/prompt") misbehave(agent);
  };
  createInterface({ input: agent.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      if (message.id !== undefined) answer(write, message);
    } else if (message.id === sent && sent < steps.length) next();
    else if (message.id === sent && mode !== "ignores-signals") process.exit(0);
  });
  agent.once("exit", () => {
    if (mode !== "ignores-signals") process.exit(1);
    setInterval(() => {}, 1000);
  });
  next();
}

const CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
};

/** Answers that no method has. */
const ODD = [null, 5, "text", [], [[]], {}, { outcome: 7 }, { terminalId: {}, content: [] }];
let answered = 0;

function answer(write, { id }) {
  if (mode === "odd-results") write({ id, result: ODD[answered++ % ODD.length] });
  else if (mode === "odd-errors") write({ id, error: ODD[answered++ % ODD.length] });
  else write({ id, error: { code: -32601, message: "not here" } });
}

/** What the client does when it has sent its prompt. */
function misbehave(agent) {
  const forever = (text) => {
    const go = () => {
      while (agent.stdin.write(text));
    };
    agent.stdin.on("drain", go);
    go();
  };
  switch (mode) {
    case "dies-by-signal":
      return process.kill(process.pid, "SIGSEGV");
    case "throws":
      throw new Error("the client is broken");
    case "closes-input":
      return agent.stdin.end();
    case "closes-output":
      return agent.stdout.destroy();
    case "closes-both":
      agent.stdin.end();
      agent.stdout.destroy();
      return setInterval(() => {}, 1000);
    case "garbage":
      for (const line of GARBAGE) agent.stdin.write(`${line}\n`);
      return agent.stdin.write(Buffer.from([0, 255, 254, 10, 123, 10]));
    case "huge-line":
      return agent.stdin.write(`{"jsonrpc":"2.0","method":"${"x".repeat(40 * MIB)}"}\n`);
    case "endless-line":
      return forever("x".repeat(MIB));
    case "floods-notifications":
      return forever(`${JSON.stringify({ jsonrpc: "2.0", method: "_flood" })}\n`.repeat(1000));
    case "floods-prompts": {
      const params = { sessionId: "check-session", prompt: [] };
      return forever(
        `${JSON.stringify({ jsonrpc: "2.0", id: "again", method: "session/prompt", params })}\n`.repeat(
          100,
        ),
      );
    }
    case "floods-answers":
      return forever(
        `${JSON.stringify({ jsonrpc: "2.0", id: "agent-1", result: {} })}\n`.repeat(1000),
      );
    case "floods-its-output": {
      const text = "y".repeat(MIB);
      for (const stream of [process.stdout, process.stderr]) {
        const go = () => {
          while (stream.write(text));
        };
        stream.on("drain", go);
        go();
      }
      return undefined;
    }
    default:
  }
}

const deep = (levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const GARBAGE = [
  "",
  "null",
  "not JSON",
  "[]",
  deep(500_000),
  `{"jsonrpc":"2.0","id":"deep","method":"session/list","params":{"cwd":${deep(100_000)}}}`,
  `{"jsonrpc":"2.0","id":${deep(100_000)},"result":{}}`,
  '{"jsonrpc":"2.0","id":"p","method":"__proto__","params":{}}',
  '{"jsonrpc":"2.0","id":"c","method":"constructor","params":[]}',
  '{"jsonrpc":"2.0","id":"t","method":"toString","params":7}',
  '{"jsonrpc":"2.0","id":{},"method":"initialize","params":{"protocolVersion":[]}}',
  '{"jsonrpc":"2.0","id":"n","method":"session/load","params":{"sessionId":{}}}',
  '{"jsonrpc":"2.0","id":"l","method":"session/list","params":{"cwd":""}}',
  '{"id":"agent-1"}',
];

if (mode === "exits") process.exit(3);
if (mode === "does-nothing") setInterval(() => {}, 1000);
else start();
