#!/usr/bin/env node
// A raw agent with many sessions, for tests of servers: no library, one line of JSON per message. The first
// word of the prompt chooses what it does in a turn. It keeps the ids of its sessions in the file that its
// first argument names, so that another process of it can load them.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const file = process.argv[2];
const known = () =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, result) => send({ id, result });
const update = (sessionId, text) =>
  send({
    method: "session/update",
    params: {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    },
  });

let nextId = 1;
const waiting = new Map();
const cancels = new Map();
let clientCapabilities;

/** Sends a request to the client. Resolves with the response. */
function ask(method, params) {
  const id = `agent-${nextId++}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** The turns by name. Each returns the text to say last. */
const turns = {
  say: (_sessionId, ...words) => words.join(" "),
  env: () => JSON.stringify(process.env),
  pid: () => String(process.pid),
  caps: () => JSON.stringify(clientCapabilities),
  count: (sessionId, count, length = "1") => {
    const padding = "x".repeat(Number(length));
    for (let n = 0; n < Number(count); n++) update(sessionId, `${n} ${padding}`);
    return "";
  },
  wait: (sessionId) => {
    update(sessionId, "waiting");
    return new Promise((resolve) => cancels.set(sessionId, resolve));
  },
  read: async (sessionId, path) => {
    const { result, error } = await ask("fs/read_text_file", { sessionId, path });
    return error ? `error ${error.code}: ${error.message}` : result.content;
  },
  write: async (sessionId, path, content) => {
    const { error } = await ask("fs/write_text_file", { sessionId, path, content });
    return error ? `error ${error.code}: ${error.message}` : "written";
  },
  run: async (sessionId, command, ...args) => {
    const { result, error } = await ask("terminal/create", { sessionId, command, args });
    if (error) return `error ${error.code}: ${error.message}`;
    const { terminalId } = result;
    await ask("terminal/wait_for_exit", { sessionId, terminalId });
    const output = await ask("terminal/output", { sessionId, terminalId });
    await ask("terminal/release", { sessionId, terminalId });
    return output.result.output;
  },
  permission: async (sessionId, title) => {
    const { result, error } = await ask("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "t1", title, kind: "execute", status: "pending" },
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    });
    return error ? `error ${error.code}` : JSON.stringify(result.outcome);
  },
};

const methods = {
  initialize: (params) => {
    ({ clientCapabilities } = params);
    return {
      protocolVersion: 1,
      agentInfo: { name: "serve-agent", version: "1.0.0" },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
    };
  },
  "session/new": ({ cwd }) => {
    const sessionId = randomUUID();
    appendFileSync(file, `${JSON.stringify({ sessionId, cwd })}\n`);
    return { sessionId };
  },
  "session/load": ({ sessionId }) => {
    update(sessionId, "history");
    return {};
  },
  "session/resume": () => ({}),
  "session/close": () => ({}),
  "session/delete": () => ({}),
  "session/list": () => ({ sessions: known() }),
  "session/prompt": async ({ sessionId, prompt }) => {
    const [name, ...words] = prompt[0].text.split(" ");
    const text = await turns[name](sessionId, ...words);
    if (text === CANCELLED) return { stopReason: "cancelled" };
    if (text !== "") update(sessionId, text);
    return { stopReason: "end_turn" };
  },
};
const CANCELLED = "cancelled";

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === "session/cancel") cancels.get(params.sessionId)?.(CANCELLED);
  else if (method === undefined) waiting.get(id)?.({ result, error });
  else if (id !== undefined && methods[method]) {
    void Promise.resolve(methods[method](params)).then((value) => answer(id, value));
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
}
