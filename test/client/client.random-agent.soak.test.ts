// A v2 agent that does anything, in any order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AcpClient,
  memoryPair,
  type PromptTurn,
  type Session,
} from "../../src/entries/dragoman.ts";
import { isJsonObject, type JsonObject } from "../../src/base/index.ts";
import { seed, times } from "../support/soak.ts";

const stopReasons = ["end_turn", "cancelled", "error", "_odd", undefined, null, 5];
const which = fc.nat({ max: 3 });
const userId = which.map((n) => `u${n}`);

const update = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      sessionUpdate: fc.constant("state_update"),
      state: fc.constantFrom("running", "idle", "requires_action", "_odd", 7),
      stopReason: fc.constantFrom(...stopReasons),
      error: fc.constantFrom(undefined, null, {}, { code: -32603, message: "No" }),
      background: fc.constantFrom(undefined, null, [], [{ type: "_odd" }, 3]),
    }),
  },
  fc.record({
    sessionUpdate: fc.constantFrom("user_message", "agent_message", "agent_thought"),
    messageId: fc.oneof(userId, fc.constantFrom(undefined, 3)),
    content: fc.constantFrom(undefined, null, [], [{ type: "text", text: "x" }], [4], "x"),
  }),
  fc.record({
    sessionUpdate: fc.constantFrom("user_message_chunk", "agent_message_chunk"),
    messageId: userId,
    content: fc.constantFrom({ type: "text", text: "x" }, { type: "_odd" }, null),
  }),
  fc.record({
    sessionUpdate: fc.constantFrom("tool_call_update", "tool_call_content_chunk", "tool_call"),
    toolCallId: fc.constantFrom("t", undefined, 3),
    status: fc.constantFrom("in_progress", "completed", "cancelled", "_odd", null, undefined),
    content: fc.constantFrom(
      null,
      [],
      { type: "content", content: { type: "text", text: "x" } },
      [{ type: "terminal", terminalId: "x" }, { type: "diff", changes: 3 }, 4],
      [{ type: "diff", changes: [{}], patch: { format: "git_patch", text: "@@\n-" } }],
    ),
  }),
  fc.record({
    sessionUpdate: fc.constantFrom("terminal_update", "terminal_output_chunk"),
    terminalId: fc.constantFrom("x", undefined),
    data: fc.constantFrom("4pyT", "4p", "!", undefined, 3),
    output: fc.constantFrom(undefined, null, {}, { data: "aGk=" }),
    exitStatus: fc.constantFrom(undefined, null, {}, { exitCode: 1 }),
  }),
  fc.record({
    sessionUpdate: fc.constantFrom("plan_update", "config_option_update", "usage_update", "_odd"),
    plan: fc.constantFrom(undefined, {}, { type: "items", planId: "p", entries: [{}, 3] }),
    configOptions: fc.constantFrom(undefined, [], [{ configId: "mode", category: "mode" }, 3]),
  }),
);

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("update" as const), update }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("prompt" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("accept" as const), which, userId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refuse" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("answer oddly" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("ask" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel all" as const) }) },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface OpenRequest {
  readonly id: unknown;
  readonly method: unknown;
}

/** The other end of the client's channel. It answers nothing by itself, except the setup. */
class RandomAgent {
  readonly prompts: OpenRequest[] = [];
  readonly #ours;
  readonly channel;
  #asked = 0;
  #received: () => void = () => {};

  constructor() {
    [this.#ours, this.channel] = memoryPair();
    this.#ours.open((line) => this.#receive(line));
  }

  send(frame: JsonObject): Promise<void> {
    return this.#ours.send(JSON.stringify({ jsonrpc: "2.0", ...frame }));
  }

  update(given: JsonObject): Promise<void> {
    const params = { sessionId: "s", update: given };
    return this.send({ method: "session/update", params });
  }

  ask(): Promise<void> {
    const options = [{ optionId: "y", name: "Yes", kind: "_odd" }];
    const params = { sessionId: "s", title: "May I?", options };
    return this.send({ id: `q${++this.#asked}`, method: "session/request_permission", params });
  }

  /** Resolves when the client has received everything so far. */
  async delivered(): Promise<void> {
    const received = new Promise<void>((resolve) => {
      this.#received = resolve;
    });
    await this.send({ id: "ping", method: "_ping" });
    await received;
  }

  close(): Promise<unknown> {
    return this.#ours.close();
  }

  #receive(line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isJsonObject(frame)) return;
    const { id, method } = frame;
    if (method === undefined && id === "ping") return this.#received();
    if (method === "initialize") {
      const capabilities = { session: {} };
      const result = { protocolVersion: 2, info: { name: "r", version: "1" }, capabilities };
      void this.send({ id, result });
    }
    if (method === "session/new") void this.send({ id, result: { sessionId: "s" } });
    if (method === "session/close") void this.send({ id, result: {} });
    if (method === "session/prompt") this.prompts.push({ id, method });
  }
}

async function act(
  one: Action,
  agent: RandomAgent,
  session: Session,
  turns: PromptTurn[],
): Promise<void> {
  switch (one.do) {
    case "update":
      return agent.update(one.update);
    case "prompt":
      turns.push(session.prompt("go", { whenBusy: "send" }));
      return;
    case "accept": {
      const [prompt] = agent.prompts.splice(one.which, 1);
      return prompt && agent.send({ id: prompt.id, result: { messageId: one.userId } });
    }
    case "refuse": {
      const [prompt] = agent.prompts.splice(one.which, 1);
      return prompt && agent.send({ id: prompt.id, error: { code: -32800, message: "No" } });
    }
    case "answer oddly": {
      const [prompt] = agent.prompts.splice(one.which, 1);
      return prompt && agent.send({ id: prompt.id, result: {} });
    }
    case "ask":
      return agent.ask();
    case "cancel":
      void turns[one.which]?.cancel();
      return;
    case "cancel all":
      void session.cancel();
  }
}

/** Ends all work properly: every prompt is shown and answered, and the agent becomes idle. */
async function finish(agent: RandomAgent): Promise<void> {
  await agent.delivered();
  for (const [index, { id }] of agent.prompts.splice(0).entries()) {
    const messageId = `last ${index}`;
    await agent.update({ sessionUpdate: "user_message", messageId, content: [] });
    await agent.send({ id, result: { messageId } });
  }
  await agent.update({ sessionUpdate: "state_update", state: "running" });
  await agent.update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

describe("a v2 agent that does anything", () => {
  it.each(["becomes idle", "dies"])(
    "leaves no turn open, ends none twice and throws nothing, if it %s at last",
    async (ending) => {
      const property = fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const agent = new RandomAgent();
        const { channel } = agent;
        const client = await AcpClient.start({ channel, protocol: 2, permissions: "all" });
        const session = await client.newSession({ cwd: "/" });
        const events: string[] = [];
        const listening = (async () => {
          for await (const { type } of session.updates()) events.push(type);
        })().catch(() => {});
        const turns: PromptTurn[] = [];
        for (const one of actions) {
          await act(one, agent, session, turns);
          await agent.delivered();
        }
        if (ending === "dies") await agent.close();
        else await finish(agent);
        await Promise.allSettled(turns.map((turn) => turn.result));
        if (ending !== "dies") expect(session.turnState).toBe("idle");
        await client.close();
        await listening;
        const count = (type: string): number => events.filter((event) => event === type).length;
        expect(count("turn_ended")).toBeLessThanOrEqual(count("turn_started"));
        expect(count("turn_started")).toBeLessThanOrEqual(turns.length);
      });
      await fc.assert(property, { seed, numRuns: times(100, 3000) });
    },
  );
});
