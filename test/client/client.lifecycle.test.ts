import { describe, expect, it } from "vitest";
import { AcpClient, CallCancelledError, StartError } from "../../src/entries/dragoman.ts";
import { connect, cwd, deferred, FakeAgent, newSession, openSession } from "./fake-agent.ts";
import { RpcError } from "../../src/transport/rpc/index.ts";
import { capable, configOptions, modes, nextEvents } from "./session-fixtures.ts";

describe("the state of a client", () => {
  it("is open, then closing, then closed", async () => {
    const client = await connect(new FakeAgent());
    expect(client.state).toBe("open");
    const closing = client.close();
    expect(client.state).toBe("closing");
    await closing;
    expect(client.state).toBe("closed");
    expect(await client.closed).toEqual({ kind: "closed" });
  });

  it("is not open anymore when a turn fails because the agent is gone", async () => {
    const agent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    const { client, session } = await openSession(agent);
    const states: unknown[] = [];
    const failed = session.prompt("go").result.catch(() => {
      states.push(client.state, session.state);
    });
    await agent.peer.close();
    await failed;
    expect(states).not.toContain("open");
    await client.closed;
    expect([client.state, session.state]).toEqual(["closed", "closed"]);
  });

  it("lets a supervisor replace a dead client as soon as a turn fails", async () => {
    const agents = [0, 1].map((n) => {
      const agent: FakeAgent = new FakeAgent({
        "session/prompt": () => (n === 0 ? agent.peer.close() : { stopReason: "end_turn" }),
      });
      return agent;
    });
    let started = 0;
    let current = await connect(agents[started++] ?? new FakeAgent());
    const usable = async (): Promise<AcpClient> => {
      if (current.state !== "open") current = await connect(agents[started++] ?? new FakeAgent());
      return current;
    };
    const ask = async () =>
      (await (await usable()).newSession({ cwd })).prompt("go").result.then(
        ({ stopReason }) => stopReason,
        () => "failed",
      );
    expect([await ask(), await ask()]).toEqual(["failed", "end_turn"]);
    await current.close();
  });
});

describe("the state of a session", () => {
  it("is closing while the agent is asked to close it", async () => {
    const answer = deferred<object>();
    const agent = new FakeAgent({
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { close: {} } },
      }),
      "session/close": () => answer.promise,
    });
    const { session } = await openSession(agent);
    expect(session.state).toBe("open");
    const closing = session.close();
    await agent.next("session/close");
    expect(session.state).toBe("closing");
    answer.resolve({});
    await closing;
    expect(session.state).toBe("closed");
    expect(await session.closed).toMatchObject({ code: "closed" });
  });

  it("says in `closed` that the connection is gone", async () => {
    const agent = new FakeAgent();
    const { session } = await openSession(agent);
    await agent.peer.close();
    expect(await session.closed).toMatchObject({ name: "ConnectionError" });
    expect(session.state).toBe("closed");
  });
});

describe("closing a session", () => {
  it("succeeds if the client is closed meanwhile", async () => {
    const agent = new FakeAgent({
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { close: {} } },
      }),
      "session/close": () => new Promise(() => {}),
    });
    const { client, session } = await openSession(agent);
    const closing = session.close();
    await agent.next("session/close");
    await client.close();
    await closing;
    expect(session.state).toBe("closed");
  });
});

