import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import {
  authRequired,
  pageOf,
  SessionClosedError,
  sessionNotFound,
  type AgentDefinition,
  type AgentSession,
  type SessionUpdate,
} from "../../src/entries/agent.ts";
import { deferred, info, promptAgent } from "./definitions.ts";
import { refusal, serve, type Json } from "./harness.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const place = { cwd: process.cwd(), mcpServers: [] };
const chunk = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

describe("initialize", () => {
  it.each([1, 0, 2, 65535])(
    "with version %d is answered with 1, never an echo",
    async (version) => {
      const { client } = await serve(
        promptAgent(async () => {}),
        { raw: true },
      );
      const result = await client.call("initialize", { protocolVersion: version });
      expect(result["protocolVersion"]).toBe(1);
    },
  );

  it("comes before anything else, and once", async () => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    for (const method of ["session/new", "session/prompt", "authenticate", "nothing", "_x"]) {
      expect(await refusal(client.peer.call(method, place))).toMatchObject({ code: -32600 });
    }
    await client.initialize();
    expect(await refusal(client.initialize())).toMatchObject({ code: -32600 });
    expect(await client.newSession()).toMatch(UUID);
  });

  it("may be tried again after params that were wrong", async () => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    expect(await refusal(client.call("initialize", { protocolVersion: "1" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "protocolVersion" }] },
    });
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
  });

  it("advertises what is there and nothing else", async () => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    expect(await client.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: info,
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        mcpCapabilities: { http: false, sse: false },
      },
    });
  });

  it("advertises everything that is there", async () => {
    const all: AgentDefinition<object> = {
      ...promptAgent(async () => {}),
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      additionalDirectories: true,
      authMethods: [
        { id: "a", name: "A" },
        { type: "terminal", id: "t", name: "T" },
      ],
      authenticate: () => {},
      logout: () => {},
      loadSession: () => ({}),
      resumeSession: () => ({}),
      forkSession: () => ({}),
      listSessions: () => ({ sessions: [] }),
      closeSession: () => {},
      deleteSession: () => {},
    };
    const { client } = await serve(all, { raw: true, version: "unstable" });
    expect(await client.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: info,
      authMethods: [{ id: "a", name: "A" }],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          list: {},
          delete: {},
          resume: {},
          close: {},
          additionalDirectories: {},
          fork: {},
        },
        auth: { logout: {} },
      },
    });
    const other = await serve(all, { raw: true, version: "unstable" });
    const shown = await other.client.initialize({ auth: { terminal: true } });
    expect(shown["authMethods"]).toHaveLength(2);
  });

  it.each([
    "session/load",
    "session/resume",
    "session/fork",
    "session/list",
    "session/close",
    "session/delete",
    "session/set_mode",
    "session/set_config_option",
    "authenticate",
    "logout",
    "session/nothing",
    "_nothing",
  ])("leaves %s to -32601 when it is not there", async (method) => {
    const { client } = await serve(promptAgent(async () => {}));
    expect(await refusal(client.peer.call(method, {}))).toMatchObject({ code: -32601 });
  });

  it.each([
    ["authMethods without authenticate", { authMethods: [{ id: "a", name: "A" }] }],
    ["setMode without modes", { setMode: () => {} }],
    ["setConfigOption without configOptions", { setConfigOption: () => {} }],
  ])("is never reached by a definition with %s", async (_, more) => {
    await expect(
      serve(
        promptAgent(async () => {}, more),
        { raw: true },
      ).then(({ served }) => served),
    ).rejects.toThrow(TypeError);
  });
});

describe("signing in", () => {
  it("comes first where the agent says so", async () => {
    let signedIn = false;
    const { client } = await serve(
      promptAgent(async () => {}, {
        authMethods: [{ id: "key", name: "Key" }],
        authenticate: () => {
          signedIn = true;
        },
        isAuthenticated: () => signedIn,
        logout: () => {
          signedIn = false;
        },
        listSessions: () => ({ sessions: [] }),
      }),
    );
    const required = { code: -32000, message: "Authentication required" };
    expect(await refusal(client.newSession())).toEqual(required);
    expect(await refusal(client.call("session/list"))).toEqual(required);
    expect(await refusal(client.call("authenticate", { methodId: "other" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "methodId" }] },
    });
    expect(await client.call("authenticate", { methodId: "key" })).toEqual({});
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    expect(await client.call("logout")).toEqual({});
    expect(await refusal(client.prompt(sessionId, "x"))).toEqual(required);
  });

  it("may be asked for by any handler", async () => {
    const { client } = await serve(
      promptAgent(async () => {
        throw authRequired("The key has expired");
      }),
    );
    expect(await refusal(client.prompt(await client.newSession(), "x"))).toEqual({
      code: -32000,
      message: "The key has expired",
    });
  });
});

