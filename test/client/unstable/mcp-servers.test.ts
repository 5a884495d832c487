import { describe, expect, it } from "vitest";
import { type AcpClient, RpcError } from "../../../src/entries/dragoman.ts";
import type { InProcessMcpServer, McpTransport } from "../../../src/client/index.ts";
import { McpServers } from "../../../src/client/unstable/mcp.ts";
import { connect, cwd, deferred, type Params } from "../fake-agent.ts";
import { unstableAgent } from "./fixtures.ts";

/** Opens a session with a server and returns the agent's way to call it. */
async function withServer(server: InProcessMcpServer) {
  const agent = unstableAgent();
  const client = await connect(agent, { unstable: true });
  const session = await client.newSession({ cwd, mcpServers: [server] });
  const opened = agent.paramsOf("session/new")[0] as { mcpServers: [Params] };
  const [declared] = opened.mcpServers;
  const call = (method: string, params?: Params, requestId = "r1", signal?: AbortSignal) =>
    agent.peer.call(
      "mcp/message",
      { serverId: declared["serverId"], requestId, method, ...(params && { params }) },
      { signal },
    );
  return { agent, client, session, declared, call };
}

describe("an MCP server that is a function", () => {
  it("is declared with an id of its own and answers requests", async () => {
    const { declared, call } = await withServer({
      type: "acp",
      name: "echo",
      handle: ({ method, params, requestId }) => ({ method, params, requestId }),
    });
    expect(declared).toEqual({ type: "acp", name: "echo", serverId: expect.any(String) as string });
    expect(await call("tools/call", { name: "x" }, "r7")).toEqual({
      result: { method: "tools/call", params: { name: "x" }, requestId: "r7" },
    });
    expect(await call("ping")).toEqual({ result: { method: "ping", requestId: "r1" } });
  });

  it("sends notifications for its request until it has answered", async () => {
    let late: (() => Promise<void>) | undefined;
    const { agent, declared, call } = await withServer({
      type: "acp",
      name: "slow",
      handle: async ({ notify }) => {
        await notify("notifications/progress", { progress: 1 });
        late = () => notify("notifications/progress", { progress: 2 });
        return null;
      },
    });
    expect(await call("tools/call")).toEqual({ result: null });
    await late?.();
    await agent.delivered();
    expect(agent.paramsOf("mcp/message")).toEqual([
      {
        serverId: declared["serverId"],
        requestId: "r1",
        method: "notifications/progress",
        params: { progress: 1 },
      },
    ]);
  });

  it("answers with an MCP error that it throws, and fails with any other error", async () => {
    const { call } = await withServer({
      type: "acp",
      name: "failing",
      handle: ({ method }) => {
        if (method === "tools/call") throw new RpcError(-32602, "no such tool", { name: "x" });
        throw new Error("broken");
      },
    });
    expect(await call("tools/call")).toEqual({
      error: { code: -32602, message: "no such tool", data: { name: "x" } },
    });
    await expect(call("ping")).rejects.toMatchObject({ rpcCode: -33002, details: "broken" });
  });

  it("is told when the agent cancels its request", async () => {
    const started = deferred<AbortSignal>();
    const { call } = await withServer({
      type: "acp",
      name: "waiting",
      handle: ({ signal }) => {
        started.resolve(signal);
        return new Promise(() => {});
      },
    });
    const controller = new AbortController();
    const calling = call("tools/call", {}, "r1", controller.signal);
    const signal = await started.promise;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    controller.abort();
    await expect(calling).rejects.toThrow();
    await aborted;
  });

  it("denies a request id in use, and requests beyond its limit", async () => {
    const release = deferred();
    const { call } = await withServer({
      type: "acp",
      name: "busy",
      handle: () => release.promise,
    });
    const open = Array.from({ length: 64 }, (_, n) => call("ping", {}, `r${n}`));
    await expect(call("ping", {}, "r0")).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(call("ping", {}, "one too many")).rejects.toMatchObject({ rpcCode: -33000 });
    release.resolve();
    expect(await Promise.all(open)).toHaveLength(64);
  });

  it("ends with its session", async () => {
    const started = deferred<AbortSignal>();
    const { session, call } = await withServer({
      type: "acp",
      name: "waiting",
      handle: async ({ signal }) => {
        started.resolve(signal);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw new Error("closed");
      },
    });
    const calling = call("ping");
    await started.promise;
    await session.close();
    await expect(calling).rejects.toMatchObject({ rpcCode: -33002 });
    await expect(call("ping", {}, "r2")).rejects.toMatchObject({ rpcCode: -33001 });
  });
});

/** A server with the transport of the MCP SDK: it answers what the test tells it to. */
function transportServer() {
  let transport: McpTransport | undefined;
  const messages: object[] = [];
  const arrived: (() => void)[] = [];
  let closed = false;
  const server: InProcessMcpServer = {
    type: "acp",
    name: "sdk",
    connect: async (given) => {
      transport = given;
      const previous = given.onmessage;
      Object.assign(given, {
        onmessage: (message: object) => {
          // The MCP SDK 1.32.2 calls the handler that it replaces, too.
          previous(message);
          messages.push(message);
          arrived.shift()?.();
        },
        onclose: () => {
          closed = true;
        },
      });
      await given.start();
    },
  };
  return {
    server,
    messages,
    get closed() {
      return closed;
    },
    get transport(): McpTransport {
      if (!transport) throw new Error("the server is not connected");
      return transport;
    },
    next: () => new Promise<void>((resolve) => arrived.push(resolve)),
  };
}

