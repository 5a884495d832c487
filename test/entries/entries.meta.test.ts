// Every `_meta` that the protocol allows travels in both directions, between the published entries.
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type AgentDefinition,
  serveAgent,
  TurnCancelledError,
  type Turn,
} from "../../src/entries/agent.ts";
import {
  AcpClient,
  type Meta,
  type Session,
  type SessionOptions,
} from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/index.ts";
import type { RequestMeta } from "../../src/client/index.ts";
import { memoryPair } from "../../src/entries/wire.ts";

const cwd = process.cwd();

/** A value that says where it was put, so that a test sees where it came out. */
const mark = (where: string): Meta => ({ "example.com/mark": where });

async function pair(
  definition: Partial<AgentDefinition<object>>,
  config: Partial<ConnectionConfig> = {},
): Promise<AcpClient> {
  const [agentEnd, clientEnd] = memoryPair();
  const agent: AgentDefinition<object> = {
    info: { name: "meta", version: "1" },
    newSession: () => ({}),
    prompt: async () => "end_turn",
    ...definition,
  };
  void serveAgent(agentEnd, agent);
  const client = await AcpClient.start({ ...config, channel: clientEnd });
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

async function openSession(...given: Parameters<typeof pair>): Promise<Session> {
  return (await pair(...given)).newSession({ cwd });
}

describe("_meta of initialize", () => {
  it("reaches the agent, with that of every capability of the client", async () => {
    const seen: unknown[] = [];
    const client = await pair(
      {
        newSession: ({ client: { meta, capabilities, info } }) => {
          const { fs, session } = capabilities;
          seen.push(meta, info?._meta, capabilities._meta, fs?._meta, session?._meta);
          seen.push(session?.configOptions?.boolean?._meta, session?.notices?._meta);
          return {};
        },
      },
      {
        meta: mark("params"),
        clientInfo: { name: "c", version: "1", _meta: mark("info") },
        capabilities: {
          _meta: mark("capabilities"),
          fs: { _meta: mark("fs") },
          session: {
            _meta: mark("session"),
            configOptions: { boolean: { _meta: mark("boolean") } },
            notices: { _meta: mark("notices") },
          },
        },
      },
    );
    await client.newSession({ cwd });
    expect(seen).toEqual(
      ["params", "info", "capabilities", "fs", "session", "boolean", "notices"].map(mark),
    );
  });

  it("reaches the client, with that of every capability of the agent", async () => {
    const paths = [
      "",
      "promptCapabilities",
      "mcpCapabilities",
      "sessionCapabilities",
      "sessionCapabilities.list",
      "sessionCapabilities.delete",
      "sessionCapabilities.resume",
      "sessionCapabilities.close",
      "sessionCapabilities.additionalDirectories",
      "auth",
      "auth.logout",
    ] as const;
    const client = await pair({
      info: { name: "meta", version: "1", _meta: mark("info") },
      meta: mark("answer"),
      capabilityMeta: Object.fromEntries(paths.map((path) => [path, mark(path)])),
      authMethods: [{ id: "login", name: "Login", _meta: mark("method") }],
      authenticate: () => {},
      logout: () => {},
      listSessions: () => ({ sessions: [] }),
      deleteSession: () => {},
      resumeSession: () => ({}),
      closeSession: () => {},
      additionalDirectories: true,
    });
    const { meta, info, capabilities, authMethods } = client.agent;
    const {
      promptCapabilities,
      mcpCapabilities,
      sessionCapabilities: session,
      auth,
    } = capabilities;
    expect(
      [
        capabilities,
        promptCapabilities,
        mcpCapabilities,
        session,
        session?.list,
        session?.delete,
        session?.resume,
        session?.close,
        session?.additionalDirectories,
        auth,
        auth?.logout,
      ].map((capability) => capability?._meta),
    ).toEqual(paths.map(mark));
    expect([meta, info?._meta, authMethods[0]?._meta]).toEqual(
      ["answer", "info", "method"].map(mark),
    );
  });

  it("is not advertised for a capability that the agent does not have", async () => {
    const client = await pair({ capabilityMeta: { "sessionCapabilities.list": mark("list") } });
    expect(client.agent.capabilities.sessionCapabilities).toEqual({});
  });
});

describe("_meta of a call to the agent", () => {
  /** Answers every method with the mark that the request carried, and another of its own. */
  const seen: Meta[] = [];
  const answer = ({ meta }: { readonly meta: Meta }) => {
    seen.push(meta);
    return { meta: mark("answer") };
  };
  const definition: Partial<AgentDefinition<object>> = {
    authMethods: [{ id: "login", name: "Login" }],
    authenticate: (_, scope) => answer(scope),
    logout: (scope) => answer(scope),
    newSession: ({ meta }) => {
      seen.push(meta);
      return {};
    },
    loadSession: async ({ meta }) => {
      seen.push(meta);
      return {};
    },
    resumeSession: ({ meta }) => {
      seen.push(meta);
      return {};
    },
    forkSession: ({ meta }) => {
      seen.push(meta);
      return {};
    },
    sessionMeta: (_, how) => mark(how),
    listSessions: (request) => ({ sessions: [], ...answer(request) }),
    deleteSession: (_, scope) => answer(scope),
    closeSession: (_, scope) => (scope ? answer(scope) : undefined),
    modes: () => ({
      _meta: mark("modes"),
      currentModeId: "a",
      availableModes: [{ id: "a", name: "A", _meta: mark("mode") }],
    }),
    setMode: (_, __, scope) => answer(scope),
    configOptions: () => [
      { id: "o", name: "O", type: "boolean", currentValue: true, _meta: mark("option") },
    ],
    setConfigOption: (_, __, ___, scope) => answer(scope),
  };

  it.each<[string, (client: AcpClient, options: object) => Promise<unknown>]>([
    ["authenticate", (client, options) => client.authenticate("login", options)],
    ["logout", (client, options) => client.logout(options)],
    [
      "session/list",
      async (client, options) => {
        for await (const _ of client.listSessions(options)) throw new Error("there are none");
      },
    ],
    ["session/delete", (client, options) => client.deleteSession("s", options)],
    ["session/close", async (client, options) => (await client.newSession({ cwd })).close(options)],
    [
      "session/set_mode",
      async (client, options) => (await client.newSession({ cwd })).setMode("a", options),
    ],
    [
      "session/set_config_option",
      async (client, options) =>
        (await client.newSession({ cwd })).setConfigOption("o", false, options),
    ],
  ])("%s is read by the agent, and that of the answer by the client", async (_, call) => {
    const client = await pair(definition);
    const answers: Meta[] = [];
    await call(client, { meta: mark("request"), onMeta: (meta: Meta) => void answers.push(meta) });
    expect([seen.splice(0).at(-1), answers]).toEqual([mark("request"), [mark("answer")]]);
  });

  it.each<[string, (client: AcpClient, options: SessionOptions) => Promise<Session>]>([
    ["new", (client, options) => client.newSession(options)],
    ["load", (client, options) => client.loadSession({ ...options, sessionId: "stored" })],
    ["resume", (client, options) => client.resumeSession({ ...options, sessionId: "stored" })],
    ["fork", (client, options) => client.forkSession({ ...options, sessionId: "stored" })],
  ])(
    "session/%s is read by the agent, and that of its answer is session.meta",
    async (how, open) => {
      const client = await pair(definition);
      const answers: Meta[] = [];
      const session = await open(client, {
        cwd,
        meta: mark("request"),
        onMeta: (meta) => void answers.push(meta),
      });
      expect([seen.splice(0), session.meta, answers]).toEqual([
        [mark("request")],
        mark(how),
        [mark(how)],
      ]);
      expect(session.modes?._meta).toEqual(mark("modes"));
      expect(session.modes?.availableModes[0]?._meta).toEqual(mark("mode"));
      expect(session.configOptions?.[0]?._meta).toEqual(mark("option"));
    },
  );

  it("session/prompt is turn.meta, and that of its answer is in the result", async () => {
    const metas: Meta[] = [];
    const session = await openSession({
      prompt: async (turn) => {
        metas.push(turn.meta);
        return { stopReason: "end_turn", meta: mark("answer") };
      },
    });
    const { meta } = await session.prompt("go", { meta: mark("request") }).result;
    expect([metas, meta]).toEqual([[mark("request")], mark("answer")]);
  });

  it("session/cancel is in the reason of the turn's signal", async () => {
    const reasons: unknown[] = [];
    const session = await openSession({
      prompt: (turn) =>
        new Promise((resolve) => {
          turn.signal.addEventListener("abort", () => {
            reasons.push(turn.signal.reason);
            resolve("cancelled");
          });
          void turn.say("running");
        }),
    });
    const running = async () => {
      const turn = session.prompt("go");
      await turn[Symbol.asyncIterator]().next();
      return turn;
    };
    await (await running()).cancel();
    await (await running()).cancel({ meta: mark("turn") });
    await running();
    await session.cancel({ meta: mark("session") });
    const metas = reasons.map((reason) => reason instanceof TurnCancelledError && reason.meta);
    expect(metas).toEqual([undefined, mark("turn"), mark("session")]);
  });
});

describe("_meta of an update", () => {
  const both = { meta: mark("update"), notificationMeta: mark("notification") };

  it.each<[string, (turn: Turn<object>) => Promise<unknown>]>([
    ["agent_message_chunk", (turn) => turn.say("text", both)],
    ["agent_thought_chunk", (turn) => turn.think("text", both)],
    ["plan", (turn) => turn.plan([], both)],
    ["available_commands_update", (turn) => turn.commands([], both)],
    ["session_info_update", (turn) => turn.title("t", both)],
    ["usage_update", (turn) => turn.usage({ used: 1, size: 2 }, both)],
    ["current_mode_update", (turn) => turn.mode("a", both)],
    ["config_option_update", (turn) => turn.configOptions([], both)],
    ["notice", (turn) => turn.notice({ severity: "info", title: "t" }, both)],
    ["compaction_update", (turn) => turn.compaction("c", "completed", {}, both)],
    [
      "user_message_chunk",
      (turn) =>
        turn.update(
          { sessionUpdate: "user_message_chunk", content: { type: "text", text: "t" } },
          both,
        ),
    ],
  ])("%s is read by the client, with that of its notification", async (type, send) => {
    const session = await openSession(
      { prompt: async (turn) => void (await send(turn)) },
      { capabilities: { session: { notices: {}, compaction: {} } } },
    );
    const updates = [];
    for await (const update of session.prompt("go")) updates.push(update);
    expect(updates).toMatchObject([{ type, ...both }]);
  });

  it("is absent from an update without one", async () => {
    const session = await openSession({ prompt: (turn) => turn.say("text") });
    for await (const update of session.prompt("go")) {
      expect("meta" in update || "notificationMeta" in update).toBe(false);
    }
  });

  it("of a tool call is kept with the call", async () => {
    const session = await openSession({
      prompt: async (turn) => {
        const call = await turn.toolCall({ title: "t", meta: mark("call") });
        await call.progress();
        await call.complete({ meta: mark("end") });
      },
    });
    const metas = [];
    for await (const update of session.prompt("go")) metas.push(update.meta);
    expect(metas).toEqual([mark("call"), undefined, mark("end")]);
    expect([...session.toolCalls.values()]).toMatchObject([{ meta: mark("end") }]);
  });

  it("of a replayed update is read by the client", async () => {
    const client = await pair({
      loadSession: async ({ replay }) => {
        const content = { type: "text", text: "t" } as const;
        await replay({ sessionUpdate: "user_message_chunk", content }, both);
        return {};
      },
    });
    const replayed: unknown[] = [];
    const onReplay = (update: unknown) => void replayed.push(update);
    await client.loadSession({ cwd, sessionId: "s", onReplay });
    expect(replayed).toMatchObject([both]);
  });
});

describe("_meta of a request to the client", () => {
  /** Runs a prompt in which the agent asks the client, with permission for everything. */
  async function run(
    prompt: (turn: Turn<object>) => Promise<void>,
    config: Partial<ConnectionConfig>,
  ) {
    const failures: unknown[] = [];
    const client = await pair(
      {
        prompt: async (turn) => {
          await prompt(turn).catch((error: unknown) => failures.push(error));
        },
      },
      { permissions: "all", ...config },
    );
    const session = await client.newSession({ cwd });
    await session.prompt("go").result;
    await client.close();
    expect(failures).toEqual([]);
  }

  /** What each side saw. */
  const seen: unknown[] = [];
  const answering = ({ meta, answerMeta }: RequestMeta) => {
    seen.push(meta);
    answerMeta(mark("answer"));
  };
  const asking = {
    meta: mark("request"),
    onMeta: (meta: Meta) => void seen.push(meta),
  };
  const both = [mark("request"), mark("answer")];
  afterEach(() => {
    seen.length = 0;
  });

  it("for permission reaches the function, and that of the answer reaches the agent", async () => {
    const options = [
      { optionId: "yes", name: "Yes", kind: "allow_once", _meta: mark("option") } as const,
    ];
    await run(
      async (turn) => {
        const answer = await turn.askPermission({
          title: "t",
          options,
          meta: mark("call"),
          requestMeta: mark("request"),
        });
        seen.push(answer.meta);
      },
      {
        permissions: ({ meta, answerMeta, toolCall, options: [option] }) => {
          seen.push(meta, toolCall?.meta, option?.meta);
          answerMeta({ whole: 1 });
          return { optionId: "yes", meta: { outcome: 2 } };
        },
      },
    );
    expect(seen).toEqual([mark("request"), mark("call"), mark("option"), { whole: 1, outcome: 2 }]);
  });

  it("for a file reaches the provider, and that of the answer reaches the agent", async () => {
    await run(
      async (turn) => {
        await turn.readFile(`${cwd}/a`, asking);
        await turn.writeFile(`${cwd}/a`, "text", asking);
      },
      {
        capabilities: { fs: { writeTextFile: true } },
        fs: {
          provider: {
            realpath: (path) => path,
            readTextFile: (request) => {
              answering(request);
              return "text";
            },
            writeTextFile: (request) => answering(request),
          },
        },
      },
    );
    expect(seen).toEqual([...both, ...both]);
  });

  it("for a terminal reaches the provider, and that of the answer reaches the agent", async () => {
    const exit = { exitCode: 0, signal: null, meta: mark("exit") };
    await run(
      async (turn) => {
        const terminal = await turn.terminal({ command: "true", ...asking });
        const { exitStatus } = await terminal.output(asking);
        const status = await terminal.waitForExit(asking);
        await terminal.kill(asking);
        await terminal.release(asking);
        seen.push(exitStatus?.meta, status.meta);
      },
      {
        terminal: {
          create: async (request) => {
            answering(request);
            const done = async (given?: RequestMeta) => {
              if (given) answering(given);
            };
            return {
              exited: Promise.resolve(exit),
              output: (given) => {
                if (given) answering(given);
                return { output: "", truncated: false, exitStatus: exit };
              },
              waiting: answering,
              kill: done,
              release: done,
            };
          },
        },
      },
    );
    // The answer to terminal/wait_for_exit is the status itself, so it has only one `_meta`.
    expect(seen).toEqual([
      ...both,
      ...both,
      ...both,
      ...both,
      ...both,
      mark("exit"),
      mark("answer"),
    ]);
  });

  it("for the user reaches the provider, and that of the answer reaches the agent", async () => {
    await run(
      async (turn) => {
        const form = await turn.elicit({ message: "m", schema: { properties: {} }, ...asking });
        const url = await turn.elicitUrl({ message: "m", url: "https://example.com", ...asking });
        await url.complete({ meta: mark("complete") });
        await turn.client.call("_example/barrier").catch(() => {});
        seen.push(form.meta, url.meta);
      },
      {
        elicitation: {
          form: (request) => {
            answering(request);
            return { action: "accept", content: {} };
          },
          url: (request) => {
            answering(request);
            return { action: "accept" };
          },
          completed: (_, { meta }) => void seen.push(meta),
        },
      },
    );
    const answers = [mark("answer"), mark("answer")];
    expect(seen).toEqual([...both, ...both, mark("complete"), ...answers]);
  });
});
