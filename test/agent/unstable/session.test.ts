import { describe, expect, it } from "vitest";
import {
  RemoteError,
  SessionClosedError,
  type Turn,
  UnsupportedByClientError,
} from "../../../src/entries/agent.ts";
import { McpError, type SubagentHandle } from "../../../src/agent/index.ts";
import { promptAgent } from "../definitions.ts";
import { type Answer, type Json, serve, type Served } from "../harness.ts";

const CAPABILITIES = { plan: {}, subagents: {} };

/** Runs one turn of an unstable agent, and returns its client. */
async function inTurn(
  work: (turn: Turn<object>) => Promise<unknown>,
  options: { capabilities?: Json; answers?: Record<string, Answer>; session?: Json } = {},
): Promise<Served & { sessionId: string; ended: unknown }> {
  const agent = promptAgent(async (turn) => void (await work(turn)), {
    unstable: true,
    mcpCapabilities: { acp: true },
    closeSession: () => {},
  });
  const served = await serve(agent, {
    version: "unstable",
    capabilities: options.capabilities ?? CAPABILITIES,
    answers: options.answers ?? {},
  });
  const sessionId = await served.client.newSession(options.session);
  return { ...served, sessionId, ended: await served.client.prompt(sessionId, "x") };
}

describe("the unstable updates", () => {
  it("are sent as the schema says", async () => {
    const { client } = await inTurn(async (turn) => {
      const entries = [{ content: "a", priority: "low", status: "pending" } as const];
      await turn.planUpdate({ type: "items", planId: "p", entries });
      await turn.planUpdate({ type: "file", planId: "p", uri: "file:///p" });
      await turn.session.planUpdate({ type: "markdown", planId: "p", content: "#" });
      await turn.planRemoved("p", { meta: { why: "done" } });
      await turn.subagentUpdate("c", { title: "T", description: undefined, state: null });
      await turn.sessionMessage("m", { senderSessionId: "a", content: null });
      await turn.sessionMessageChunk("m", "go");
    });
    expect(client.updates.map((update) => update["sessionUpdate"])).toEqual([
      "plan_update",
      "plan_update",
      "plan_update",
      "plan_removed",
      "subagent_update",
      "session_message",
      "session_message_chunk",
    ]);
    expect(client.ofKind("subagent_update")).toEqual([
      { sessionUpdate: "subagent_update", sessionId: "c", title: "T", state: null },
    ]);
    expect(client.ofKind("session_message_chunk")).toMatchObject([
      { messageId: "m", content: { type: "text", text: "go" } },
    ]);
  });

  it("need the client's capabilities", async () => {
    await inTurn(
      async (turn) => {
        const sending = [
          turn.planRemoved("p"),
          turn.subagentUpdate("c", {}),
          turn.sessionMessage("m", {}),
          turn.sessionMessageChunk("m", "x"),
          turn.session.openSubagent(),
        ];
        for (const sent of sending) await expect(sent).rejects.toThrow(UnsupportedByClientError);
      },
      { capabilities: {} },
    );
  });
});

