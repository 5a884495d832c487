// An agent that misbehaves in the way that its first argument names, and behaves well otherwise.
//
//   crash-start | crash-initialize | crash-new | crash-prompt | crash-mid-turn | crash-cancel | killed
//   hang-initialize | hang-new | hang-prompt | ignore-cancel | ignore-eof
//   garbage | split | flood N | late N | reuse-ids | version N | close-stdout | terminal-login
//   ask-twice | leak-terminal COMMAND
//   print-and-exit TEXT | print-and-wait TEXT | banner TEXT
import { createInterface } from "node:readline";

const [mode = "well", argument = ""] = process.argv.slice(2);
const waiting = new Map();
/** Cancels the current turn, by session id. */
const cancels = new Map();
let made = 0;
let asked = 0;

const write = (text) =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, fields) =>
  send({ method: "session/update", params: { sessionId, update: fields } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

/** Calls the client. Resolves with the response, a result or an error. */
function call(method, params, id = `a${++asked}`) {
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    void send({ id, method, params });
  });
}

/** Exits after the text on stderr is written. */
function die(code = 3) {
  process.stderr.write("first line\nthe last words\n", () => process.exit(code));
}

const never = new Promise(() => {});

const handlers = {
  async initialize() {
    if (mode === "crash-initialize") return die();
    if (mode === "hang-initialize") return never;
    const authMethods =
      mode === "terminal-login"
        ? [
            {
              type: "terminal",
              id: "browser",
              name: "Log in",
              args: ["--login"],
              env: { LOGIN: "1" },
            },
          ]
        : [];
    return {
      protocolVersion: mode === "version" ? Number(argument) : 1,
      agentCapabilities: { sessionCapabilities: { close: {} } },
      authMethods,
      agentInfo: { name: "misbehaving", version: "1.0.0" },
    };
  },

  async "session/new"() {
    if (mode === "crash-new") return die();
    if (mode === "hang-new") return never;
    return { sessionId: `s${++made}` };
  },

  async "session/prompt"({ sessionId, prompt }) {
    const [{ text }] = prompt;
    const cancelled = new Promise((resolve) => cancels.set(sessionId, resolve));
    switch (mode) {
      case "crash-prompt":
        return die();
      case "crash-mid-turn":
        await say(sessionId, "I was about to");
        return die();
      case "killed":
        await say(sessionId, "I was about to");
        return process.kill(process.pid, "SIGKILL");
      case "crash-cancel":
      case "hang-prompt":
        await say(sessionId, "thinking");
        await cancelled;
        return mode === "crash-cancel" ? die() : { stopReason: "cancelled" };
      case "ignore-cancel":
        await say(sessionId, "thinking");
        return text === "behave" ? { stopReason: "end_turn" } : never;
      case "garbage":
        await write("Loading model...\n\n{not json}\n[1,2,3]\nnull\n\u0000\u001b[31m\n");
        await say(sessionId, "one ");
        await write('{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0"}\n{"id":{}}\n');
        await write("progress: 10% ");
        await say(sessionId, "two");
        break;
      case "split":
        await inPieces(sessionId, "naïve 🦜 日本語 ");
        break;
      case "flood":
        for (let n = 0; n < Number(argument); n++) await say(sessionId, `${n} `);
        break;
      case "late":
        setImmediate(() => void sayLate(sessionId));
        break;
      case "reuse-ids":
        return reuseIds(sessionId);
      case "close-stdout":
        process.stdout.end();
        return never;
      case "ask-twice":
        return askTwice(sessionId);
      case "leak-terminal": {
        const { result } = await call("terminal/create", { sessionId, command: argument });
        await say(sessionId, result?.terminalId ?? "none");
        break;
      }
      default:
        await say(sessionId, `you said: ${text}`);
    }
    return { stopReason: "end_turn" };
  },

  async "session/close"() {
    return {};
  },
};

async function sayLate(sessionId) {
  for (let n = 0; n < Number(argument); n++) await say(sessionId, `late ${n} `);
  await update(sessionId, { sessionUpdate: "usage_update", used: 1, size: 2 });
}

/** Sends an answer byte by byte. */
async function inPieces(sessionId, text) {
  const params = {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  };
  const line = `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\r\n`;
  for (const byte of Buffer.from(line)) {
    await new Promise((resolve) => process.stdout.write(Buffer.of(byte), resolve));
  }
}

/** Sends two requests with one id, which a call from the client also uses, and answers that call twice. */
async function reuseIds(sessionId) {
  const read = { sessionId, path: "/nowhere/at/all" };
  const answers = [];
  const both = new Promise((resolve) => {
    waiting.set(1, (answer) => {
      answers.push(answer);
      if (answers.length === 2) resolve();
    });
  });
  void send({ id: 1, method: "fs/read_text_file", params: read });
  void send({ id: 1, method: "fs/read_text_file", params: read });
  await both;
  await say(sessionId, `${answers.length} answers`);
  await send({ id: 1, result: { protocolVersion: 1 } });
  return { stopReason: "end_turn" };
}

/** Sends two permission requests at once for one tool call. */
async function askTwice(sessionId) {
  const toolCall = { toolCallId: "t1", title: "rm", kind: "execute", status: "pending" };
  await update(sessionId, { sessionUpdate: "tool_call", ...toolCall });
  const options = [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const ask = () => call("session/request_permission", { sessionId, toolCall, options });
  const answers = await Promise.all([ask(), ask()]);
  const outcomes = answers.map(({ result }) => result?.outcome);
  await say(sessionId, JSON.stringify(outcomes));
  const isCancelled = outcomes.every((one) => one?.outcome === "cancelled");
  return { stopReason: isCancelled ? "cancelled" : "end_turn" };
}

async function answer({ id, method, params }) {
  if (method === "session/cancel") cancels.get(params.sessionId)?.();
  const handler = handlers[method];
  if (id === undefined || !handler) return;
  await send({ id, result: await handler(params) });
}

if (mode === "crash-start") {
  die();
} else if (mode === "print-and-exit") {
  process.stdout.write(argument, () => process.exit(2));
} else if (mode === "print-and-wait") {
  process.stdout.write(argument);
  process.stdin.resume();
} else {
  if (mode === "banner") process.stdout.write(argument);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined) {
      void answer(message);
      return;
    }
    waiting.get(message.id)?.(message);
    if (mode !== "reuse-ids") waiting.delete(message.id);
  });
  if (mode === "ignore-eof") setInterval(() => {}, 1000);
  else lines.on("close", () => process.exit(0));
}
