// The unstable protocol with the official SDK on the other side, in both directions.
import * as sdk from "@agentclientprotocol/sdk/unstable";
import { afterEach, describe, expect, it } from "vitest";
import { deferred } from "../../src/base/index.ts";
import { demoAgent } from "../../src/apps/demo-agent/agent.ts";
import { memoryPair, serveAgent } from "../../src/entries/agent.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/index.ts";
import { streamFromChannel, tapped, type Channel } from "../../src/entries/wire.ts";
import { FrameChecker } from "../support/schema.ts";

const cwd = process.cwd();
const closing: (() => unknown)[] = [];
const checkers: FrameChecker[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  expect(checkers.splice(0).flatMap(({ faults }) => faults)).toEqual([]);
});

/** A pair of ends. Every frame that our side writes is checked against the unstable schema. */
function pair(ourSide: "agent" | "client"): { ours: Channel; theirs: sdk.Stream } {
  const [ours, theirs] = memoryPair();
  const checker = new FrameChecker(ourSide, "unstable");
  checkers.push(checker);
  const other = ourSide === "agent" ? "client" : "agent";
  const checked = tapped(ours, ({ direction, line }) =>
    checker.saw(direction === "out" ? ourSide : other, line),
  );
  return { ours: checked, theirs: streamFromChannel(theirs) };
}

interface Heard {
  readonly updates: sdk.SessionNotification[];
  readonly statuses: sdk.AuthStatusUpdateNotification[];
}

/** The demo agent on our toolkit, and a client on the SDK. */
async function sdkClient(requireAuth = false) {
  const { ours, theirs } = pair("agent");
  const definition = demoAgent({ version: "1", unstable: true, requireAuth, exit: () => {} });
  void serveAgent(ours, definition);
  const heard: Heard = { updates: [], statuses: [] };
  const mcp = new sdk.McpOverAcpProvider();
  const app = sdk
    .client({ name: "sdk" })
    .onNotification(sdk.methods.client.session.update, ({ params }) => {
      heard.updates.push(params);
    })
    .onNotification(sdk.methods.client.auth.statusUpdate, ({ params }) => {
      heard.statuses.push(params);
    })
    .onRequest(sdk.methods.client.session.requestPermission, () => ({
      outcome: { outcome: "selected", optionId: "allow_once" },
    }))
    .onRequest(sdk.methods.client.mcp.message, mcp.handleRequest);
  const connection = app.connect(theirs);
  closing.push(() => connection.close());
  const { agent } = connection;
  const initialized = await agent.request(sdk.methods.agent.initialize, {
    protocolVersion: sdk.PROTOCOL_VERSION,
    clientCapabilities: { plan: {}, subagents: {} },
  });
  const prompt = (sessionId: string, text: string) =>
    agent.request(sdk.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    });
  const textOf = (sessionId: string): string =>
    heard.updates
      .filter((note) => note.sessionId === sessionId)
      .map(({ update }) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
          ? update.content.text
          : "",
      )
      .join("");
  return { agent, connection, initialized, heard, mcp, prompt, textOf };
}

const { session, providers, auth, authenticate } = sdk.methods.agent;

