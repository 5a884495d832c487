import { describe, expect, it } from "vitest";
import {
  type AgentDefinition,
  serveAgent,
  sessionNotFound,
  memoryPair,
} from "../../../src/entries/agent.ts";
import type { AuthStatus, ProviderInfo } from "../../../src/protocol/acp/index.ts";
import { info, promptAgent } from "../definitions.ts";
import { errorOf, serve, workspace, opened } from "../harness.ts";

const calls: string[] = [];
const providers: ProviderInfo[] = [
  { providerId: "main", supported: ["openai"], required: true },
  { providerId: "spare", supported: ["openai"], required: false, current: null },
];

/** An agent with every unstable member. */
function everything(more: Partial<AgentDefinition<object>> = {}): AgentDefinition<object> {
  calls.length = 0;
  return promptAgent(async () => {}, {
    unstable: true,
    sessionId: () => "s",
    mcpCapabilities: { acp: true },
    systemPrompt: { override: true },
    authStatus: () => ({ state: "authenticated", accounts: [{ label: "Key" }] }),
    providers: {
      list: () => providers,
      set: (id, settings) => void calls.push(`set ${id} ${JSON.stringify(settings)}`),
      disable: (id) => void calls.push(`disable ${id}`),
    },
    listSessions: ({ archived }) => {
      calls.push(`list ${archived}`);
      return { sessions: [{ sessionId: "a", cwd: "/a", archived: true }] };
    },
    closeSession: ({ id }) => void calls.push(`close ${id}`),
    archiveSession: (id) => {
      if (id === "unknown") throw sessionNotFound(id);
      calls.push(`archive ${id}`);
    },
    unarchiveSession: (id) => void calls.push(`unarchive ${id}`),
    sessionStatus: (id) => (id === "stored" ? "saved" : undefined),
    setTitle: (id, title) => {
      calls.push(`title ${id}`);
      return title.trim();
    },
    ...more,
  });
}

const unstable = { version: "unstable" } as const;

describe("with unstable: true", () => {
  it("the agent advertises exactly what it implements", async () => {
    const { client } = await serve(everything(), { raw: true, ...unstable });
    expect(await client.initialize()).toMatchObject({
      agentCapabilities: {
        mcpCapabilities: { http: false, sse: false, acp: true },
        sessionCapabilities: {
          list: {},
          close: {},
          archive: {},
          status: {},
          title: {},
          systemPrompt: { mode: { override: {} } },
        },
        auth: { status: {} },
        providers: {},
      },
    });
    const bare = await serve(
      promptAgent(async () => {}, { unstable: true, systemPrompt: true }),
      {
        raw: true,
        ...unstable,
      },
    );
    expect((await bare.client.initialize())["agentCapabilities"]).toEqual({
      loadSession: false,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false, acp: false },
      sessionCapabilities: { systemPrompt: {} },
    });
  });

  it("auth/status is answered even without a sign-in", async () => {
    const agent = everything({ isAuthenticated: () => false });
    const { client } = await serve(agent, unstable);
    expect(await client.call("auth/status")).toEqual({
      state: "authenticated",
      accounts: [{ label: "Key" }],
    });
    expect(await errorOf(client.call("session/status", { sessionId: "s" }))).toMatchObject({
      code: -32000,
    });
  });

  it("a change of the sign-in state is reported", async () => {
    const status: AuthStatus = { state: "unauthenticated" };
    const agent = everything({ newSession: ({ client }) => client.reportAuthStatus(status) });
    const { client } = await serve(agent, unstable);
    const reported = client.waitFor("auth/status_update");
    await client.newSession();
    await reported;
  });

  it("providers are checked before the author sees the call", async () => {
    const { client } = await serve(everything(), unstable);
    expect(await client.call("providers/list")).toEqual({ providers });
    const settings = { apiType: "openai", baseUrl: "http://h", headers: { A: "b" } };
    await client.call("providers/set", { providerId: "spare", ...settings });
    await client.call("providers/disable", { providerId: "spare" });
    expect(calls).toEqual([`set spare ${JSON.stringify(settings)}`, "disable spare"]);
    const faulty: [string, object][] = [
      ["providers/set", { ...settings, providerId: "other" }],
      ["providers/set", { ...settings, providerId: "main", apiType: "carrier" }],
      ["providers/set", { ...settings, providerId: "main", headers: { A: 1 } }],
      ["providers/set", { providerId: "main" }],
      ["providers/disable", { providerId: "other" }],
    ];
    for (const [method, params] of faulty) {
      expect(await errorOf(client.call(method, params)), method).toMatchObject({ code: -32602 });
    }
    expect(await errorOf(client.call("providers/disable", { providerId: "main" }))).toMatchObject({
      code: -32600,
    });
    expect(calls).toHaveLength(2);
  });

  it("an open session is closed before it is archived", async () => {
    const { client, sessionId } = await opened(everything(), unstable);
    await client.call("session/archive", { sessionId });
    await client.call("session/unarchive", { sessionId });
    expect(calls).toEqual(["close s", "archive s", "unarchive s"]);
    const unknown = client.call("session/archive", { sessionId: "unknown" });
    expect(await errorOf(unknown)).toMatchObject({ code: -32002 });
  });

  it("the list filter reaches the author, and an unknown one is denied", async () => {
    const { client } = await serve(everything(), unstable);
    await client.call("session/list");
    const listed = await client.call("session/list", { archived: "only" });
    expect(listed).toEqual({ sessions: [{ sessionId: "a", cwd: "/a", archived: true }] });
    expect(calls).toEqual(["list exclude", "list only"]);
    expect(await errorOf(client.call("session/list", { archived: "maybe" }))).toMatchObject({
      code: -32602,
    });
  });

  it("session/status knows open, stored and unknown sessions", async () => {
    const { client, sessionId } = await opened(everything(), unstable);
    expect(await client.call("session/status", { sessionId })).toEqual({ status: "open" });
    expect(await client.call("session/status", { sessionId: "stored" })).toEqual({
      status: "saved",
    });
    expect(await errorOf(client.call("session/status", { sessionId: "x" }))).toMatchObject({
      code: -32002,
      data: { sessionId: "x" },
    });
  });

  it("session/set_title answers with the stored title and denies an empty one", async () => {
    const { client } = await serve(everything(), unstable);
    const set = (title: string) => client.call("session/set_title", { sessionId: "stored", title });
    expect(await set(" T ")).toEqual({ title: "T" });
    expect(await errorOf(set("  "))).toMatchObject({ code: -32602 });
    const silent = await serve(everything({ setTitle: () => {} }), unstable);
    const params = { sessionId: "stored", title: " T " };
    expect(await silent.client.call("session/set_title", params)).toEqual({ title: " T " });
  });

  it.each<[string, unknown, AgentDefinition<object>["systemPrompt"]]>([
    ["an agent without support", { mode: "append", content: [text("x")] }, undefined],
    ["a mode without support", { mode: "override", content: [text("x")] }, true],
    ["an unknown mode", { mode: "shout", content: [text("x")] }, { override: true }],
    ["no content", { mode: "append", content: [] }, true],
    ["content that is not text", { mode: "append", content: [link()] }, true],
    ["a malformed value", { content: "x" }, true],
  ])("a session with instructions is denied for %s", async (_, systemPrompt, accepted) => {
    const { client } = await serve(everything({ systemPrompt: accepted }), unstable);
    const opening = client.call("session/new", { ...workspace, systemPrompt });
    expect(await errorOf(opening)).toMatchObject({ code: -32602 });
  });

  it("instructions reach the author, and their absence too", async () => {
    const seen: unknown[] = [];
    const agent = everything({
      newSession: ({ systemPrompt }) => {
        seen.push(systemPrompt);
        return {};
      },
    });
    const { client } = await serve(agent, unstable);
    const systemPrompt = { mode: "override", content: [text("x")] };
    await client.newSession({ systemPrompt });
    await client.newSession({ systemPrompt: null });
    expect(seen).toEqual([systemPrompt, undefined]);
  });

  it("the usage of a turn is part of its answer", async () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const agent = promptAgent(async () => ({ stopReason: "end_turn", usage }), { unstable: true });
    const { client, sessionId } = await opened(agent, unstable);
    expect(await client.call("session/prompt", { sessionId, prompt: [] })).toEqual({
      stopReason: "end_turn",
      usage,
    });
  });
});

