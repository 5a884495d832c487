// A v1 agent and a v1 client with v2 between them: two translators back to back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyUpdate,
  createSessionState,
  readConfigOptionsResult,
  toUpdate,
  type ToolCallState,
  type Update,
} from "../../../src/protocol/acp/index.ts";
import { translator } from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { FrameChecker } from "../../support/schema.ts";
import { seed, times } from "../../support/soak.ts";
import { updateOf } from "./sides.ts";

const CLIENT_CAPABILITIES = {
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};
const AGENT_CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true },
  mcpCapabilities: { http: true },
  sessionCapabilities: { list: {}, resume: {}, close: {} },
};

/** Two translators, and everything that the two v1 sides sent and received. */
class Chain {
  readonly #nearAgent = translator({ client: 2, agent: 1 });
  readonly #nearClient = translator({ client: 1, agent: 2 });
  readonly #checkers = [new FrameChecker("agent", "v2"), new FrameChecker("client", "v2")];
  readonly #outer = [new FrameChecker("agent", "stable"), new FrameChecker("client", "stable")];
  readonly toClient: JsonObject[] = [];
  readonly toAgent: JsonObject[] = [];

  fromAgent(frame: JsonObject): void {
    for (const checker of this.#outer) checker.saw("agent", JSON.stringify(frame));
    this.#outer[0]?.faults.splice(0);
    const { toClient, toAgent } = this.#nearAgent.fromAgent(frame);
    this.#passOn(toClient, toAgent);
  }

  fromClient(frame: JsonObject): void {
    this.#outer[0]?.saw("client", JSON.stringify(frame));
    const { toAgent, toClient } = this.#nearClient.fromClient(frame);
    this.toClient.push(...toClient);
    for (const inV2 of toAgent) {
      this.#saw("client", inV2);
      const next = this.#nearAgent.fromClient(inV2);
      this.#passOn(next.toClient, next.toAgent);
    }
  }

  get faults(): readonly string[] {
    return this.#checkers.flatMap(({ faults }) => faults);
  }

  #passOn(toClient: readonly JsonObject[], toAgent: readonly JsonObject[]): void {
    this.toAgent.push(...toAgent);
    for (const inV2 of toClient) {
      this.#saw("agent", inV2);
      const next = this.#nearClient.fromAgent(inV2);
      this.toClient.push(...next.toClient);
      for (const back of next.toAgent) {
        this.#saw("client", back);
        this.toAgent.push(...this.#nearAgent.fromClient(back).toAgent);
      }
    }
  }

  #saw(from: "agent" | "client", frame: JsonObject): void {
    for (const checker of this.#checkers) checker.saw(from, JSON.stringify(frame));
  }
}

// A random conversation.

const text = fc.string({ maxLength: 12 });
const id = fc.constantFrom("a", "b", "c");
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });
/** Without the fields that are undefined. */
const sparse = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc
    .record(fields)
    .map((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
    );

const block = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("text"), text }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("image"), data: text, mimeType: text }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("resource_link"), uri: text, name: text }),
  },
);
const kind = fc.constantFrom("read", "edit", "execute", "other", "think");
const status = fc.constantFrom("pending", "in_progress", "completed", "failed");
const lines = fc.array(fc.constantFrom("x", "y", "", "z w"), { maxLength: 5 });
const fileText = fc
  .tuple(lines, fc.boolean())
  .map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));
const item = fc.oneof(
  fc.record({ type: fc.constant("content"), content: block }),
  sparse({
    type: fc.constant("diff"),
    path: fc.constantFrom("/a", "/b c", '/d"e'),
    oldText: optional(fileText),
    newText: fileText,
  }),
);
const callFields = {
  toolCallId: id,
  kind: optional(kind),
  status: optional(status),
  content: optional(fc.array(item, { maxLength: 3 })),
  locations: optional(fc.array(sparse({ path: fc.constant("/a"), line: optional(fc.nat(9)) }))),
  rawInput: optional(fc.record({ command: text })),
  rawOutput: optional(text),
};
const entry = fc.record({
  content: text,
  priority: fc.constantFrom("high", "medium", "low"),
  status: fc.constantFrom("pending", "in_progress", "completed"),
});
const command = sparse({
  name: text,
  description: text,
  input: optional(fc.record({ hint: text })),
});
const option = fc.record({
  id: fc.constant("model"),
  name: text,
  type: fc.constant("select"),
  currentValue: fc.constantFrom("s", "l"),
  options: fc.constant([
    { value: "s", name: "Small" },
    { value: "l", name: "Large" },
  ]),
});
const flag = fc.record({
  id: fc.constant("web"),
  name: text,
  type: fc.constant("boolean"),
  currentValue: fc.boolean(),
});
const options = fc.tuple(option, flag).map((both): JsonObject[] => both);
const chunkKinds = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"];