describe("a client on the SDK with our demo agent", () => {
  it("finds every unstable capability", async () => {
    const { initialized } = await sdkClient();
    expect(initialized.agentCapabilities).toMatchObject({
      providers: {},
      auth: { status: {} },
      mcpCapabilities: { acp: true },
      sessionCapabilities: {
        fork: {},
        archive: {},
        status: {},
        title: {},
        systemPrompt: { mode: { override: {} } },
      },
    });
  });

  it("asks for the sign-in state and hears of its changes", async () => {
    const { agent, heard } = await sdkClient(true);
    expect(await agent.request(auth.status, {})).toMatchObject({ state: "unauthenticated" });
    await agent.request(authenticate, { methodId: "demo" });
    expect(heard.statuses.map(({ state }) => state)).toEqual(["authenticated"]);
  });

  it("configures model providers", async () => {
    const { agent } = await sdkClient();
    const settings = { apiType: "anthropic", baseUrl: "http://localhost/a" };
    await agent.request(providers.set, { providerId: "spare", ...settings, headers: { A: "b" } });
    const { providers: listed } = await agent.request(providers.list, {});
    expect(listed.map(({ providerId, current }) => [providerId, current?.apiType])).toEqual([
      ["main", "openai"],
      ["spare", "anthropic"],
    ]);
    await agent.request(providers.disable, { providerId: "spare" });
    await expect(agent.request(providers.disable, { providerId: "main" })).rejects.toThrow();
  });

  it("archives, retitles and inspects sessions", async () => {
    const { agent, prompt } = await sdkClient();
    const { sessionId } = await agent.request(session.new, { cwd, mcpServers: [] });
    await prompt(sessionId, "/think once");
    expect(await agent.request(session.status, { sessionId })).toEqual({ status: "open" });
    const renamed = await agent.request(session.setTitle, { sessionId, title: " New title " });
    expect(renamed).toEqual({ title: "New title" });
    await agent.request(session.archive, { sessionId });
    expect(await agent.request(session.status, { sessionId })).toEqual({ status: "saved" });
    const shown = await agent.request(session.list, {});
    expect(shown.sessions).toEqual([]);
    const archived = await agent.request(session.list, { archived: "only" });
    expect(archived.sessions).toMatchObject([{ sessionId, title: "New title", archived: true }]);
    await agent.request(session.unarchive, { sessionId });
    expect((await agent.request(session.list, {})).sessions).toHaveLength(1);
  });

  it("gives instructions, and gets plans, a subagent, messages and usage", async () => {
    const { agent, heard, prompt, textOf } = await sdkClient();
    const { sessionId } = await agent.request(session.new, {
      cwd,
      mcpServers: [],
      systemPrompt: { mode: "append", content: [{ type: "text", text: "Be brief" }] },
    });
    await prompt(sessionId, "/system-prompt");
    expect(textOf(sessionId)).toContain("Be brief");
    await prompt(sessionId, "/plans");
    await prompt(sessionId, "/subagent Count!");
    const kinds = new Set(heard.updates.map(({ update }) => update.sessionUpdate));
    for (const kind of [
      "plan_update",
      "plan_removed",
      "subagent_update",
      "session_message",
      "session_message_chunk",
    ] as const) {
      expect(kinds, kind).toContain(kind);
    }
    const child = heard.updates.find(({ sessionId: id }) => id !== sessionId)?.sessionId ?? "";
    expect(textOf(child)).toBe("1 2 3 ");
    expect(await prompt(sessionId, "/tokens")).toMatchObject({ usage: { totalTokens: 42 } });
  });

  it("provides an MCP server that the agent calls", async () => {
    const { agent, connection, mcp, prompt, textOf } = await sdkClient();
    const tools = mcp.registerServer(connection.agent, {
      name: "tools",
      handler: async (request) => {
        await request.notify("notifications/progress", { progress: 1, progressToken: "p" });
        const { method, params, clientInfo } = request;
        return { result: { method, name: params?.["name"], clientInfo } };
      },
    });
    const { sessionId } = await agent.request(session.new, {
      cwd,
      mcpServers: [{ type: "acp", name: tools.name, serverId: tools.serverId }],
    });
    await prompt(sessionId, '/mcp-call tools tools/call {"name":"echo"}');
    expect(textOf(sessionId)).toContain("Notification: notifications/progress");
    expect(textOf(sessionId)).toContain('"method":"tools/call","name":"echo"');
    expect(textOf(sessionId)).toContain("dragoman-demo");
    await tools.dispose();
    await prompt(sessionId, "/mcp-call tools");
    expect(textOf(sessionId)).toContain("RemoteError -33001");
  });
});

/** An agent on the SDK, and our client. */
async function sdkAgent(
  agent: sdk.AgentApp,
  config: Partial<ConnectionConfig> = {},
): Promise<AcpClient> {
  const { ours, theirs } = pair("client");
  const connection = agent.connect(theirs);
  const client = await AcpClient.start({ ...config, channel: ours, unstable: true });
  closing.push(
    () => client.close(),
    () => connection.close(),
  );
  return client;
}

function baseAgent(newSession: (params: sdk.NewSessionRequest) => void = () => {}): sdk.AgentApp {
  return sdk
    .agent({ name: "sdk" })
    .onRequest(sdk.methods.agent.initialize, () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      agentCapabilities: {
        mcpCapabilities: { acp: true },
        sessionCapabilities: { list: {}, archive: {}, status: {}, title: {}, systemPrompt: {} },
        auth: { status: {} },
        providers: {},
      },
    }))
    .onRequest(session.new, ({ params }) => {
      newSession(params);
      return { sessionId: "s" };
    });
}

