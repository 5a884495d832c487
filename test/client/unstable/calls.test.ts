import { describe, expect, it } from "vitest";
import { CapabilityError, InvalidArgumentError } from "../../../src/entries/dragoman.ts";
import { connect, cwd, FakeAgent, type Handler, initialized } from "../fake-agent.ts";
import { unstableAgent } from "./fixtures.ts";

const handlers: Record<string, Handler> = {
  "auth/status": () => ({ state: "authenticated", accounts: [{ label: "Key" }] }),
  "providers/list": () => ({
    providers: [{ providerId: "main", supported: ["openai"], required: true, current: null }],
  }),
  "providers/set": () => ({}),
  "providers/disable": () => ({}),
  "session/archive": () => ({}),
  "session/unarchive": () => ({}),
  "session/status": () => ({ status: "saved" }),
  "session/set_title": ({ title }) => ({ title: String(title).trim() }),
  "session/list": () => ({ sessions: [{ sessionId: "s1", cwd, archived: true }] }),
};

describe("with unstable: true", () => {
  it("the client advertises plan and subagents, and reads the agent's capabilities", async () => {
    const agent = unstableAgent();
    await using client = await connect(agent, { unstable: true });
    expect(agent.paramsOf("initialize")[0]?.["clientCapabilities"]).toMatchObject({
      plan: {},
      subagents: {},
    });
    expect(client.agent.capabilities).toMatchObject({
      providers: {},
      auth: { status: {} },
      mcpCapabilities: { acp: true },
      sessionCapabilities: { archive: {}, status: {}, title: {}, systemPrompt: {} },
    });
  });

  it("authStatus asks the agent and remembers the answer", async () => {
    await using client = await connect(unstableAgent(handlers), { unstable: true });
    expect(client.lastAuthStatus).toBeUndefined();
    const status = { state: "authenticated", accounts: [{ label: "Key" }] };
    expect(await client.authStatus()).toEqual(status);
    expect(client.lastAuthStatus).toEqual(status);
  });

  it("an update of the sign-in state reaches onAuthStatus and lastAuthStatus", async () => {
    const seen: unknown[] = [];
    const agent = unstableAgent();
    await using client = await connect(agent, {
      unstable: true,
      onAuthStatus: (status) => void seen.push(status.state),
    });
    await agent.peer.notify("auth/status_update", { state: "unauthenticated" });
    await agent.peer.notify("auth/status_update", { state: "dreaming" });
    await agent.peer.notify("auth/status_update", {});
    await agent.delivered();
    expect(seen).toEqual(["unauthenticated", "unknown"]);
    expect(client.lastAuthStatus).toEqual({ state: "unknown", accounts: [] });
  });

  it("providers are listed, set and disabled", async () => {
    const agent = unstableAgent(handlers);
    await using client = await connect(agent, { unstable: true });
    expect(await client.providers.list()).toEqual([
      { providerId: "main", supported: ["openai"], required: true, current: undefined },
    ]);
    const headers = { Authorization: "Bearer x" };
    await client.providers.set("main", { apiType: "openai", baseUrl: "http://h", headers });
    await client.providers.disable("spare");
    expect(agent.paramsOf("providers/set")).toEqual([
      { providerId: "main", apiType: "openai", baseUrl: "http://h", headers },
    ]);
    expect(agent.paramsOf("providers/disable")).toEqual([{ providerId: "spare" }]);
  });

  it("an archived session is closed on this side", async () => {
    const agent = unstableAgent(handlers);
    await using client = await connect(agent, { unstable: true });
    const session = await client.newSession({ cwd });
    await client.archiveSession(session.id);
    await session.closed;
    expect(client.sessions).toEqual([]);
    await client.unarchiveSession(session.id);
    expect(agent.paramsOf("session/unarchive")).toEqual([{ sessionId: session.id }]);
    expect(agent.paramsOf("session/close")).toEqual([]);
  });

  it("sessions are listed with the archive filter", async () => {
    const agent = unstableAgent(handlers);
    await using client = await connect(agent, { unstable: true });
    const listed = [];
    for await (const info of client.listSessions({ archived: "only" })) listed.push(info);
    expect(listed).toEqual([{ sessionId: "s1", cwd, archived: true }]);
    expect(agent.paramsOf("session/list")).toEqual([{ archived: "only" }]);
  });

  it("the title that the agent stored becomes the session's", async () => {
    await using client = await connect(unstableAgent(handlers), { unstable: true });
    const session = await client.newSession({ cwd });
    expect(await session.setTitle("  A title ")).toBe("A title");
    expect(session.title).toBe("A title");
    expect(await client.setSessionTitle(session.id, "B ")).toBe("B");
    expect(session.title).toBe("B");
    expect(await client.setSessionTitle("stored", "C ")).toBe("C");
    await expect(session.setTitle("  ")).rejects.toThrow(InvalidArgumentError);
  });

  it("the status of open and stored sessions can be asked", async () => {
    await using client = await connect(unstableAgent(handlers), { unstable: true });
    const session = await client.newSession({ cwd });
    expect(await session.status()).toBe("saved");
    expect(await client.sessionStatus("stored")).toBe("saved");
  });

  it("a turn's usage is part of its result", async () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const agent = unstableAgent({ "session/prompt": () => ({ stopReason: "end_turn", usage }) });
    await using client = await connect(agent, { unstable: true });
    const session = await client.newSession({ cwd });
    expect(await session.prompt("x").result).toMatchObject({ usage });
  });

  it.each([
    ["a text", "Be brief", { mode: "append", text: "Be brief" }],
    ["a text with a mode", { mode: "override", text: "Be brief" } as const, undefined],
  ])("%s is sent as the system prompt", async (_, systemPrompt, expected) => {
    const agent = unstableAgent({ "session/load": () => ({}) });
    await using client = await connect(agent, { unstable: true });
    await client.newSession({ cwd, systemPrompt });
    await client.loadSession({ cwd, sessionId: "old", systemPrompt });
    const mode = expected?.mode ?? "override";
    const sent = { mode, content: [{ type: "text", text: "Be brief" }] };
    expect(agent.paramsOf("session/new")[0]?.["systemPrompt"]).toEqual(sent);
    expect(agent.paramsOf("session/load")[0]?.["systemPrompt"]).toEqual(sent);
  });

  it("an empty system prompt, or a mode that the agent lacks, is not sent", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized({ sessionCapabilities: { systemPrompt: {} } }),
    });
    await using client = await connect(agent, { unstable: true });
    await expect(client.newSession({ cwd, systemPrompt: "" })).rejects.toThrow(
      InvalidArgumentError,
    );
    await expect(
      client.newSession({ cwd, systemPrompt: { mode: "override", text: "x" } }),
    ).rejects.toThrow(CapabilityError);
    expect(agent.paramsOf("session/new")).toEqual([]);
  });
});