describe("an MCP server with a transport", () => {
  it("gets requests as messages and answers by their ids, in any order", async () => {
    const mcp = transportServer();
    const { client, call } = await withServer(mcp.server);
    const first = call("tools/list", undefined, "a");
    const second = call("tools/call", { name: "x" }, "b");
    while (mcp.messages.length < 2) await mcp.next();
    expect(mcp.messages).toEqual([
      { jsonrpc: "2.0", id: "a", method: "tools/list" },
      { jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "x" } },
    ]);
    await mcp.transport.send({ jsonrpc: "2.0", id: "b", result: { content: [] } });
    await mcp.transport.send({ jsonrpc: "2.0", id: "a", error: { code: 1, message: "no" } });
    expect(await second).toEqual({ result: { content: [] } });
    expect(await first).toEqual({ error: { code: 1, message: "no" } });
    await client.close();
    expect(mcp.closed).toBe(true);
    await expect(mcp.transport.send({ jsonrpc: "2.0", id: "a", result: {} })).rejects.toThrow();
  });

  it.each<[string, (mcp: ReturnType<typeof transportServer>) => Promise<void>]>([
    [
      "the related request",
      ({ transport }) => transport.send({ method: "notifications/x" }, { relatedRequestId: "b" }),
    ],
    [
      "the request with the progress token",
      ({ transport }) =>
        transport.send({ method: "notifications/x", params: { progressToken: "token" } }),
    ],
  ])("sends a notification for %s", async (_, send) => {
    const mcp = transportServer();
    const { agent, call } = await withServer(mcp.server);
    const calls = [
      call("tools/call", {}, "a"),
      call("tools/call", { _meta: { progressToken: "token" } }, "b"),
    ];
    while (mcp.messages.length < 2) await mcp.next();
    await send(mcp);
    // This one belongs to no request, so it is dropped.
    await mcp.transport.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    for (const id of ["a", "b"]) await mcp.transport.send({ jsonrpc: "2.0", id, result: {} });
    await Promise.all(calls);
    expect(agent.paramsOf("mcp/message")).toMatchObject([
      { requestId: "b", method: "notifications/x" },
    ]);
  });

  it("answers a request of the server with -32601, because the protocol cannot carry it", async () => {
    const mcp = transportServer();
    await withServer(mcp.server);
    const arrival = mcp.next();
    await mcp.transport.send({ jsonrpc: "2.0", id: 9, method: "sampling/createMessage" });
    await arrival;
    expect(mcp.messages).toMatchObject([{ id: 9, error: { code: -32601 } }]);
  });

  it("is told of a cancelled request in the words of MCP", async () => {
    const mcp = transportServer();
    const { call } = await withServer(mcp.server);
    const controller = new AbortController();
    const calling = call("tools/call", {}, "a", controller.signal);
    await mcp.next();
    const arrival = mcp.next();
    controller.abort();
    await expect(calling).rejects.toThrow();
    await arrival;
    expect(mcp.messages[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: "a" },
    });
  });

  it("fails the opening of the session if it does not connect, and leaves nothing behind", async () => {
    const agent = unstableAgent();
    await using client: AcpClient = await connect(agent, { unstable: true });
    let other: McpTransport | undefined;
    let closed = 0;
    const opening = client.newSession({
      cwd,
      mcpServers: [
        { type: "acp", name: "bad", connect: () => Promise.reject(new Error("no port")) },
        {
          type: "acp",
          name: "good",
          connect: (transport) => {
            other = transport;
            Object.assign(transport, { onclose: () => closed++ });
          },
        },
      ],
    });
    await expect(opening).rejects.toThrow("no port");
    expect(agent.paramsOf("session/new")).toEqual([]);
    expect(other).toBeDefined();
    expect(closed).toBe(1);
  });

  it("that never sets onmessage fails its requests", async () => {
    const { call } = await withServer({ type: "acp", name: "mute", connect: () => {} });
    await expect(call("ping")).rejects.toMatchObject({ rpcCode: -33002 });
  });
});

it("the agent waits for its session while a server answers, so the turn is not idle", async () => {
  const connection = { logger: undefined, notify: () => Promise.resolve() };
  const servers = new McpServers(connection);
  const log: string[] = [];
  const server = servers.declare({ type: "acp", name: "m", handle: () => log.push("served") });
  server.session = { id: "s", serving: (active) => log.push(active ? "waits" : "goes on") };
  const context = { id: 1, bytes: 0, signal: new AbortController().signal };
  await servers.request({ serverId: server.id, requestId: "r", method: "ping" }, context);
  expect(log).toEqual(["waits", "served", "goes on"]);
});
