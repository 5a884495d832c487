import { afterEach, describe, expect, it } from "vitest";
import { type AgentDefinition, memoryPair, serveAgent } from "../../../src/entries/agent.ts";
import {
  AcpClient,
  CapabilityError,
  type AcpClientConfig,
  type Session,
} from "../../../src/entries/dragoman.ts";
import { openToolServers, type ToolSession } from "../../../src/client/session/open-session.ts";
import { toolServer, type ToolServerOptions } from "../../../src/entries/tools.ts";
import { isJsonObject, redactLine } from "../../../src/base/index.ts";
import { fail, greet, waitingTool, type WaitingTool } from "../../tools/fixtures.ts";
import { connect, cwd, deferred, FakeAgent, initialized, type Params } from "../fake-agent.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const bridge = { command: "dragoman", args: ["tool-bridge"] };

function shop(options: Partial<ToolServerOptions> = {}, waiting: WaitingTool = waitingTool()) {
  return toolServer({ name: "shop", tools: [greet, fail, waiting.tool], bridge, ...options });
}

function agentWith(mcpCapabilities: object): FakeAgent {
  return new FakeAgent({
    initialize: () => initialized({ mcpCapabilities, loadSession: true }),
    "session/load": () => ({}),
  });
}

async function open(
  agent: FakeAgent,
  server = shop(),
  config: Partial<AcpClientConfig> = {},
): Promise<{ client: AcpClient; session: Session; given: Params }> {
  const client = await connect(agent, config);
  closing.push(() => client.close());
  const session = await client.newSession({ cwd, mcpServers: [server] });
  const [params] = agent.paramsOf("session/new");
  return { client, session, given: (params as { mcpServers: Params[] }).mcpServers[0] ?? {} };
}

const all = { http: true, sse: true, acp: true };