describe("our client with an agent on the SDK", () => {
  it("makes every unstable call", async () => {
    const seen: unknown[] = [];
    const client = await sdkAgent(
      baseAgent()
        .onRequest(auth.status, () => ({ state: "authenticated" as const }))
        .onRequest(providers.list, () => ({
          providers: [{ providerId: "main", supported: ["openai"], required: false }],
        }))
        .onRequest(providers.disable, ({ params }) => {
          seen.push(params);
          return {};
        })
        .onRequest(session.archive, () => ({}))
        .onRequest(session.unarchive, () => ({}))
        .onRequest(session.status, () => ({ status: "open" as const }))
        .onRequest(session.setTitle, ({ params }) => ({ title: params.title.toUpperCase() }))
        .onRequest(session.list, ({ params }) => {
          seen.push(params);
          return { sessions: [] };
        }),
    );
    expect(await client.authStatus()).toEqual({ state: "authenticated", accounts: [] });
    expect(await client.providers.list()).toMatchObject([{ providerId: "main" }]);
    await client.providers.disable("main");
    expect(await client.setSessionTitle("s", "t")).toBe("T");
    expect(await client.sessionStatus("s")).toBe("open");
    await client.archiveSession("s");
    await client.unarchiveSession("s");
    expect(await client.listSessions({ archived: "include" }).next()).toMatchObject({ done: true });
    expect(seen).toEqual([{ providerId: "main" }, { archived: "include" }]);
  });

  it("sends instructions and reads updates and usage", async () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const seen: unknown[] = [];
    const client = await sdkAgent(
      baseAgent((params) => void seen.push(params.systemPrompt)).onRequest(
        session.prompt,
        async ({ client: peer }) => {
          const send = (update: sdk.SessionUpdate, sessionId = "s") =>
            peer.notify(sdk.methods.client.session.update, { sessionId, update });
          const plan = { type: "markdown", planId: "p", content: "#" } as const;
          await send({ sessionUpdate: "plan_update", plan });
          await send({
            sessionUpdate: "subagent_update",
            sessionId: "c",
            state: { state: "running" },
          });
          const content = { type: "text", text: "hi" } as const;
          await send({ sessionUpdate: "agent_message_chunk", content }, "c");
          await send({ sessionUpdate: "session_message", messageId: "m", senderSessionId: "c" });
          await send({ sessionUpdate: "session_message_chunk", messageId: "m", content });
          return { stopReason: "end_turn", usage };
        },
      ),
    );
    const opened = await client.newSession({ cwd, systemPrompt: "Be brief" });
    const turn = opened.prompt("x");
    const types: string[] = [];
    for await (const update of turn) types.push(update.type);
    expect(seen).toEqual([{ mode: "append", content: [{ type: "text", text: "Be brief" }] }]);
    expect(types).toEqual([
      "plan_update",
      "subagent_update",
      "session_message",
      "session_message_chunk",
    ]);
    expect((await turn.result).usage).toEqual(usage);
    expect(opened.plans.get("p")).toMatchObject({ content: "#" });
    expect(opened.sessionMessages.get("m")?.senderSessionId).toBe("c");
    const child = opened.subagent("c");
    expect(child.details?.activity).toEqual({ state: "running" });
    expect((await child.updates().next()).value).toMatchObject({ text: "hi" });
  });

  it("serves MCP servers to the SDK's caller, notifications and errors included", async () => {
    const caller = new sdk.McpOverAcpCaller({ clientInfo: { name: "sdk", version: "1" } });
    const outcomes: unknown[] = [];
    const servers: sdk.McpServerAcpDeclaration[] = [];
    const heard = deferred();
    const client = await sdkAgent(
      baseAgent(({ mcpServers }) => void servers.push(...mcpServers.filter(sdk.isMcpServerAcp)))
        .onNotification(sdk.methods.agent.mcp.message, caller.handleNotification)
        .onRequest(session.prompt, async ({ client: peer }) => {
          for (const { serverId } of servers) {
            const onNotification = (note: sdk.McpNotification): void => {
              outcomes.push(note.method);
              heard.resolve();
            };
            const params = { name: "x" };
            outcomes.push(
              await caller.request(peer, serverId, "tools/call", params, { onNotification }),
            );
          }
          return { stopReason: "end_turn" };
        }),
    );
    const opened = await client.newSession({
      cwd,
      mcpServers: [
        {
          type: "acp",
          name: "function",
          handle: async ({ method, notify }) => {
            await notify("notifications/progress", { progress: 1 });
            // The SDK may settle a request before it has handled earlier notifications.
            await heard.promise;
            return { method };
          },
        },
        {
          type: "acp",
          name: "transport",
          connect: (transport) => {
            const onmessage = (message: object): void => {
              const id = "id" in message ? message.id : undefined;
              const error = { code: -32602, message: "no such tool" };
              void transport.send({ jsonrpc: "2.0", id, error });
            };
            Object.assign(transport, { onmessage });
          },
        },
      ],
    });
    await opened.prompt("x").result;
    expect(outcomes).toEqual([
      "notifications/progress",
      { result: { method: "tools/call" } },
      { error: { code: -32602, message: "no such tool" } },
    ]);
  });
});