describe("a place", () => {
  it("is checked with everything else, and every fault is named", async () => {
    const { client } = await serve(promptAgent(async () => {}));
    const stdio = { name: "s", command: "/c", args: [], env: [] };
    const faults = async (params: object): Promise<unknown> => {
      const refused = await refusal(client.call("session/new", params));
      expect(refused["code"]).toBe(-32602);
      const { errors } = refused["data"] as { errors: Json[] };
      const told = errors.map((fault) => `${String(fault["path"])} ${String(fault["message"])}`);
      expect(refused["message"]).toBe(`Invalid params: ${told.join("; ")}`);
      return errors.map((fault) => fault["path"]);
    };
    expect(await faults({})).toEqual(["cwd", "mcpServers"]);
    expect(await faults({ cwd: "relative", mcpServers: [{ name: 1 }] })).toEqual([
      "cwd",
      "mcpServers[0].name",
      "mcpServers[0].command",
      "mcpServers[0].args",
      "mcpServers[0].env",
    ]);
    const gone = `${tmpdir()}/dragoman-not-there`;
    const http = { type: "http", name: "h", url: "https://x.example", headers: [] };
    expect(
      await faults({ cwd: gone, mcpServers: [stdio, http], additionalDirectories: ["/x"] }),
    ).toEqual(["cwd", "additionalDirectories", "mcpServers[1].type"]);
    expect(await faults({ cwd: process.execPath, mcpServers: [] })).toEqual(["cwd"]);
  });

  it("reaches the author", async () => {
    let seen: unknown;
    const { client } = await serve({
      info,
      additionalDirectories: true,
      newSession: ({ cwd, additionalDirectories, mcpServers, meta }) => {
        seen = { cwd, additionalDirectories, mcpServers, meta };
        return {};
      },
      prompt: async () => {},
    });
    const mcpServers = [{ name: "s", command: "/c", args: ["a"], env: [] }];
    const params = { cwd: tmpdir(), mcpServers, additionalDirectories: ["/x"] };
    await client.call("session/new", { ...params, _meta: { a: 1 } });
    expect(seen).toEqual({ ...params, meta: { a: 1 } });
  });

  it("is refused content in prompts that was not advertised", async () => {
    const { client } = await serve(promptAgent(async () => {}));
    const sessionId = await client.newSession();
    const prompt = [
      { type: "text", text: "x" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "resource", resource: { uri: "x:", text: "" } },
    ];
    expect(await refusal(client.call("session/prompt", { sessionId, prompt }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "prompt[1].type" }, { path: "prompt[2].type" }] },
    });
  });
});

describe("an unknown session", () => {
  const agent = promptAgent(async () => {}, {
    loadSession: () => undefined,
    resumeSession: () => undefined,
    closeSession: () => {},
    deleteSession: (id) => {
      throw sessionNotFound(id);
    },
    modes: () => ({ currentModeId: "a", availableModes: [{ id: "a", name: "A" }] }),
    setMode: () => {},
    configOptions: () => [],
    setConfigOption: () => {},
  });
  it.each([
    ["session/prompt", { prompt: [] }],
    ["session/load", place],
    ["session/resume", place],
    ["session/set_mode", { modeId: "a" }],
    ["session/set_config_option", { configId: "a", value: "b" }],
  ])("is -32002 to %s", async (method, params) => {
    const { client } = await serve(agent);
    expect(await refusal(client.call(method, { sessionId: "nobody", ...params }))).toEqual({
      code: -32002,
      message: "Session not found",
      data: { sessionId: "nobody" },
    });
  });
  it.each(["session/close", "session/delete"])("is no trouble to %s", async (method) => {
    const { client } = await serve(agent);
    expect(await client.call(method, { sessionId: "nobody" })).toEqual({});
  });
});