describe("a tool server", () => {
  it.each([
    ["ACP, where the unstable protocol is used", all, true, "acp"],
    ["HTTP, where it is not", all, false, "http"],
    ["HTTP, without MCP over ACP", { http: true, sse: false }, true, "http"],
    ["a command, for every other agent", {}, true, undefined],
  ])("is reached over %s", async (_name, capabilities, unstable, type) => {
    const { given } = await open(agentWith(capabilities), shop(), { unstable });
    expect(given).toMatchObject({ name: "shop" });
    expect(given["type"]).toBe(type);
    if (type === undefined) {
      expect(given).toMatchObject(bridge);
      expect(given["env"]).toContainEqual({
        name: "DRAGOMAN_TOOLS_TOKEN",
        value: expect.any(String) as string,
      });
    }
  });

  it.each(["http", "acp"] as const)("over %s needs that capability", async (transport) => {
    const agent = agentWith({});
    const opening = open(agent, shop({ transport }), { unstable: true });
    const failed = await opening.catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CapabilityError);
    expect(failed).toMatchObject({ capability: `mcpCapabilities.${transport}` });
    expect(agent.paramsOf("session/new")).toEqual([]);
  });

  it("may be among the servers of the client, and each session has its own", async () => {
    const agent = agentWith({ http: true });
    const client = await connect(agent, { mcpServers: [shop()] });
    closing.push(() => client.close());
    await client.newSession({ cwd });
    await client.loadSession({ cwd, sessionId: "old" });
    const urls = ["session/new", "session/load"].map((method) => {
      const [params] = agent.paramsOf(method);
      return (params as { mcpServers: Params[] }).mcpServers[0]?.["url"];
    });
    expect(new Set(urls).size).toBe(2);
  });

  it("leaves no token in a recording", async () => {
    const agent = agentWith({ http: true });
    const { given } = await open(agent);
    const [header] = given["headers"] as { value: string }[];
    const line = agent.lines.find((sent) => sent.includes("session/new")) ?? "";
    expect(line).toContain(header?.value);
    expect(redactLine(line)).not.toContain(header?.value.slice(7));
  });

  it("closes if the session is not opened", async () => {
    const agent = agentWith({ http: true });
    agent.handlers["session/new"] = () => {
      throw new Error("no");
    };
    await expect(open(agent)).rejects.toThrow("no");
    const [params] = agent.paramsOf("session/new");
    const url = String((params as { mcpServers: Params[] }).mcpServers[0]?.["url"]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it("closes with its session, which aborts its calls", async () => {
    const waiting = waitingTool();
    const { session, given } = await open(agentWith({ http: true }), shop({}, waiting));
    const calling = call(given, "wait").catch((error: unknown) => error);
    await waiting.started;
    await session.close();
    await waiting.aborted;
    expect(await calling).toBeInstanceOf(Error);
    await expect(call(given, "greet")).rejects.toThrow();
  });

  it("aborts its calls when the turn is cancelled, and stays open", async () => {
    const waiting = waitingTool();
    const agent = agentWith({ http: true });
    const prompted = deferred<unknown>();
    agent.handlers["session/prompt"] = () => prompted.promise;
    agent.handlers["session/cancel"] = () => prompted.resolve({ stopReason: "cancelled" });
    const { session, given } = await open(agent, shop({}, waiting));
    const turn = session.prompt("go");
    const calling = call(given, "wait");
    await waiting.started;
    await turn.cancel();
    expect(await calling).toMatchObject({
      result: { isError: true, content: [{ text: "the turn was cancelled" }] },
    });
    expect(await call(given, "greet", { name: "heron" })).toMatchObject({
      result: { structuredContent: { greeting: "hello heron" } },
    });
  });

  it("lets its session know when a call runs, because the agent is silent then", async () => {
    const host = { capabilities: { mcpCapabilities: { http: true } }, unstable: false };
    const resolved = await openToolServers([shop()], host);
    const active: boolean[] = [];
    const session: ToolSession = {
      toolServers: [],
      ended: false,
      serving: (isActive) => active.push(isActive),
    };
    resolved.attach(session);
    closing.push(async () => resolved.close());
    const [server] = resolved.servers;
    if (server?.type !== "http") throw new Error("not over HTTP");
    const headers = Object.entries(server.headers ?? {}).map(([name, value]) => ({ name, value }));
    await call({ ...server, headers }, "fail");
    expect(active).toEqual([true, false]);
  });

  it("closes if its session has ended meanwhile", async () => {
    const host = { capabilities: { mcpCapabilities: { http: true } }, unstable: false };
    const resolved = await openToolServers([shop()], host);
    resolved.attach({ toolServers: [], ended: true, serving: () => {} });
    const [server] = resolved.servers;
    await expect(fetch(server?.type === "http" ? server.url : "")).rejects.toThrow();
  });
});

/** Calls a tool over HTTP, as an agent does. */
async function call(server: Params, name: string, args: object = {}): Promise<unknown> {
  const headers = (server["headers"] as { name: string; value: string }[]).map(
    (header) => [header.name, header.value] as [string, string],
  );
  const response = await fetch(String(server["url"]), {
    method: "POST",
    headers: [...headers, ["content-type", "application/json"]],
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return response.json();
}

describe("an agent on the toolkit", () => {
  /** Calls the tool that the prompt names, and says what came back. */
  const definition: AgentDefinition<object> = {
    info: { name: "caller", version: "1.0.0" },
    unstable: true,
    mcpCapabilities: { acp: true },
    newSession: () => ({}),
    prompt: async (turn) => {
      const tools = turn.session.mcp("shop");
      const [block] = turn.prompt;
      const name = block?.type === "text" ? block.text : "";
      const heard: string[] = [];
      const listed = await tools.request("tools/list");
      const count =
        isJsonObject(listed) && Array.isArray(listed["tools"]) ? listed["tools"].length : 0;
      const result = await tools.request(
        "tools/call",
        { name, arguments: { name: "heron" }, _meta: { progressToken: 1 } },
        { signal: turn.signal, onNotification: (method) => heard.push(method) },
      );
      await turn.say(JSON.stringify({ count, heard, result }));
    },
  };

  async function start(waiting?: WaitingTool): Promise<Session> {
    const [ours, theirs] = memoryPair();
    void serveAgent(theirs, definition);
    const client = await AcpClient.start({ channel: ours, unstable: true });
    closing.push(() => client.close());
    return client.newSession({ cwd: process.cwd(), mcpServers: [shop({}, waiting)] });
  }

  it("calls a tool of the client's process over the connection itself", async () => {
    const session = await start();
    const answer: unknown = JSON.parse(await session.prompt("greet").text());
    expect(answer).toMatchObject({
      count: 3,
      heard: ["notifications/progress"],
      result: { resultType: "complete", structuredContent: { greeting: "hello heron" } },
    });
  });

  it("aborts the tool when its turn is cancelled", async () => {
    const waiting = waitingTool();
    const session = await start(waiting);
    const turn = session.prompt("wait");
    await waiting.started;
    await turn.cancel();
    await waiting.aborted;
    expect((await turn.result).stopReason).toBe("cancelled");
  });
});
