// Plain JavaScript has no compiler that finds misspelled options.
import { expect, it } from "vitest";
import { serveAgent } from "../../src/entries/agent.ts";
import { createAcpProvider } from "../../src/entries/ai.ts";
import { connectRemote } from "../../src/transport/remote/index.ts";
import { DroidClient, run } from "../../src/entries/droid.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import { createHub, serveHub } from "../../src/entries/hub.ts";
import { defineTool, toolServer } from "../../src/entries/tools.ts";
import { memoryPair } from "../../src/entries/wire.ts";
import { DEFAULT_TIMEOUTS } from "../../src/client/index.ts";
import { connect, FakeAgent, newSession, openSession } from "../client/fake-agent.ts";
import { capable } from "../client/session-fixtures.ts";

const cwd = "/project";
const [timeout = ""] = Object.keys(DEFAULT_TIMEOUTS);

/** Calls a function with options that the compiler would refuse. */
function untyped(call: (options: never) => unknown, options: object): Promise<unknown> {
  return Promise.resolve().then(() => Reflect.apply(call, undefined, [options]));
}

async function session() {
  const { session: opened } = await openSession(new FakeAgent({ "session/new": newSession() }));
  return opened;
}

async function client(): Promise<AcpClient> {
  return connect(new FakeAgent(capable));
}

it.each<[string, string, () => unknown]>([
  [
    "InvalidArgumentError",
    'AcpClient.start: unknown option "permission"; did you mean "permissions"?',
    () => untyped((o) => AcpClient.start(o), { command: "x", permission: "read" }),
  ],
  [
    "InvalidArgumentError",
    `timeouts: unknown option "${timeout}x"; did you mean "${timeout}"?`,
    () => untyped((o) => AcpClient.start(o), { command: "x", timeouts: { [`${timeout}x`]: 1 } }),
  ],
  [
    "InvalidArgumentError",
    'newSession: unknown option "mcpServer"; did you mean "mcpServers"?',
    async () => {
      const opened = await client();
      return untyped((o) => opened.newSession(o), { cwd, mcpServer: [] });
    },
  ],
  [
    "InvalidArgumentError",
    "newSession: the options must be an object",
    async () => {
      const opened = await client();
      return Reflect.apply(opened.newSession.bind(opened), undefined, []);
    },
  ],
  [
    "InvalidArgumentError",
    'loadSession: unknown option "sessionID"; did you mean "sessionId"?',
    async () => {
      const opened = await client();
      return untyped((o) => opened.loadSession(o), { cwd, sessionID: "s" });
    },
  ],
  [
    "InvalidArgumentError",
    'resumeSession: unknown option "CWD"; did you mean "cwd"?',
    async () => {
      const opened = await client();
      return untyped((o) => opened.resumeSession(o), { CWD: cwd, sessionId: "s" });
    },
  ],
  [
    "InvalidArgumentError",
    'forkSession: unknown option "elicitations"; did you mean "elicitation"?',
    async () => {
      const opened = await client();
      return untyped((o) => opened.forkSession(o), { cwd, sessionId: "s", elicitations: {} });
    },
  ],
  [
    "InvalidArgumentError",
    'prompt: unknown option "signals"; did you mean "signal"?',
    async () => {
      const opened = await session();
      return untyped((o) => opened.prompt("x", o).result, { signals: undefined });
    },
  ],
  [
    "TypeError",
    'the agent definition: unknown option "loadsession"; did you mean "loadSession"?',
    () => {
      const [channel] = memoryPair();
      const agent = { info: { name: "a", version: "1" }, newSession: () => ({}), prompt: () => {} };
      return untyped((o) => serveAgent(channel, o), { ...agent, loadsession: () => ({}) });
    },
  ],
  [
    "ToolServerError",
    'toolServer: unknown option "tool"; did you mean "tools"?',
    () => untyped((o) => toolServer(o), { name: "x", tool: [] }),
  ],
  [
    "ToolServerError",
    'defineTool: unknown option "inputs"; did you mean "input"?',
    () => untyped((o) => defineTool(o), { name: "x", inputs: {} }),
  ],
  [
    "AcpProviderError",
    'createAcpProvider: unknown option "maxSession"; did you mean "maxSessions"?',
    () => untyped((o) => createAcpProvider(o), { command: "x", maxSession: 1 }),
  ],
  [
    "AcpProviderError",
    'createAcpProvider: session: unknown option "signal"',
    () => untyped((o) => createAcpProvider(o), { command: "x", session: { signal: undefined } }),
  ],
  [
    "DroidError",
    'DroidClient.start: unknown option "autonmy"; did you mean "autonomy"?',
    () => untyped((o) => DroidClient.start(o), { autonmy: "high" }),
  ],
  [
    "DroidError",
    'DroidClient.load: unknown option "apikey"; did you mean "apiKey"?',
    () => untyped((o) => DroidClient.load("s", o), { apikey: "not-needed" }),
  ],
  [
    "DroidError",
    'DroidClient.start: unknown option "modell"; did you mean "model"?',
    () => untyped((o) => run("hi", o), { modell: "m", onEvent: () => {} }),
  ],
  [
    "TypeError",
    'createHub: unknown option "limit"; did you mean "limits"?',
    () => untyped((o) => createHub(o), { limit: {} }),
  ],
  [
    "TypeError",
    'serveHub: unknown option "origin"; did you mean "origins"?',
    () => untyped((o) => serveHub(o), { agents: [], tokens: [], origin: "https://x.example" }),
  ],
  [
    "TypeError",
    'connectRemote: unknown option "tokens"; did you mean "token"?',
    () => untyped((o) => connectRemote("ws://127.0.0.1:9", o), { tokens: "not-needed" }),
  ],
])("%s: %s", async (name, message, call) => {
  const error: unknown = await Promise.resolve(call()).then(
    () => undefined,
    (failed: unknown) => failed,
  );
  expect(error).toMatchObject({ name });
  expect(String(error)).toContain(message);
});
