import { describe, expect, it } from "vitest";
import { RpcError } from "../../src/transport/rpc/index.ts";
import { connect, cwd, deferred, FakeAgent, newSession, openSession } from "./fake-agent.ts";
import { capable, configOptions, modes, nextEvents } from "./session-fixtures.ts";

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
    expect(() => client.listSessions()).toThrow("sessionCapabilities.list");
    await expect(client.deleteSession("x")).rejects.toThrow("sessionCapabilities.delete");
  });
});