/** Updates of a kind. */
const updates = (kind: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
  sparse({ sessionUpdate: fc.constant(kind), ...fields });

const update = fc.oneof(
  {
    weight: 6,
    arbitrary: sparse({
      sessionUpdate: fc.constantFrom(...chunkKinds),
      messageId: optional(id),
      content: block,
    }),
  },
  { weight: 3, arbitrary: updates("tool_call", { title: text, ...callFields }) },
  { weight: 4, arbitrary: updates("tool_call_update", { title: optional(text), ...callFields }) },
  updates("plan", { entries: fc.array(entry, { maxLength: 3 }) }),
  updates("available_commands_update", {
    availableCommands: fc.array(command, { maxLength: 2 }),
  }),
  updates("current_mode_update", { currentModeId: fc.constantFrom("ask", "code") }),
  updates("config_option_update", { configOptions: options }),
  updates("session_info_update", { title: optional(fc.option(text)) }),
  updates("usage_update", {
    used: fc.nat(),
    size: fc.nat(),
    cost: optional(fc.record({ amount: fc.nat(), currency: fc.constant("USD") })),
  }),
  updates("notice", {
    severity: fc.constantFrom("info", "warning"),
    title: fc.string({ minLength: 1, maxLength: 12 }),
  }),
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("update" as const), update }) },
  fc.record({ do: fc.constant("ask" as const), call: sparse(callFields) }),
  fc.record({ do: fc.constant("cancel" as const) }),
  fc.record({ do: fc.constant("set mode" as const) }),
  fc.record({ do: fc.constant("set option" as const), value: fc.boolean() }),
);
const end = fc.oneof(
  fc.record({
    result: fc.record({
      stopReason: fc.constantFrom("end_turn", "max_tokens", "refusal", "cancelled"),
    }),
  }),
  fc.record({ error: fc.record({ code: fc.constantFrom(-32603, -32000), message: text }) }),
);
const turn = fc.record({
  prompt: fc.array(block, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step),
  end,
});
const conversation = fc.record({
  hasModes: fc.boolean(),
  before: fc.array(step, { maxLength: 3 }),
  turns: fc.array(turn, { maxLength: 3 }),
});
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;
type Step = Conversation["before"][number];

const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code", description: "Edits" },
  ],
};
const CHOICES = [{ optionId: "y", name: "Yes", kind: "allow_once" }];

/** Holds a conversation over a chain. Returns the frames that each side sent. */
function held(chain: Chain, { hasModes, before, turns }: Conversation) {
  const sent = { agent: [] as JsonObject[], client: [] as JsonObject[] };
  let ids = 0;
  const fromAgent = (frame: JsonObject): void => {
    sent.agent.push(frame);
    chain.fromAgent({ jsonrpc: "2.0", ...frame });
  };
  const fromClient = (frame: JsonObject): void => {
    sent.client.push(frame);
    chain.fromClient({ jsonrpc: "2.0", ...frame });
  };
  const call = (method: string, params: JsonObject): number => {
    fromClient({ id: ++ids, method, params });
    return ids;
  };
  const act = (one: Step): void => {
    switch (one.do) {
      case "update":
        if (one.update["sessionUpdate"] === "current_mode_update" && !hasModes) return;
        fromAgent({ method: "session/update", params: { sessionId: "s", update: one.update } });
        return;
      case "ask": {
        const params = { sessionId: "s", toolCall: one.call, options: CHOICES };
        fromAgent({ id: `q${++ids}`, method: "session/request_permission", params });
        const outcome = { outcome: "selected", optionId: "y" };
        fromClient({ id: `q${ids}`, result: { outcome } });
        return;
      }
      case "cancel":
        return fromClient({ method: "session/cancel", params: { sessionId: "s" } });
      case "set mode":
        if (!hasModes) return;
        fromAgent({ id: call("session/set_mode", { sessionId: "s", modeId: "code" }), result: {} });
        return;
      case "set option": {
        const { value } = one;
        const params = { sessionId: "s", configId: "web", type: "boolean", value };
        const answer = call("session/set_config_option", params);
        const configOptions = [{ id: "web", name: "Web", type: "boolean", currentValue: value }];
        return fromAgent({ id: answer, result: { configOptions } });
      }
    }
  };
  const clientInfo = { name: "c", version: "1" };
  const clientCapabilities = CLIENT_CAPABILITIES;
  const hello = call("initialize", { protocolVersion: 1, clientInfo, clientCapabilities });
  const agentInfo = { name: "a", version: "1" };
  const result = { protocolVersion: 1, agentInfo, agentCapabilities: AGENT_CAPABILITIES };
  fromAgent({ id: hello, result: { ...result, authMethods: [] } });
  const opened = call("session/new", { cwd: "/", mcpServers: [] });
  fromAgent({ id: opened, result: { sessionId: "s", ...(hasModes ? { modes: MODES } : {}) } });
  for (const one of before) act(one);
  for (const { prompt, steps, end: ending } of turns) {
    const prompted = call("session/prompt", { sessionId: "s", prompt });
    for (const one of steps) act(one);
    fromAgent({ id: prompted, ...ending });
  }
  return sent;
}

