#!/usr/bin/env node
// An agent with a separate login command for the user's terminal. `FILE --login` asks for a name and
// stores it in FILE. Without that file, no session starts.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [store, action] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });

if (action === "--login") {
  process.stdout.write(`Your name (${process.env.LOGIN_KIND}): `);
  lines.once("line", (name) => {
    if (name === "") process.exit(3);
    // Dies of Ctrl-C before its parent has noticed the same Ctrl-C.
    if (name === "^C") return process.kill(process.pid, "SIGINT");
    writeFileSync(store, name);
    process.stdout.write(`welcome, ${name}\n`);
    process.exit(0);
  });
} else {
  const send = (message) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const login = {
    id: "browser",
    name: "Log in",
    type: "terminal",
    args: ["--login"],
    env: { LOGIN_KIND: "browser" },
  };
  const key = { id: "key", name: "A key" };
  const answers = {
    initialize: ({ clientCapabilities }) => ({
      protocolVersion: 1,
      agentCapabilities: {},
      // Agents should offer a terminal login only to clients that can run it.
      authMethods:
        clientCapabilities.auth?.terminal === true || process.env.OFFER_ALWAYS
          ? [login, key]
          : [key],
    }),
    authenticate: () => {
      throw new Error("the key has expired");
    },
    "session/new": () => (existsSync(store) ? { sessionId: "s1" } : undefined),
    "session/prompt": ({ sessionId }) => {
      const text = `signed in as ${readFileSync(store, "utf8")}`;
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      send({ method: "session/update", params: { sessionId, update } });
      return { stopReason: "end_turn" };
    },
  };
  lines.on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    try {
      const result = answers[method](params);
      if (result === undefined)
        send({ id, error: { code: -32000, message: "Authentication required" } });
      else send({ id, result });
    } catch ({ message }) {
      send({ id, error: { code: -32603, message } });
    }
  });
}
