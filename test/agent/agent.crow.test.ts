/**
 * The conversation from the description of crow's dialect, with a real agent at one end: once with
 * the exact messages of crow's client, and once with our own client speaking crow.
 */
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { memoryPair, serveAgent, type AgentDefinition } from "../../src/entries/agent.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import type { Channel } from "../../src/entries/wire.ts";
import { isJson, type Json } from "./harness.ts";

const cwd = tmpdir();
const SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** The server from the description. */
const crowServer: AgentDefinition<object> = {
  info: { name: "crow-acp-server", title: "Crow ACP Server", version: "0.1.0" },
  promptCapabilities: { image: true, embeddedContext: true },
  newSession: () => ({}),
  sessionId: () => SESSION,
  async *loadSession() {
    yield { sessionUpdate: "user_message_chunk", content: { type: "text", text: "Hello" } };
    yield { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Hi" } };
    return {};
  },
  async prompt(turn) {
    if (turn.text === "wait") {
      await turn.say("waiting");
      await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
      return "end_turn";
    }
    if (turn.text === "fail") throw new Error("it broke");
    if (turn.text === "ask") {
      const call = await turn.toolCall({
        title: "terminal",
        kind: "execute",
        toolCallId: "uuid",
        rawInput: "ls -la",
      });
      const answer = await call.askPermission({
        options: [
          { optionId: "approve", name: "Approve", kind: "allow_once", _meta: { is_primary: true } },
          { optionId: "reject", name: "Reject", kind: "reject_once" },
        ],
      });
      await turn.say(answer.allowed ? "approved" : "rejected");
      return "end_turn";
    }
    await turn.think("Let me think about this...");
    await turn.say("I'm doing well, thank you!");
    const call = await turn.toolCall({ title: "terminal", kind: "execute", toolCallId: "uuid" });
    await call.complete();
    await turn.plan([
      { content: "Analyze the request", priority: "high", status: "completed" },
      { content: "Execute tool: terminal", priority: "medium", status: "in_progress" },
    ]);
    return "end_turn";
  },
};

/** A client that only sends and receives lines. */
class RawClient {
  readonly #channel: Channel;
  readonly #lines: Json[] = [];
  #wake: () => void = () => {};

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.open((line) => {
      const frame: unknown = JSON.parse(line);
      if (isJson(frame)) this.#lines.push(frame);
      this.#wake();
    });
  }

  send(frame: object): void {
    void this.#channel.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
  }

  /** Waits for the next `count` frames. */
  async next(count: number): Promise<Json[]> {
    while (this.#lines.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.splice(0, count);
  }
}

const rpc = { jsonrpc: "2.0" };
const update = (fields: object) => ({
  ...rpc,
  method: "session/update",
  params: { sessionId: SESSION, update: fields },
});

async function crowClient(): Promise<RawClient> {
  const [ours, theirs] = memoryPair();
  void serveAgent(theirs, crowServer);
  const client = new RawClient(ours);
  client.send({
    id: 1,
    method: "initialize",
    params: {
      protocol_version: 1,
      client_capabilities: {},
      client_info: { name: "crow-ide", version: "0.1.0" },
    },
  });
  expect(await client.next(1)).toEqual([
    {
      ...rpc,
      id: 1,
      result: {
        protocol_version: 1,
        agent_capabilities: {
          prompt_capabilities: { text: true, image: true, resource: true },
          mcp_capabilities: { http: false, sse: false },
          load_session: true,
        },
        agent_info: { name: "crow-acp-server", title: "Crow ACP Server", version: "0.1.0" },
      },
    },
  ]);
  client.send({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
  expect(await client.next(1)).toEqual([{ ...rpc, id: 2, result: { sessionId: SESSION } }]);
  return client;
}

const prompt = (id: number, text: string) => ({
  id,
  method: "session/prompt",
  params: { session_id: SESSION, prompt: [{ type: "text", text }] },
});

describe("to crow's client, the agent sends", () => {
  it("every message of a turn", async () => {
    const client = await crowClient();
    client.send(prompt(3, "Hello, how are you?"));
    expect(await client.next(6)).toEqual([
      update({ "@type": "agent_thought_text", text: "Let me think about this..." }),
      update({ "@type": "agent_message_text", text: "I'm doing well, thank you!" }),
      update({
        "@type": "tool_call_start",
        tool_call_id: "uuid",
        title: "terminal",
        kind: "execute",
        status: "in_progress",
      }),
      update({ "@type": "tool_call_update", tool_call_id: "uuid", status: "completed" }),
      update({
        "@type": "plan_update",
        entries: [
          { content: "Analyze the request", priority: "high", status: "completed" },
          { content: "Execute tool: terminal", priority: "medium", status: "in_progress" },
        ],
      }),
      { ...rpc, id: 3, result: { stop_reason: "end_turn" } },
    ]);
  });

  it("the replay of a session, before the answer", async () => {
    const client = await crowClient();
    client.send({ id: 4, method: "session/load", params: { session_id: SESSION, cwd } });
    expect(await client.next(3)).toEqual([
      update({ "@type": "user_message_text", text: "Hello" }),
      update({ "@type": "agent_message_text", text: "Hi" }),
      { ...rpc, id: 4, result: {} },
    ]);
  });

  it("the stop reason cancelled for a turn that crow's cancel request ended", async () => {
    const client = await crowClient();
    client.send(prompt(3, "wait"));
    expect(await client.next(1)).toEqual([
      update({ "@type": "agent_message_text", text: "waiting" }),
    ]);
    client.send({ id: 5, method: "cancel", params: { session_id: SESSION } });
    const answers = await client.next(2);
    expect(answers).toContainEqual({ ...rpc, id: 5, result: {} });
    expect(answers).toContainEqual({ ...rpc, id: 3, result: { stop_reason: "cancelled" } });
  });

  it("a failure as a stop reason, and invalid params as an error with every fault", async () => {
    const client = await crowClient();
    client.send(prompt(3, "fail"));
    expect(await client.next(1)).toEqual([{ ...rpc, id: 3, result: { stop_reason: "error" } }]);
    client.send({ id: 4, method: "session/prompt", params: { session_id: SESSION } });
    expect(await client.next(1)).toMatchObject([
      {
        id: 4,
        error: { code: -32602, data: { errors: [{ path: "prompt" }] } },
      },
    ]);
  });

  it.each([
    ["approve", "approved", "completed"],
    ["reject", "rejected", "failed"],
  ])("a permission request as an update, and accepts the answer %s", async (option, reply, end) => {
    const client = await crowClient();
    client.send(prompt(3, "ask"));
    const [, , question] = await client.next(3);
    expect(question).toEqual(
      update({
        "@type": "permission_request",
        tool_call_id: "uuid",
        title: "terminal",
        arguments: "ls -la",
        permission_options: [
          { id: "approve", title: "Approve", is_primary: true },
          { id: "reject", title: "Reject" },
        ],
      }),
    );
    client.send({
      method: "permission_response",
      params: { session_id: SESSION, tool_call_id: "uuid", option_id: option },
    });
    expect(await client.next(3)).toEqual([
      update({ "@type": "agent_message_text", text: reply }),
      // The author left the call open.
      update({ "@type": "tool_call_update", tool_call_id: "uuid", status: end }),
      { ...rpc, id: 3, result: { stop_reason: "end_turn" } },
    ]);
  });
});

describe("our own client speaking crow", () => {
  it("has the same conversation", async () => {
    const [ours, theirs] = memoryPair();
    const served = serveAgent(theirs, crowServer);
    const wire: string[] = [];
    const client = await AcpClient.start({
      channel: ours,
      dialect: "crow",
      permissions: "all",
      tap: ({ line }) => void wire.push(line),
    });
    const session = await client.newSession({ cwd });
    expect(session.id).toBe(SESSION);
    const first = session.prompt("Hello, how are you?");
    expect(await first.text()).toBe("I'm doing well, thank you!");
    expect((await first.result).stopReason).toBe("end_turn");
    expect(await session.prompt("ask").text()).toBe("approved");
    expect(wire.some((line) => line.includes('"protocol_version":1'))).toBe(true);
    expect(wire.some((line) => line.includes('"@type":"permission_request"'))).toBe(true);
    await client.close();
    await served;
  });
});