describe("an aborted signal", () => {
  const capable = {
    initialize: () => ({
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { close: {} } },
    }),
    "session/new": () => ({
      sessionId: "s1",
      modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] },
      configOptions: [{ id: "o", name: "O", type: "boolean", currentValue: false }],
    }),
  };
  const never = () => new Promise(() => {});

  it("ends a start that waits for the agent, and leaves nothing open", async () => {
    const agent = new FakeAgent({ initialize: never });
    const controller = new AbortController();
    const starting = AcpClient.start({ channel: agent.channel }, { signal: controller.signal });
    await agent.next("initialize");
    controller.abort(new Error("changed my mind"));
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toMatchObject({ cause: { name: "CallCancelledError" } });
    expect(await agent.peer.closed).toMatchObject({ kind: "ended" });
  });

  it("ends a start before anything is sent", async () => {
    const agent = new FakeAgent();
    const starting = AcpClient.start({ channel: agent.channel }, { signal: AbortSignal.abort() });
    await expect(starting).rejects.toMatchObject({ code: "start_failed" });
    expect(agent.received).toEqual([]);
  });

  it.each([
    ["session/set_mode", "setMode"],
    ["session/set_config_option", "setConfigOption"],
  ] as const)("cancels %s", async (method, name) => {
    const agent = new FakeAgent({ ...capable, [method]: never });
    const { session } = await openSession(agent);
    const controller = new AbortController();
    const { signal } = controller;
    const calling =
      name === "setMode"
        ? session.setMode("a", { signal })
        : session.setConfigOption("o", true, { signal });
    await agent.next(method);
    controller.abort();
    await expect(calling).rejects.toBeInstanceOf(CallCancelledError);
    await agent.delivered();
    expect(agent.lines.at(-2)).toContain("$/cancel_request");
  });

  it("stops waiting for a cancel that the agent has not followed yet", async () => {
    const agent = new FakeAgent({ ...capable, "session/prompt": never });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await session.cancel({ signal: AbortSignal.abort() });
    await turn.cancel({ signal: AbortSignal.abort() });
    expect(session.turnState).toBe("cancelling");
  });

  it("closes a session on this side if the agent does not answer", async () => {
    const agent = new FakeAgent({ ...capable, "session/close": never });
    const { session } = await openSession(agent);
    const controller = new AbortController();
    const closing = session.close({ signal: controller.signal });
    await agent.next("session/close");
    controller.abort();
    await expect(closing).rejects.toBeInstanceOf(CallCancelledError);
    expect(session.state).toBe("closed");
  });

  it("stops waiting for the end of the agent, which ends all the same", async () => {
    const client = await connect(new FakeAgent());
    const closing = client.close({ signal: AbortSignal.abort() });
    await expect(closing).rejects.toBeInstanceOf(CallCancelledError);
    expect(await client.closed).toEqual({ kind: "closed" });
  });
});

