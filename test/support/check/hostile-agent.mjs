// An agent that means no good, or is very broken. Usage: node hostile-agent.mjs MODE
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";
import process from "node:process";

const mode = process.argv[2];
const MIB = 1024 * 1024;
const LATE_MS = 700;

if (mode === "exits") process.exit(3);
if (mode === "floods-at-once") forever(process.stdout, "noise\n".repeat(1000));
if (mode === "ignores-signals") {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  setInterval(() => {}, 1000);
}
if (mode === "closes-input") process.stdin.destroy();
process.stdout.on("error", () => {});

const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function forever(stream, text) {
  const go = () => {
    while (stream.write(text));
  };
  stream.on("drain", go);
  go();
}

const RESULTS = {
  initialize: {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        fork: {},
        additionalDirectories: {},
      },
    },
    agentInfo: { name: "hostile", version: "1" },
    authMethods: [{ id: "login", name: "Log in" }],
  },
  "session/new": { sessionId: "s" },
  "session/prompt": { stopReason: "end_turn" },
};

/** Results that no method has. */
const ODD = [
  null,
  5,
  "text",
  [],
  [[]],
  {},
  { sessionId: 7 },
  { sessions: [null, 3, {}] },
  { stopReason: {} },
];
const deep = (levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const GARBAGE = [
  "",
  "null",
  "not JSON",
  "[[]]",
  deep(500_000),
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","_meta":${deep(100_000)}}}`,
  `{"jsonrpc":"2.0","id":${deep(100_000)},"result":{}}`,
  '{"jsonrpc":"2.0","id":{},"method":"__proto__","params":{}}',
  '{"jsonrpc":"2.0","id":[],"method":"fs/read_text_file","params":7}',
  '{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":{},"command":[]}}',
  '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"options":[null,{"kind":{}}]}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":7}}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":{},"content":[null]}}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[null,{"name":3}]}}}',
  '{"id":1}',
];
let odd = 0;
let queue = Promise.resolve();

function reply({ id, method }) {
  if (mode === "odd-results" && method !== "initialize")
    return write({ id, result: ODD[odd++ % ODD.length] });
  if (mode === "odd-errors" && method !== "initialize")
    return write({ id, error: ODD[odd++ % ODD.length] });
  const result = RESULTS[method];
  if (result) write({ id, result });
  else write({ id, error: { code: -32601, message: "no such method" } });
}

function request(message) {
  const { method } = message;
  const isFirst = method === "initialize";
  switch (mode) {
    case "silent":
      return;
    case "silent-after-initialize":
      return isFirst ? reply(message) : undefined;
    case "silent-turns":
      return method === "session/prompt" ? undefined : reply(message);
    case "dies-by-signal":
      return isFirst ? reply(message) : process.kill(process.pid, "SIGSEGV");
    case "throws":
      if (isFirst) return reply(message);
      throw new Error("the agent is broken");
    case "closes-output":
      reply(message);
      return isFirst ? setImmediate(() => closeSync(1)) : undefined;
    case "answers-twice":
      reply(message);
      return reply(message);
    case "answers-late":
      return isFirst ? reply(message) : setTimeout(() => reply(message), LATE_MS);
    case "one-at-a-time":
      queue = queue.then(() => new Promise((resolve) => setTimeout(resolve, 50)));
      return void queue.then(() => reply(message));
    case "garbage":
      for (const line of GARBAGE) process.stdout.write(`${line}\n`);
      process.stdout.write(Buffer.from([0, 255, 254, 10]));
      return reply(message);
    case "huge-line":
      write({ method: "_huge", params: { text: "x".repeat(40 * MIB) } });
      return reply(message);
    case "endless-line":
      reply(message);
      return forever(process.stdout, "x".repeat(MIB));
    case "floods-updates": {
      reply(message);
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
      const line = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
      return forever(process.stdout, `${JSON.stringify(line)}\n`.repeat(1000));
    }
    case "floods-requests": {
      reply(message);
      const line = {
        jsonrpc: "2.0",
        id: "again",
        method: "fs/read_text_file",
        params: { sessionId: "s", path: "/x" },
      };
      return forever(process.stdout, `${JSON.stringify(line)}\n`.repeat(1000));
    }
    case "floods-its-errors":
      reply(message);
      return forever(process.stderr, "e".repeat(MIB));
    default:
      return reply(message);
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  if (typeof message?.method === "string" && message.id !== undefined) request(message);
});
if (mode === "closes-input") setInterval(() => {}, 1000);
