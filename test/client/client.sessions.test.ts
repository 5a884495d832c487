import { describe, expect, it } from "vitest";
import type { Session, SessionEvent, Update } from "../../src/entries/dragoman.ts";
import { RpcError } from "../../src/rpc/index.ts";
import {
  chunk,
  connect,
  deferred,
  endTurn,
  everything,
  FakeAgent,
  initialized,
  newSession,
} from "./fake-agent.ts";

const cwd = "/project";
const able = { initialize: () => initialized(everything) };

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};
const configOptions = [
  {
    type: "select",
    id: "model",
    name: "Model",
    currentValue: "small",
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large" },
    ],
  },
  { type: "boolean", id: "web", name: "Web", currentValue: false },
];

/** The next `count` events of a session, one word each. */
async function words(session: Session, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of session.updates()) {
    seen.push(word(event));
    if (seen.length === count) break;
  }
  return seen;
}

function word(event: SessionEvent): string {
  if (event.type === "turn_ended") return `turn_ended ${event.stopReason ?? event.error?.name}`;
  return event.text === "" ? event.type : event.text;
}

describe("a new session", () => {
  it("has the folder, the servers and the state it was made with", async () => {
    const agent = new FakeAgent({ ...able, "session/new": newSession({ modes, configOptions }) });
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
    expect(agent.of("session/new")).toEqual([
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
    await client.close();
  });

  it.each([
    ["relative", { cwd: "project" }, "invalid_argument"],
    ["missing", {}, "invalid_argument"],
    ["relative besides", { cwd, additionalDirectories: ["x"] }, "invalid_argument"],
  ])("is refused with a folder that is %s", async (_, options, code) => {
    const agent = new FakeAgent(able);
    const client = await connect(agent);
    // @ts-expect-error -- what a JavaScript program might pass
    await expect(client.newSession(options)).rejects.toMatchObject({ code });
    expect(agent.of("session/new")).toEqual([]);
    await client.close();
  });

  it.each([
    [{ additionalDirectories: ["/x"] }, "sessionCapabilities.additionalDirectories"],
    [{ mcpServers: [{ type: "http", name: "w", url: "u" }] }, "mcpCapabilities.http"],
    [{ mcpServers: [{ type: "sse", name: "w", url: "u" }] }, "mcpCapabilities.sse"],
  ] as const)("is refused what the agent does not take: %j", async (more, capability) => {
    const agent = new FakeAgent();
    const client = await connect(agent);
    await expect(client.newSession({ cwd, ...more })).rejects.toMatchObject({ capability });
    expect(agent.of("session/new")).toEqual([]);
    await client.close();
  });

  it("gets what came before its answer, and what came between others'", async () => {
    const agent = new FakeAgent({
      "session/new": () => {
        void agent.say("other", "not mine");
        void agent.update("s9", {
          sessionUpdate: "available_commands_update",
          availableCommands: [{ name: "help", description: "" }],
        });
        void agent.say("s9", "early");
        return { sessionId: "s9" };
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    expect(session.commands).toEqual([{ name: "help", description: "" }]);
    expect(await words(session, 2)).toEqual(["available_commands_update", "early"]);
    await client.close();
  });

  it("answers what the agent asks for it before its answer", async () => {
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
    await client.close();
  });

  it("is refused an id that is open already", async () => {
    const agent = new FakeAgent({ "session/new": () => ({ sessionId: "same" }) });
    const client = await connect(agent);
    await client.newSession({ cwd });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({ code: "session_open" });
    await client.close();
  });
});

describe("the state of a session", () => {
  it("follows the updates", async () => {
    const agent = new FakeAgent({
      ...able,
      "session/new": newSession({ modes, configOptions }),
      "session/prompt": () => {
        const send = (update: object) => void agent.update("s1", { ...update });
        send({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" });
        send({ sessionUpdate: "tool_call", toolCallId: "t", title: "Read", kind: "read" });
        send({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
        send({
          sessionUpdate: "plan",
          entries: [{ content: "do", priority: "high", status: "pending" }],
        });
        send({ sessionUpdate: "current_mode_update", currentModeId: "code" });
        send({ sessionUpdate: "usage_update", used: 5, size: 10 });
        send({ sessionUpdate: "session_info_update", title: "Work" });
        send({ sessionUpdate: "config_option_update", configOptions: [] });
        send({ sessionUpdate: "brand_new", field: 1 });
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const types: string[] = [];
    for await (const update of session.prompt("go")) types.push(update.type);
    expect(types.at(-1)).toBe("unknown");
    expect([...session.toolCalls.values()]).toMatchObject([
      { toolCallId: "t", title: "Read", kind: "read", status: "completed" },
    ]);
    expect(session.plan).toEqual([{ content: "do", priority: "high", status: "pending" }]);
    expect(session.modes?.currentModeId).toBe("code");
    expect(session.usage).toMatchObject({ used: 5, size: 10 });
    expect(session.title).toBe("Work");
    expect(session.configOptions).toEqual([]);
    await client.close();
  });

  it("takes the mode that was set", async () => {
    const agent = new FakeAgent({
      "session/new": newSession({ modes }),
      "session/set_mode": () => ({}),
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await session.setMode("code");
    expect(agent.of("session/set_mode")).toEqual([{ sessionId: "s1", modeId: "code" }]);
    expect(session.modes?.currentModeId).toBe("code");
    await expect(session.setMode("fly")).rejects.toThrow(/"fly".*ask, code/);
    await client.close();
  });

  it("takes the options the agent answers with", async () => {
    const answer = [configOptions[0], { ...configOptions[1], currentValue: true }];
    const agent = new FakeAgent({
      "session/new": newSession({ configOptions }),
      "session/set_config_option": () => ({ configOptions: answer }),
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await session.setConfigOption("web", true);
    await session.setConfigOption("model", "large");
    expect(agent.of("session/set_config_option")).toEqual([
      { sessionId: "s1", configId: "web", type: "boolean", value: true },
      { sessionId: "s1", configId: "model", value: "large" },
    ]);
    expect(session.configOptions).toEqual(answer);
    await expect(session.setConfigOption("web", "on")).rejects.toThrow("boolean");
    await expect(session.setConfigOption("speed", "on")).rejects.toThrow(/"speed".*model, web/);
    await client.close();
  });

  it("refuses modes and options an agent does not have", async () => {
    const client = await connect(new FakeAgent());
    const session = await client.newSession({ cwd });
    expect(session.modes).toBeUndefined();
    await expect(session.setMode("x")).rejects.toMatchObject({ capability: "modes" });
    await expect(session.setConfigOption("x", "y")).rejects.toMatchObject({
      capability: "configOptions",
    });
    await client.close();
  });
});

describe("the stream of a session", () => {
  it("has everything in order, inside and outside turns", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "inside");
        setImmediate(() => void agent.say("s1", "after"));
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await agent.say("s1", "before");
    await agent.delivered();
    const turn = session.prompt("go");
    expect(await words(session, 5)).toEqual([
      "before",
      "turn_started",
      "inside",
      "turn_ended end_turn",
      "after",
    ]);
    expect(await turn.text()).toBe("inside");
    await client.close();
  });

  it("tells of a turn that failed", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        throw new RpcError(500, "model down");
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await expect(turn.result).rejects.toMatchObject({ code: 500, message: "model down" });
    await expect(turn.text()).rejects.toThrow("model down");
    expect(await words(session, 2)).toEqual(["turn_started", "turn_ended RemoteError"]);
    await client.close();
  });

  it("has several readers, the later ones from where they begin", async () => {
    const agent = new FakeAgent();
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await agent.say("s1", "one");
    const first = session.updates();
    expect(await first.next()).toMatchObject({ value: { text: "one" } });
    const second = session.updates();
    await agent.say("s1", "two");
    expect(await first.next()).toMatchObject({ value: { text: "two" } });
    expect(await second.next()).toMatchObject({ value: { text: "two" } });
    await session.close();
    expect(await first.next()).toEqual({ done: true, value: undefined });
    expect(await second.next()).toEqual({ done: true, value: undefined });
    await client.close();
  });
});

describe("a session the agent has kept", () => {
  it("is loaded: its conversation first, then the session", async () => {
    const agent = new FakeAgent({
      ...able,
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
    expect(agent.of("session/load")).toEqual([{ sessionId: "old", cwd, mcpServers: [] }]);
    expect(session.modes).toEqual(modes);
    expect(await words(session, 2)).toEqual(["user_message_chunk", "hello"]);
    await agent.say("old", "live");
    expect(replayed).toHaveLength(2);
    await client.close();
  });

  it("is loaded from an agent that answers before it has replayed everything", async () => {
    const agent = new FakeAgent({
      ...able,
      "session/load": () => {
        setTimeout(() => {
          void agent.say("old", "late");
          setTimeout(() => void agent.say("old", "later"), 10);
        }, 10);
        return {};
      },
    });
    const client = await connect(agent);
    const replayed: unknown[] = [];
    const onReplay = (update: Update): void => void replayed.push(update.text);
    const options = { sessionId: "old", cwd, onReplay };
    await client.loadSession({ ...options, replaySilence: 1000 });
    expect(replayed).toEqual(["late", "later"]);
    await agent.say("old", "live");
    expect(replayed).toHaveLength(2);
    await client.close();
  });

  it("is given up while it is waited for a replay to end", async () => {
    const agent = new FakeAgent({ ...able, "session/load": () => ({}) });
    const client = await connect(agent);
    const giveUp = new AbortController();
    const loading = client.loadSession({
      sessionId: "old",
      cwd,
      replaySilence: 60_000,
      signal: giveUp.signal,
    });
    setTimeout(() => giveUp.abort(new Error("enough")), 50);
    await expect(loading).rejects.toThrow("enough");
    expect(() => client.session("old")).toThrow('no open session "old"');
    await client.close();
  });

  it("is loaded from an agent that answers null", async () => {
    const agent = new FakeAgent({ ...able, "session/load": () => null });
    const client = await connect(agent);
    expect(await client.loadSession({ sessionId: "old", cwd })).toMatchObject({ id: "old" });
    await client.close();
  });

  it("keeps the end of a replay that is longer than the buffer", async () => {
    const agent = new FakeAgent({
      ...able,
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
    expect(await words(session, 2)).toEqual(["90", "91"]);
    await client.close();
  });

  it("is not open when loading it failed, and can be tried again", async () => {
    const agent = new FakeAgent({
      ...able,
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
    await client.close();
  });

  it("is resumed", async () => {
    const agent = new FakeAgent({ ...able, "session/resume": () => ({ configOptions }) });
    const client = await connect(agent);
    const mcpServers = [{ name: "m", command: "/m" }];
    const session = await client.resumeSession({ sessionId: "old", cwd, mcpServers });
    expect(agent.of("session/resume")).toEqual([
      { sessionId: "old", cwd, mcpServers: [{ name: "m", command: "/m", args: [], env: [] }] },
    ]);
    expect(session.configOptions).toEqual(configOptions);
    await client.close();
  });

  it("is forked", async () => {
    const agent = new FakeAgent({ ...able, "session/fork": () => ({ sessionId: "copy" }) });
    const client = await connect(agent);
    const session = await client.forkSession({ sessionId: "old", cwd });
    expect(session.id).toBe("copy");
    expect(agent.of("session/fork")).toEqual([{ sessionId: "old", cwd, mcpServers: [] }]);
    await client.close();
  });

  it("is deleted, even if the agent does not know it", async () => {
    const agent = new FakeAgent({ ...able, "session/delete": () => ({}) });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await client.deleteSession(session.id);
    expect(session.closed).toBe(true);
    agent.handlers["session/delete"] = () => {
      throw new RpcError(-32002, "unknown");
    };
    await client.deleteSession("never");
    expect(agent.of("session/delete")).toEqual([{ sessionId: "s1" }, { sessionId: "never" }]);
    agent.handlers["session/delete"] = () => {
      throw new RpcError(-32603, "disk full");
    };
    await expect(client.deleteSession("x")).rejects.toThrow("disk full");
    await client.close();
  });

  it("is listed, page by page", async () => {
    const pages: Record<string, object> = {
      start: { sessions: [{ sessionId: "a", cwd }], nextCursor: "2" },
      "2": { sessions: [], nextCursor: "3" },
      "3": { sessions: [{ sessionId: "b", cwd }] },
    };
    const agent = new FakeAgent({
      ...able,
      "session/list": ({ cursor }) => pages[typeof cursor === "string" ? cursor : "start"],
    });
    const client = await connect(agent);
    const ids: string[] = [];
    for await (const { sessionId } of client.listSessions({ cwd })) ids.push(sessionId);
    expect(ids).toEqual(["a", "b"]);
    expect(agent.of("session/list")).toEqual([{ cwd }, { cwd, cursor: "2" }, { cwd, cursor: "3" }]);
    await client.close();
  });

  it("is not listed for ever by an agent that repeats a cursor", async () => {
    const agent = new FakeAgent({
      ...able,
      "session/list": () => ({ sessions: [], nextCursor: "again" }),
    });
    const client = await connect(agent);
    await expect(client.listSessions().next()).rejects.toMatchObject({
      name: "ProtocolViolation",
      path: "nextCursor",
    });
    await client.close();
  });

  it.each([
    ["loadSession", "loadSession"],
    ["resumeSession", "sessionCapabilities.resume"],
    ["forkSession", "sessionCapabilities.fork"],
  ] as const)("is refused to %s by an agent that cannot", async (method, capability) => {
    const agent = new FakeAgent();
    const client = await connect(agent);
    await expect(client[method]({ sessionId: "x", cwd })).rejects.toMatchObject({ capability });
    expect(agent.received).toHaveLength(1);
    await client.close();
  });

  it("is neither listed nor deleted by an agent that cannot", async () => {
    const client = await connect(new FakeAgent());
    expect(() => client.listSessions()).toThrow("sessionCapabilities.list");
    await expect(client.deleteSession("x")).rejects.toThrow("sessionCapabilities.delete");
    await client.close();
  });
});

describe("closing a session", () => {
  it("tells an agent that can, and refuses everything afterwards", async () => {
    const agent = new FakeAgent({ ...able, "session/close": () => ({}) });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    await session.close();
    await session.close();
    expect(agent.of("session/close")).toEqual([{ sessionId: "s1" }]);
    expect(session.closed).toBe(true);
    expect(client.sessions).toEqual([]);
    expect(() => session.prompt("x")).toThrow('the session "s1" is closed');
    expect(() => session.updates()).toThrow("closed");
    await expect(session.setMode("x")).rejects.toMatchObject({ code: "session_closed" });
    expect(() => client.session("s1")).toThrow("no open session");
    await session.cancel();
    await client.close();
  });

  it("is fine with an agent that does not know it any more, or cannot close", async () => {
    const agent = new FakeAgent({
      ...able,
      "session/close": () => {
        throw new RpcError(-32002, "unknown");
      },
    });
    const client = await connect(agent);
    await (await client.newSession({ cwd })).close();
    await client.close();

    const plain = new FakeAgent();
    const other = await connect(plain);
    await (await other.newSession({ cwd })).close();
    expect(plain.of("session/close")).toEqual([]);
    await other.close();
  });

  it("cancels the turn first", async () => {
    const agent = new FakeAgent({
      ...able,
      "session/close": () => ({}),
      "session/prompt": async () => {
        await agent.next("session/cancel");
        return { stopReason: "cancelled" };
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await session.close();
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    expect(agent.received.map(({ method }) => method).slice(-3)).toEqual([
      "session/prompt",
      "session/cancel",
      "session/close",
    ]);
    await client.close();
  });

  it("ignores what still comes for it", async () => {
    const agent = new FakeAgent();
    const logged: string[] = [];
    const client = await connect(agent, { logger: { debug: (text) => logged.push(text) } });
    const session = await client.newSession({ cwd });
    await session.close();
    await agent.update("s1", chunk("late"));
    await agent.peer.notify("custom/thing", {});
    await agent.delivered();
    expect(logged).toEqual([
      "ignored an update for an unknown session",
      "ignored an unknown notification",
    ]);
    await client.close();
  });
});