describe("a new session", () => {
  it("has the folder, the MCP servers and the state it was created with", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/new": newSession({ modes, configOptions }),
    });
    const client = await connect(agent);
    const session = await client.newSession({
      cwd,
      additionalDirectories: ["/more"],
      mcpServers: [
        { name: "files", command: "/bin/files", env: { KEY: "v" } },
        { name: "list", command: "/bin/list", args: ["-x"], env: [{ name: "A", value: "b" }] },
        { type: "http", name: "web", url: "https://example.com", headers: { auth: "x" } },
        { type: "sse", name: "old", url: "https://example.com/sse" },
      ],
      meta: { hint: 1 },
    });
    expect(agent.paramsOf("session/new")).toEqual([
      {
        cwd,
        additionalDirectories: ["/more"],
        mcpServers: [
          { name: "files", command: "/bin/files", args: [], env: [{ name: "KEY", value: "v" }] },
          { name: "list", command: "/bin/list", args: ["-x"], env: [{ name: "A", value: "b" }] },
          {
            type: "http",
            name: "web",
            url: "https://example.com",
            headers: [{ name: "auth", value: "x" }],
          },
          { type: "sse", name: "old", url: "https://example.com/sse", headers: [] },
        ],
        _meta: { hint: 1 },
      },
    ]);
    expect(session).toMatchObject({ id: "s1", cwd, additionalDirectories: ["/more"], modes });
    expect(session.configOptions).toEqual(configOptions);
    expect(session.turnState).toBe("idle");
    expect(client.sessions).toEqual([session]);
    expect(client.session("s1")).toBe(session);
  });

  it.each([
    ["relative", { cwd: "project" }, "invalid_argument"],
    ["missing", {}, "invalid_argument"],
    [
      "relative among the additional ones",
      { cwd, additionalDirectories: ["x"] },
      "invalid_argument",
    ],
  ])("is not created with a folder that is %s", async (_, options, code) => {
    const agent = new FakeAgent(capable);
    const client = await connect(agent);
    // @ts-expect-error -- a JavaScript program might pass this
    await expect(client.newSession(options)).rejects.toMatchObject({ code });
    expect(agent.paramsOf("session/new")).toEqual([]);
  });

  it.each([
    [{ additionalDirectories: ["/x"] }, "sessionCapabilities.additionalDirectories"],
    [{ mcpServers: [{ type: "http", name: "w", url: "u" }] }, "mcpCapabilities.http"],
    [{ mcpServers: [{ type: "sse", name: "w", url: "u" }] }, "mcpCapabilities.sse"],
  ] as const)(
    "is not created with options that the agent does not support: %j",
    async (more, capability) => {
      const agent = new FakeAgent();
      const client = await connect(agent);
      await expect(client.newSession({ cwd, ...more })).rejects.toMatchObject({ capability });
      expect(agent.paramsOf("session/new")).toEqual([]);
    },
  );

  it("gets its updates that arrived before the answer with its id", async () => {
    const agent = new FakeAgent({
      "session/new": () => {
        void agent.say("other", "for another session");
        void agent.update("s9", {
          sessionUpdate: "available_commands_update",
          availableCommands: [{ name: "help", description: "" }],
        });
        void agent.say("s9", "early");
        return { sessionId: "s9" };
      },
    });
    const { session } = await openSession(agent);
    expect(session.commands).toEqual([{ name: "help", description: "" }]);
    expect(await nextEvents(session, 2)).toEqual(["available_commands_update", "early"]);
  });

  it("answers a request that the agent sent before the answer with its id", async () => {
    const agent = new FakeAgent({
      "session/new": async () => {
        const asked = agent.peer.call("session/request_permission", {
          sessionId: "s7",
          toolCall: { toolCallId: "t" },
          options: [],
        });
        queueMicrotask(() => void asked);
        setImmediate(() => answered.resolve(asked));
        return { sessionId: "s7" };
      },
    });
    const answered = deferred<unknown>();
    const client = await connect(agent);
    await client.newSession({ cwd });
    expect(await answered.promise).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("is rejected if the agent reuses the id of an open session", async () => {
    const agent = new FakeAgent({ "session/new": () => ({ sessionId: "same" }) });
    const client = await connect(agent);
    await client.newSession({ cwd });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({ code: "session_open" });
  });
});