describe("a subagent", () => {
  it("is announced before its updates, which carry its own session id", async () => {
    const seen: string[] = [];
    const agent = promptAgent(
      async (turn) => {
        const subagent = await turn.session.openSubagent({ title: "T" }, { id: "child" });
        await subagent.say("hello");
        await subagent.update({ sessionUpdate: "tool_call", toolCallId: "t", title: "t" });
        await subagent.describe({ state: { state: "idle", stopReason: "end_turn" } });
      },
      { unstable: true, sessionId: () => "parent" },
    );
    const { client } = await serve(agent, {
      version: "unstable",
      capabilities: CAPABILITIES,
      onUpdate: (update, sessionId) => seen.push(`${sessionId} ${String(update["sessionUpdate"])}`),
    });
    await client.prompt(await client.newSession(), "x");
    expect(seen).toEqual([
      "parent subagent_update",
      "child agent_message_chunk",
      "child tool_call",
      "parent subagent_update",
    ]);
  });

  it("asks for permission in its own session", async () => {
    const asked: Json[] = [];
    await inTurn(
      async (turn) => {
        const subagent = await turn.session.openSubagent();
        const answer = await subagent.askAbout({ toolCallId: "t", title: "t" });
        expect(answer.allowed).toBe(true);
        expect(asked[0]?.["sessionId"]).toBe(subagent.id);
      },
      {
        answers: {
          "session/request_permission": (params) => {
            asked.push(params);
            return { outcome: { outcome: "selected", optionId: "allow_once" } };
          },
        },
      },
    );
    expect(asked).toHaveLength(1);
  });

  it("is cancelled by the client, and can work again", async () => {
    let subagent: SubagentHandle | undefined;
    const { client } = await inTurn(async (turn) => {
      subagent = await turn.session.openSubagent({ capabilities: { cancel: {} } });
    });
    if (!subagent) throw new Error("there is a subagent");
    const { id, signal } = subagent;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    await client.cancel(id);
    await aborted;
    const answer = await subagent.askAbout({ toolCallId: "t" });
    expect(answer.outcome).toBe("cancelled");
    await subagent.describe({ state: { state: "running" } });
    expect(subagent.signal.aborted).toBe(false);
  });

  it("closes with its parent", async () => {
    let subagent: SubagentHandle | undefined;
    const { client, sessionId } = await inTurn(async (turn) => {
      subagent = await turn.session.openSubagent();
    });
    await client.call("session/close", { sessionId });
    expect(subagent?.signal.aborted).toBe(true);
    await expect(subagent?.say("x")).rejects.toThrow(SessionClosedError);
  });
});

describe("an MCP server in the client's process", () => {
  const session = { mcpServers: [{ type: "acp", name: "tools", serverId: "id-1" }] };

  it("is called with the version and the agent's name", async () => {
    const seen: Json[] = [];
    await inTurn(
      async (turn) => {
        const tools = turn.session.mcp("tools");
        expect(await tools.request("tools/list")).toEqual({ tools: [] });
        await tools.request("tools/call", { name: "x", _meta: { progressToken: 1 } });
      },
      {
        session,
        answers: {
          "mcp/message": (params) => {
            seen.push(params);
            return { result: { tools: [] } };
          },
        },
      },
    );
    expect(seen).toMatchObject([
      {
        serverId: "id-1",
        method: "tools/list",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { name: "test-agent", version: "1.0.0" },
          },
        },
      },
      { params: { name: "x", _meta: { progressToken: 1 } } },
    ]);
    expect(seen[0]?.["requestId"]).not.toBe(seen[1]?.["requestId"]);
  });

  it("passes its notifications on to the request that they belong to", async () => {
    const heard: unknown[] = [];
    const agent = promptAgent(
      async (turn) => {
        const onNotification = (method: string, params: unknown): void =>
          void heard.push([method, params]);
        await turn.session.mcp("tools").request("tools/call", {}, { onNotification });
      },
      { unstable: true, mcpCapabilities: { acp: true } },
    );
    const notify: ((params: Json) => Promise<void>)[] = [];
    const { client } = await serve(agent, {
      version: "unstable",
      answers: {
        "mcp/message": async ({ serverId, requestId }) => {
          const about = { serverId, requestId, method: "notifications/progress" };
          await notify[0]?.({ ...about, params: { progress: 1 } });
          await notify[0]?.({ ...about, requestId: "another" });
          await notify[0]?.({ nonsense: true });
          return { result: {} };
        },
      },
    });
    notify.push((params) => client.peer.notify("mcp/message", params));
    await client.prompt(await client.newSession(session), "x");
    expect(heard).toEqual([["notifications/progress", { progress: 1 }]]);
  });

  it("fails with McpError, or with RemoteError if it is gone", async () => {
    await inTurn(
      async (turn) => {
        const tools = turn.session.mcp("tools");
        await expect(tools.request("tools/call")).rejects.toThrow(McpError);
        await expect(tools.request("tools/call")).rejects.toMatchObject({
          rpcCode: -1,
          message: "no such tool",
          data: 7,
        });
        await expect(tools.request("gone")).rejects.toThrow(RemoteError);
        expect(() => turn.session.mcp("other")).toThrow(RangeError);
      },
      {
        session,
        answers: {
          "mcp/message": ({ method }) => {
            if (method === "gone") throw new Error("gone");
            return { error: { code: -1, message: "no such tool", data: 7 } };
          },
        },
      },
    );
  });
});
