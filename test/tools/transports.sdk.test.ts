// The official MCP client on the other side.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { defineTool, type Tool, toolServer } from "../../src/entries/tools.ts";
import type { OpenToolServer } from "../../src/tools/index.ts";
import type { ToolEndpoint } from "../../src/tools/index.ts";
import { deferred } from "../../src/base/index.ts";
import { type BuiltBin, buildBin } from "../apps/cli/support/bin.ts";
import { fail, greet, waitingTool } from "./fixtures.ts";

let bin: BuiltBin;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  bin = await buildBin();
});
afterAll(() => bin.remove());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function transportTo(endpoint: ToolEndpoint) {
  switch (endpoint.type) {
    case "http": {
      const requestInit = { headers: { ...endpoint.headers } };
      return new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit });
    }
    case "stdio": {
      const { command, args, env } = endpoint;
      return new StdioClientTransport({ command, args: [...args], env: { ...env } });
    }
    case "acp":
      throw new Error("the MCP client does not speak ACP");
  }
}

const modes = [
  ["http", "legacy", "2025-11-25"],
  ["http", "auto", "2026-07-28"],
  ["stdio", "legacy", "2025-11-25"],
  ["stdio", "auto", "2026-07-28"],
] as const;

describe.each(modes)("over %s, an MCP client in %s mode", (transport, mode, revision) => {
  async function connect(
    waiting = waitingTool(),
    ...more: readonly Tool[]
  ): Promise<{
    client: Client;
    open: OpenToolServer;
  }> {
    const server = toolServer({
      name: "shop",
      tools: [greet, fail, waiting.tool, ...more],
      bridge: { command: process.execPath, args: [bin.file, "tool-bridge"] },
    });
    const open = await server.open(transport);
    cleanups.push(() => open.close());
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    cleanups.push(() => client.close());
    await client.connect(transportTo(open.endpoint));
    return { client, open };
  }

  it("negotiates the revision, lists the tools and calls them", async () => {
    const { client } = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: "shop", version: "1.0.0" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["greet", "fail", "wait"]);
    const greeted = await client.callTool({ name: "greet", arguments: { name: "heron" } });
    expect(greeted).toMatchObject({ structuredContent: { greeting: "hello heron" } });
    expect(await client.callTool({ name: "fail" })).toMatchObject({ isError: true });
    expect(await client.callTool({ name: "greet", arguments: {} })).toMatchObject({
      isError: true,
      content: [
        { type: "text", text: "Invalid arguments for greet:\nmust have required property 'name'" },
      ],
    });
    await expect(client.callTool({ name: "gone" })).rejects.toThrow("Unknown tool: gone");
  });

  it("gets the progress of a call while it runs", async () => {
    const seen = deferred<unknown>();
    const count = defineTool({
      name: "count",
      description: "Counts",
      input: { type: "object" },
      run: async (_args, { progress }) => {
        progress(1, 2, "half");
        await seen.promise;
        return "done";
      },
    });
    const { client } = await connect(waitingTool(), count);
    await client.callTool({ name: "count" }, { onprogress: (report) => seen.resolve(report) });
    expect(await seen.promise).toEqual({ progress: 1, total: 2, message: "half" });
  });

  it("cancels a call, which aborts the tool", async () => {
    const waiting = waitingTool();
    const { client } = await connect(waiting);
    const controller = new AbortController();
    const calling = client.callTool({ name: "wait" }, { signal: controller.signal });
    await waiting.started;
    controller.abort();
    await expect(calling).rejects.toThrow();
    await waiting.aborted;
    // The connection is still good.
    expect(await client.callTool({ name: "fail" })).toMatchObject({ isError: true });
  });

  it("gets an error as the result when the turn is cancelled", async () => {
    const waiting = waitingTool();
    const { client, open } = await connect(waiting);
    const calling = client.callTool({ name: "wait" });
    await waiting.started;
    open.cancelCalls();
    expect(await calling).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "the turn was cancelled" }],
    });
  });

  it("loses its call when the server closes", async () => {
    const waiting = waitingTool();
    const { client, open } = await connect(waiting);
    const calling = client.callTool({ name: "wait" });
    calling.catch(() => {});
    await waiting.started;
    await open.close();
    await waiting.aborted;
    await client.close();
    await expect(calling).rejects.toThrow();
  });
});