describe("load", () => {
  it.each([
    [
      "a generator",
      promptAgent(async () => {}, {
        async *loadSession() {
          for (let i = 0; i < 3; i++) yield chunk(String(i));
          return {};
        },
      }),
    ],
    [
      "a callback",
      promptAgent(async () => {}, {
        async loadSession({ replay }) {
          for (let i = 0; i < 3; i++) await replay(chunk(String(i)));
          return {};
        },
      }),
    ],
  ])("by %s replays everything before it answers; then the session is there", async (_, agent) => {
    const { client } = await serve(agent);
    expect(await client.call("session/load", { sessionId: "s", ...place })).toEqual({});
    expect(client.text()).toBe("012");
    expect(await client.prompt("s", "x")).toBe("end_turn");
  });

  it("of 20,000 updates goes at the client's pace", async () => {
    let made = 0;
    let ahead = 0;
    let seen = 0;
    const { client } = await serve(
      promptAgent(async () => {}, {
        async *loadSession() {
          for (; made < 20_000; made++) {
            ahead = Math.max(ahead, made - seen);
            yield chunk(`${made} `);
          }
          return {};
        },
      }),
      { onUpdate: () => seen++ },
    );
    await client.call("session/load", { sessionId: "s", ...place });
    expect(seen).toBe(20_000);
    expect(ahead).toBeLessThan(1000);
  });

  it("keeps others out while it lasts, and is given up when the session is closed", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(async () => {}, {
        closeSession: () => {},
        async *loadSession({ signal }) {
          yield chunk("a");
          await gate.promise;
          signal.throwIfAborted();
          return {};
        },
      }),
    );
    const params = { sessionId: "s", ...place };
    const loading = client.call("session/load", params);
    await client.seen("update agent_message_chunk");
    const opening = { code: -32600, message: "The session is being opened" };
    expect(await refusal(client.call("session/load", params))).toMatchObject(opening);
    expect(await refusal(client.prompt("s", "x"))).toMatchObject(opening);
    expect(await client.call("session/close", { sessionId: "s" })).toEqual({});
    gate.resolve();
    expect(await refusal(loading)).toMatchObject({
      code: -32600,
      message: "The session was closed",
    });
    expect(await refusal(client.prompt("s", "x"))).toMatchObject({ code: -32002 });
  });

  it("sends nothing for resume", async () => {
    const { client } = await serve(promptAgent(async () => {}, { resumeSession: () => ({}) }));
    expect(await client.call("session/resume", { sessionId: "s", cwd: tmpdir() })).toEqual({});
    expect(client.log).toEqual([]);
    expect(await client.prompt("s", "x")).toBe("end_turn");
  });

  it("of a busy session waits for nobody: it is refused", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(
        async (turn) => {
          await turn.say("working");
          await gate.promise;
        },
        { loadSession: () => ({}) },
      ),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    expect(await refusal(client.call("session/load", { sessionId, ...place }))).toMatchObject({
      code: -32600,
    });
    gate.resolve();
    expect(await prompt).toBe("end_turn");
  });
});

describe("close and delete", () => {
  it("cancel the turn, wait for its end, then free the session", async () => {
    const order: string[] = [];
    let handle: AgentSession<object> | undefined;
    const { client } = await serve(
      promptAgent(
        async (turn) => {
          handle = turn.session;
          await turn.say("working");
          await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
          order.push("turn ended");
        },
        {
          closeSession: () => void order.push("closed"),
          deleteSession: () => void order.push("deleted"),
        },
      ),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    expect(await client.call("session/delete", { sessionId })).toEqual({});
    expect(await prompt).toBe("cancelled");
    expect(order).toEqual(["turn ended", "closed", "deleted"]);
    expect(await refusal(client.prompt(sessionId, "x"))).toMatchObject({ code: -32002 });
    await expect(handle?.title("late")).rejects.toThrow(SessionClosedError);
    expect(await client.call("session/close", { sessionId })).toEqual({});
    expect(order).toHaveLength(3);
  });
});

describe("lists", () => {
  const sessions = Array.from({ length: 120 }, (_, i) => ({ sessionId: `s${i}`, cwd: "/x" }));

  it("come in pages, to the last", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        listSessions: ({ cursor }) => pageOf(sessions, cursor),
      }),
    );
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await client.call("session/list", cursor === undefined ? {} : { cursor });
      expect(Array.isArray(page["sessions"])).toBe(true);
      seen.push(...(page["sessions"] as unknown[]));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    expect(seen).toEqual(sessions);
    expect(await refusal(client.call("session/list", { cursor: "mine" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "cursor" }] },
    });
  });

  it("are empty rather than absent", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, { listSessions: ({ cursor }) => pageOf([], cursor) }),
    );
    expect(await client.call("session/list")).toEqual({ sessions: [] });
  });
});