describe("a stored session", () => {
  it("is loaded after its conversation has been replayed", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/load": () => {
        void agent.update("old", {
          sessionUpdate: "user_message_chunk",
          content: { type: "text", text: "hi" },
        });
        void agent.say("old", "hello");
        return { modes };
      },
    });
    const client = await connect(agent);
    const replayed: string[] = [];
    const session = await client.loadSession({
      sessionId: "old",
      cwd,
      onReplay: (update) => replayed.push(update.type),
    });
    expect(replayed).toEqual(["user_message_chunk", "agent_message_chunk"]);
    expect(agent.paramsOf("session/load")).toEqual([{ sessionId: "old", cwd, mcpServers: [] }]);
    expect(session.modes).toEqual(modes);
    expect(await nextEvents(session, 2)).toEqual(["user_message_chunk", "hello"]);
    await agent.say("old", "live");
    await agent.delivered();
    expect(replayed).toHaveLength(2);
  });

  it("is loaded if the agent answers null", async () => {
    const agent = new FakeAgent({ ...capable, "session/load": () => null });
    const client = await connect(agent);
    expect(await client.loadSession({ sessionId: "old", cwd })).toMatchObject({ id: "old" });
  });

  it("keeps only the end of a replay that exceeds the buffer", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/load": () => {
        for (let n = 0; n < 100; n++) void agent.say("old", `${n}`);
        return {};
      },
    });
    const client = await connect(agent, { maxBuffered: 10 });
    let replayed = 0;
    const onReplay = (): void => void replayed++;
    const session = await client.loadSession({ sessionId: "old", cwd, onReplay });
    expect(replayed).toBe(100);
    expect(session.dropped).toBe(90);
    expect(await nextEvents(session, 2)).toEqual(["90", "91"]);
  });

  it("is not open after loading failed, and can be loaded again", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/load": () => {
        throw new RpcError(-32002, "gone");
      },
    });
    const client = await connect(agent);
    await expect(client.loadSession({ sessionId: "old", cwd })).rejects.toThrow("gone");
    expect(() => client.session("old")).toThrow('no open session "old"');
    agent.handlers["session/load"] = () => ({});
    await client.loadSession({ sessionId: "old", cwd });
    await expect(client.loadSession({ sessionId: "old", cwd })).rejects.toMatchObject({
      code: "session_open",
    });
  });

  it("is resumed", async () => {
    const agent = new FakeAgent({ ...capable, "session/resume": () => ({ configOptions }) });
    const client = await connect(agent);
    const mcpServers = [{ name: "m", command: "/m" }];
    const session = await client.resumeSession({ sessionId: "old", cwd, mcpServers });
    expect(agent.paramsOf("session/resume")).toEqual([
      { sessionId: "old", cwd, mcpServers: [{ name: "m", command: "/m", args: [], env: [] }] },
    ]);
    expect(session.configOptions).toEqual(configOptions);
  });

  it("is forked", async () => {
    const agent = new FakeAgent({ ...capable, "session/fork": () => ({ sessionId: "copy" }) });
    const client = await connect(agent);
    const session = await client.forkSession({ sessionId: "old", cwd });
    expect(session.id).toBe("copy");
    expect(agent.paramsOf("session/fork")).toEqual([{ sessionId: "old", cwd, mcpServers: [] }]);
  });

  it("counts as deleted even if the agent does not know it", async () => {
    const agent = new FakeAgent({ ...capable, "session/delete": () => ({}) });
    const { client, session } = await openSession(agent);
    await client.deleteSession(session.id);
    expect(session.state).toBe("closed");
    agent.handlers["session/delete"] = () => {
      throw new RpcError(-32002, "unknown");
    };
    await client.deleteSession("never");
    expect(agent.paramsOf("session/delete")).toEqual([{ sessionId: "s1" }, { sessionId: "never" }]);
    agent.handlers["session/delete"] = () => {
      throw new RpcError(-32603, "disk full");
    };
    await expect(client.deleteSession("x")).rejects.toThrow("disk full");
  });

  it("is listed, page by page", async () => {
    const pages: Record<string, object> = {
      start: { sessions: [{ sessionId: "a", cwd }], nextCursor: "2" },
      "2": { sessions: [], nextCursor: "3" },
      "3": { sessions: [{ sessionId: "b", cwd }] },
    };
    const agent = new FakeAgent({
      ...capable,
      "session/list": ({ cursor }) => pages[typeof cursor === "string" ? cursor : "start"],
    });
    const client = await connect(agent);
    const ids: string[] = [];
    for await (const { sessionId } of client.listSessions({ cwd })) ids.push(sessionId);
    expect(ids).toEqual(["a", "b"]);
    expect(agent.paramsOf("session/list")).toEqual([
      { cwd },
      { cwd, cursor: "2" },
      { cwd, cursor: "3" },
    ]);
    const all = await client.listSessions({ cwd }).all();
    expect(all.map(({ sessionId }) => sessionId)).toEqual(["a", "b"]);
  });

  it("is not listed forever if the agent repeats a cursor", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/list": () => ({ sessions: [], nextCursor: "again" }),
    });
    const client = await connect(agent);
    await expect(client.listSessions().next()).rejects.toMatchObject({
      name: "ProtocolViolation",
      path: "nextCursor",
    });
  });

  it.each([
    ["loadSession", "loadSession"],
    ["resumeSession", "sessionCapabilities.resume"],
    ["forkSession", "sessionCapabilities.fork"],
  ] as const)(
    "cannot be opened with %s if the agent does not support that",
    async (method, capability) => {
      const agent = new FakeAgent();
      const client = await connect(agent);
      await expect(client[method]({ sessionId: "x", cwd })).rejects.toMatchObject({ capability });
      expect(agent.received).toHaveLength(1);
    },
  );

  it("is neither listed nor deleted if the agent does not support that", async () => {
    const client = await connect(new FakeAgent());
    await expect(client.listSessions().all()).rejects.toThrow("sessionCapabilities.list");
    await expect(client.deleteSession("x")).rejects.toThrow("sessionCapabilities.delete");
  });
});