describe("without the switch", () => {
  it.each([
    ["auth/status", {}],
    ["providers/list", {}],
    ["providers/set", { providerId: "main", apiType: "openai", baseUrl: "http://h" }],
    ["providers/disable", { providerId: "spare" }],
    ["session/archive", { sessionId: "s" }],
    ["session/unarchive", { sessionId: "s" }],
    ["session/status", { sessionId: "s" }],
    ["session/set_title", { sessionId: "s", title: "t" }],
  ])("%s does not exist", async (method, params) => {
    const { client } = await serve(everything({ unstable: false }));
    expect(await errorOf(client.call(method, params))).toMatchObject({ code: -32601 });
  });

  it("everything on the wire is stable", async () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const agent = everything({
      unstable: undefined,
      prompt: async (turn) => {
        await expect(turn.planRemoved("p")).rejects.toThrow("unstable: true");
        await expect(turn.session.openSubagent()).rejects.toThrow("unstable: true");
        await expect(turn.client.reportAuthStatus({ state: "unknown" })).rejects.toThrow(TypeError);
        return { stopReason: "refusal", usage };
      },
    });
    // The harness checks every frame against the stable schema.
    const { client } = await serve(agent, { raw: true });
    await client.initialize({ plan: {}, subagents: {} });
    const sessionId = await client.newSession({ systemPrompt: "not even an object" });
    const answer = await client.call("session/prompt", { sessionId, prompt: [] });
    expect(answer).toEqual({ stopReason: "refusal" });
    expect(await client.call("session/list", { archived: 7 })).toEqual({
      sessions: [{ sessionId: "a", cwd: "/a" }],
    });
    const mcpServers = [{ type: "acp", name: "m", serverId: "x" }];
    expect(await errorOf(client.call("session/new", { ...workspace, mcpServers }))).toMatchObject({
      code: -32602,
    });
  });
});

it.each<[string, Partial<AgentDefinition<object>>]>([
  ["unarchiveSession", { archiveSession: () => {}, listSessions: () => ({ sessions: [] }) }],
  ["listSessions", { archiveSession: () => {}, unarchiveSession: () => {} }],
])("a definition without %s is incomplete", async (missing, more) => {
  const agent: AgentDefinition<object> = {
    info,
    newSession: () => ({}),
    prompt: async () => {},
    ...more,
  };
  await expect(serveAgent(memoryPair()[0], agent)).rejects.toThrow(missing);
});

function text(said: string) {
  return { type: "text", text: said };
}

function link() {
  return { type: "resource_link", name: "n", uri: "file:///n" };
}