// The comparison.

/** The parts of a session that survive, from the frames of an agent. */
function outcome(frames: readonly JsonObject[], modeChanges: ReadonlySet<unknown>) {
  const state = createSessionState();
  const runs: { kind: string; text: string }[] = [];
  const notices: unknown[] = [];
  for (const frame of frames) {
    const { method, id: answered, result } = frame;
    if (method === undefined && isJsonObject(result)) {
      if (modeChanges.has(answered)) state.currentModeId = "code";
      if (isJsonObject(result["modes"])) state.currentModeId = MODES.currentModeId;
      const { configOptions } = result;
      if (configOptions) state.configOptions = readConfigOptionsResult(result).configOptions;
    }
    const raw = updateOf(frame);
    if (!raw) continue;
    const read = toUpdate(raw);
    // In v1, a `tool_call` replaces a call with the same id.
    if (read.type === "tool_call") state.toolCalls.delete(read.toolCallId);
    applyUpdate(state, read);
    if (read.type === "notice") notices.push(read.title);
    // Chunks of the user's message are dropped during a turn.
    if (read.type === "agent_message_chunk" || read.type === "agent_thought_chunk") {
      addRun(runs, read);
    }
  }
  return {
    runs,
    notices,
    toolCalls: Object.fromEntries(
      [...state.toolCalls].map(([key, call]) => [key, comparable(call)]),
    ),
    plan: state.plan,
    commands: state.commands,
    title: state.title,
    contextUsage: state.contextUsage,
    cost: state.cost,
    currentModeId: state.currentModeId,
    // The option that stands for the modes comes in addition.
    configOptions: (state.configOptions ?? []).filter((one) => one.category !== "mode"),
  };
}

function addRun(runs: { kind: string; text: string }[], read: Update): void {
  const raw = isJsonObject(read.raw) ? read.raw : {};
  const content = isJsonObject(raw["content"]) ? raw["content"] : {};
  const added = typeof content["text"] === "string" ? content["text"] : JSON.stringify(content);
  const last = runs.at(-1);
  if (last?.kind === read.type) last.text += added;
  else runs.push({ kind: read.type, text: added });
}

/** A tool call without the values that v1 cannot clear, and with lines as v2 has them. */
function comparable({ kind: shown, status: now, content, locations }: ToolCallState) {
  return {
    kind: shown,
    status: now,
    content,
    locations: locations.map(({ path, line }) => ({ path, line: line === 0 ? undefined : line })),
  };
}

function answers(frames: readonly JsonObject[], ids: ReadonlySet<unknown>): readonly unknown[] {
  return frames
    .filter((frame) => frame["method"] === undefined && ids.has(frame["id"]))
    .map(({ id: answered, result, error }) => ({ id: answered, result, error }));
}

function requests(frames: readonly JsonObject[], method: string): readonly JsonObject[] {
  return frames.filter((frame) => frame["method"] === method);
}

describe("a random v1 conversation, translated to v2 and back", () => {
  it("is the same up to the listed losses, and valid v2 on the way", () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const chain = new Chain();
        const sent = held(chain, given);
        expect(chain.faults).toEqual([]);
        const prompts = requests(sent.client, "session/prompt");
        const ids = new Set(prompts.map((frame) => frame["id"]));
        expect(answers(chain.toClient, ids)).toEqual(answers(sent.agent, ids));
        expect(requests(chain.toAgent, "session/prompt").map(({ params }) => params)).toEqual(
          prompts.map(({ params }) => params),
        );
        // A cancel also withdraws prompts, of which there are none here.
        expect(requests(chain.toAgent, "session/cancel")).toHaveLength(
          requests(sent.client, "session/cancel").length,
        );
        const asked = requests(sent.agent, "session/request_permission");
        const questions = new Set(asked.map((frame) => frame["id"]));
        expect(answers(chain.toAgent, questions)).toEqual(answers(sent.client, questions));
        const modeChanges = new Set(
          requests(sent.client, "session/set_mode").map((frame) => frame["id"]),
        );
        expect(outcome(chain.toClient, modeChanges)).toEqual(
          outcome(withAskedCalls(sent.agent), modeChanges),
        );
      }),
      { seed, numRuns: times(200, 5000) },
    );
  });
});

/** In v2, the tool call of a permission request is an update of the call, which v1 gets as one. */
function withAskedCalls(frames: readonly JsonObject[]): readonly JsonObject[] {
  return frames.flatMap((frame) => {
    const params = isJsonObject(frame["params"]) ? frame["params"] : {};
    const { toolCall } = params;
    if (!isJsonObject(toolCall)) return [frame];
    const asUpdate = { sessionUpdate: "tool_call_update", ...toolCall };
    return [{ method: "session/update", params: { sessionId: "s", update: asUpdate } }, frame];
  });
}
