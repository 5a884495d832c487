import { describe, expect, it } from "vitest";
import { ToolCalls, answerRequest, type ServedTools } from "../../src/tools/mcp.ts";
import { deferred, type JsonObject } from "../../src/base/index.ts";
import { fail, greet, waitingTool } from "./fixtures.ts";

const info = { name: "shop", version: "2.0.0" };

function serverOf(tools = [greet, fail], limit = 64) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const served: ServedTools = { info, instructions: "Be kind.", tools: byName };
  const active: boolean[] = [];
  const calls = new ToolCalls(limit, (isActive) => active.push(isActive));
  const notified: unknown[] = [];
  const ask = (
    method: string,
    params?: JsonObject,
    signal: AbortSignal = new AbortController().signal,
    notify = async (name: string, more?: JsonObject): Promise<void> => {
      notified.push([name, more]);
    },
  ): Promise<JsonObject> => answerRequest(served, calls, { method, params, signal, notify });
  return { ask, calls, active, notified };
}

const stateless = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

describe("the first request", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["2099-01-01", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("with the revision %s is answered with %s", async (protocolVersion, answered) => {
    expect(await serverOf().ask("initialize", { protocolVersion })).toEqual({
      protocolVersion: answered,
      capabilities: { tools: {} },
      serverInfo: info,
      instructions: "Be kind.",
    });
  });

  it("may be a discovery, in the revision without initialize", async () => {
    expect(await serverOf().ask("server/discover", { _meta: stateless })).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      instructions: "Be kind.",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    });
  });

  it("is refused if it names an unknown revision", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    await expect(serverOf().ask("tools/list", { _meta })).rejects.toMatchObject({
      rpcCode: -32022,
      data: { supported: ["2026-07-28"], requested: "2099-01-01" },
    });
  });
});

describe("a server of tools", () => {
  it("lists them", async () => {
    expect(await serverOf().ask("tools/list")).toEqual({
      tools: [
        {
          name: "greet",
          title: "Greet",
          description: "Greets someone",
          inputSchema: greet.inputSchema,
          annotations: { readOnlyHint: true },
        },
        { name: "fail", description: "Fails", inputSchema: { type: "object" } },
      ],
    });
  });

  it("calls one, and reports its progress if the request has a token for it", async () => {
    const { ask, notified, active } = serverOf();
    const params = { name: "greet", arguments: { name: "heron" } };
    const result = {
      content: [{ type: "text", text: '{"greeting":"hello heron"}' }],
      structuredContent: { greeting: "hello heron" },
    };
    expect(await ask("tools/call", params)).toEqual(result);
    expect(notified).toEqual([]);
    const _meta = { ...stateless, progressToken: 7 };
    expect(await ask("tools/call", { ...params, _meta })).toMatchObject({
      resultType: "complete",
      ...result,
    });
    expect(notified).toEqual([
      ["notifications/progress", { progressToken: 7, progress: 1, total: 1, message: "greeting" }],
    ]);
    expect(active).toEqual([true, false, true, false]);
  });

  it("answers with the error of a tool", async () => {
    expect(await serverOf().ask("tools/call", { name: "fail" })).toEqual({
      content: [{ type: "text", text: "out of stock" }],
      isError: true,
    });
  });

  it.each([
    ["resources/list", undefined, -32601],
    ["tools/call", { name: "gone" }, -32602],
    ["tools/call", {}, -32602],
  ])("refuses %s %o", async (method, params, code) => {
    await expect(serverOf().ask(method, params)).rejects.toMatchObject({ rpcCode: code });
  });

  it("answers a ping", async () => {
    expect(await serverOf().ask("ping")).toEqual({});
  });

  it("runs a limited number of calls, and aborts them when the turn is cancelled", async () => {
    const { tool, started, aborted } = waitingTool();
    const { ask, calls } = serverOf([tool], 1);
    const calling = ask("tools/call", { name: "wait" });
    await started;
    await expect(ask("tools/call", { name: "wait" })).rejects.toThrow("Too many tool calls");
    calls.cancel(new Error("the turn was cancelled"));
    expect(await calling).toMatchObject({ isError: true });
    expect((await aborted).message).toBe("the turn was cancelled");
  });

  it("holds the result of an aborted call back until the turn has ended", async () => {
    const { tool, started, aborted } = waitingTool();
    const { ask, calls } = serverOf([tool]);
    const order: string[] = [];
    const calling = ask("tools/call", { name: "wait" }).then(() => order.push("answered"));
    await started;
    const turn = deferred();
    calls.cancel(new Error("the turn was cancelled"), turn.promise);
    await aborted;
    await new Promise(setImmediate);
    order.push("turn ended");
    turn.resolve();
    await calling;
    expect(order).toEqual(["turn ended", "answered"]);
  });

  it("does not hold it back if the agent cancels the call as well", async () => {
    const { tool, started } = waitingTool();
    const { ask, calls } = serverOf([tool]);
    const controller = new AbortController();
    const calling = ask("tools/call", { name: "wait" }, controller.signal);
    await started;
    calls.cancel(new Error("the turn was cancelled"), new Promise(() => {}));
    controller.abort();
    expect(await calling).toMatchObject({ isError: true });
  });

  it("keeps only the latest progress while the client cannot take more", async () => {
    const { ask } = serverOf([
      {
        ...greet,
        call: async (_args, { onProgress } = {}) => {
          for (let n = 1; n <= 1000; n++) onProgress?.(n);
          release();
          await taken;
          return { content: [] };
        },
      },
    ]);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sent: unknown[] = [];
    let take = (): void => {};
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const notify = async (_method: string, params?: JsonObject): Promise<void> => {
      sent.push(params?.["progress"]);
      await held;
      if (sent.length === 2) take();
    };
    const { signal } = new AbortController();
    await ask("tools/call", { name: "greet", _meta: { progressToken: 1 } }, signal, notify);
    expect(sent).toEqual([1, 1000]);
  });
});