type Client = Awaited<ReturnType<typeof connect>>;

/** Every call that needs the switch. */
const CALLS: Record<string, (client: Client) => Promise<unknown>> = {
  "auth/status": (client) => client.authStatus(),
  "providers/list": (client) => client.providers.list(),
  "providers/set": (client) =>
    client.providers.set("main", { apiType: "openai", baseUrl: "http://h" }),
  "providers/disable": (client) => client.providers.disable("main"),
  "session/archive": (client) => client.archiveSession("s"),
  "session/unarchive": (client) => client.unarchiveSession("s"),
  "session/status": (client) => client.sessionStatus("s"),
  "session/set_title": (client) => client.setSessionTitle("s", "t"),
  systemPrompt: (client) => client.newSession({ cwd, systemPrompt: "x" }),
  archived: async (client) => client.listSessions({ archived: "only" }).next(),
  "mcp server": (client) =>
    client.newSession({ cwd, mcpServers: [{ type: "acp", name: "m", handle: () => ({}) }] }),
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  it("needs the switch, and says so", async () => {
    const agent = unstableAgent();
    await using client = await connect(agent);
    const calling = call(client);
    await expect(calling).rejects.toThrow(CapabilityError);
    await expect(calling).rejects.toThrow("unstable: true");
    expect(agent.received.map(({ method }) => method)).toEqual(["initialize"]);
  });

  it("needs the agent's capability", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized({ sessionCapabilities: { list: {} } }),
    });
    await using client = await connect(agent, { unstable: true });
    const calling = call(client);
    await expect(calling).rejects.toThrow(CapabilityError);
    await expect(calling).rejects.toThrow("does not advertise");
    expect(agent.received.map(({ method }) => method)).toEqual(["initialize"]);
  });
});

describe("without the switch", () => {
  it("nothing unstable is advertised, described or read", async () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const agent = unstableAgent({
      "session/prompt": async ({ sessionId }) => {
        await agent.update(String(sessionId), { sessionUpdate: "plan_removed", planId: "p" });
        return { stopReason: "end_turn", usage };
      },
    });
    await using client = await connect(agent);
    expect(agent.paramsOf("initialize")[0]?.["clientCapabilities"]).not.toHaveProperty("plan");
    expect(agent.paramsOf("initialize")[0]?.["clientCapabilities"]).not.toHaveProperty("subagents");
    expect(client.agent.capabilities).not.toHaveProperty("providers");
    const session = await client.newSession({ cwd });
    const turn = session.prompt("x");
    const updates = [];
    for await (const update of turn) updates.push(update);
    expect(updates).toMatchObject([{ type: "unknown", kind: "plan_removed" }]);
    expect((await turn.result).usage).toBeUndefined();
    await agent.peer.notify("auth/status_update", { state: "unauthenticated" });
    await agent.delivered();
    expect(client.lastAuthStatus).toBeUndefined();
    const message = { serverId: "x", requestId: "r", method: "tools/list" };
    await expect(agent.peer.call("mcp/message", message)).rejects.toMatchObject({
      rpcCode: -32601,
    });
  });
});