describe("modes and options", () => {
  const agent = (): AgentDefinition<{ mode: string; on: boolean; size: string }> => ({
    info,
    newSession: () => ({ mode: "a", on: false, size: "s" }),
    prompt: async () => {},
    modes: ({ state }) => ({
      currentModeId: state.mode,
      availableModes: [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ],
    }),
    setMode: ({ state }, id) => {
      state.mode = id;
    },
    configOptions: ({ state }) => [
      {
        id: "size",
        name: "Size",
        type: "select",
        currentValue: state.size,
        options: [
          {
            group: "g",
            name: "G",
            options: [
              { value: "s", name: "S" },
              { value: "l", name: "L" },
            ],
          },
        ],
      },
      { id: "on", name: "On", type: "boolean", currentValue: state.on },
    ],
    setConfigOption: ({ state }, id, value) => {
      if (typeof value === "boolean") state.on = value;
      else state.size = value;
      expect(id).toBe(typeof value === "boolean" ? "on" : "size");
    },
  });

  it("come with the session and change on request", async () => {
    const { client } = await serve(agent(), {
      capabilities: { session: { configOptions: { boolean: {} } } },
    });
    const setup = await client.call("session/new", place);
    expect(setup).toMatchObject({
      modes: { currentModeId: "a" },
      configOptions: [{ id: "size" }, { id: "on" }],
    });
    const { sessionId } = setup;
    expect(await client.call("session/set_mode", { sessionId, modeId: "b" })).toEqual({});
    const set = (configId: string, more: object) =>
      client.call("session/set_config_option", { sessionId, configId, ...more });
    expect(await set("size", { value: "l" })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: false }],
    });
    expect(await set("on", { type: "boolean", value: true })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: true }],
    });
    const fault = async (call: Promise<unknown>) =>
      ((await refusal(call))["data"] as { errors: Json[] }).errors[0]?.["path"];
    expect(await fault(client.call("session/set_mode", { sessionId, modeId: "c" }))).toBe("modeId");
    expect(await fault(set("nothing", { value: "l" }))).toBe("configId");
    expect(await fault(set("size", { value: "xl" }))).toBe("value");
    expect(await fault(set("on", { value: "true" }))).toBe("value");
  });

  it("never show a boolean to a client that does not know them", async () => {
    const { client } = await serve(agent());
    const setup = await client.call("session/new", place);
    expect(setup["configOptions"]).toHaveLength(1);
    const params = { sessionId: setup["sessionId"], configId: "on", type: "boolean", value: true };
    expect(await refusal(client.call("session/set_config_option", params))).toMatchObject({
      code: -32602,
    });
  });
});

describe("opening", () => {
  it("tells the author when the client knows of the session, and not before", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        sessionOpened: (session, how) => session.title(how),
        sessionId: () => "mine",
        forkSession: () => ({}),
        resumeSession: () => ({}),
      }),
      { version: "unstable" },
    );
    const seen = await client.peer.call("session/new", place, {
      accept: (result) => ({ result, log: [...client.log] }),
    });
    expect(seen).toEqual({ result: { sessionId: "mine" }, log: [] });
    await client.seen("update session_info_update");
    expect(client.updates[0]).toMatchObject({ title: "new" });
    await client.call("session/fork", { sessionId: "mine", cwd: tmpdir() });
    await client.call("session/resume", { sessionId: "mine", cwd: tmpdir() });
  });
});
