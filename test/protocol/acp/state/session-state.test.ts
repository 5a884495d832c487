import { describe, expect, test, it } from "vitest";
import {
  applyCancel,
  applySetup,
  applyUpdate,
  createSessionState,
  type MessagePosition,
  nextMessagePosition,
  type SessionState,
  toUpdate,
} from "../../../../src/protocol/acp/index.ts";
import { base64Of } from "../../../../src/base/index.ts";

function after(...updates: readonly object[]): SessionState {
  const state = createSessionState();
  for (const raw of updates) applyUpdate(state, toUpdate(raw));
  return state;
}
const text = (value: string) => ({ type: "text", text: value });
const entry = (content: string) => ({ content, priority: "low", status: "pending" });
const option = (id: string) => ({ id, name: id, type: "boolean", currentValue: true });

describe("applyUpdate", () => {
  test("replaces plan, commands, mode and config options", () => {
    const state = after(
      { sessionUpdate: "plan", entries: [entry("a"), entry("b")] },
      { sessionUpdate: "plan", entries: [entry("c")] },
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "x", description: "" }],
      },
      { sessionUpdate: "available_commands_update", availableCommands: [] },
      { sessionUpdate: "current_mode_update", currentModeId: "a" },
      { sessionUpdate: "current_mode_update", currentModeId: "b" },
      { sessionUpdate: "config_option_update", configOptions: [option("a")] },
      { sessionUpdate: "config_option_update", configOptions: [option("b")] },
    );
    expect(state.plan).toEqual([entry("c")]);
    expect(state.commands).toEqual([]);
    expect(state.currentModeId).toBe("b");
    expect(state.configOptions).toEqual([option("b")]);
  });

  test("keeps omitted session info and clears it on null", () => {
    const both = { sessionUpdate: "session_info_update", title: "T", updatedAt: "now" };
    expect(after(both, { sessionUpdate: "session_info_update" })).toMatchObject({
      title: "T",
      updatedAt: "now",
    });
    expect(after(both, { sessionUpdate: "session_info_update", title: null })).toMatchObject({
      title: undefined,
      updatedAt: "now",
    });
  });

  test("replaces usage as a whole", () => {
    const first = {
      sessionUpdate: "usage_update",
      used: 1,
      size: 9,
      cost: { amount: 1, currency: "EUR" },
    };
    expect(after(first, { sessionUpdate: "usage_update", used: 2, size: 9 })).toMatchObject({
      contextUsage: { used: 2, size: 9 },
      cost: undefined,
    });
  });

  test("appends compaction chunks in any order and clears fields on null", () => {
    const chunk = (value: string) => ({
      sessionUpdate: "compaction_summary_chunk",
      compactionId: "c",
      content: text(value),
    });
    const update = (fields: object) => ({
      sessionUpdate: "compaction_update",
      compactionId: "c",
      status: "in_progress",
      ...fields,
    });
    expect(after(chunk("a"), chunk("b")).compactions.get("c")).toEqual({
      compactionId: "c",
      status: "in_progress",
      summary: [text("a"), text("b")],
      error: undefined,
    });
    expect(
      after(
        update({ summary: [text("x")], error: "e" }),
        chunk("y"),
        update({ status: "completed" }),
      ).compactions.get("c"),
    ).toMatchObject({ status: "completed", summary: [text("x"), text("y")], error: "e" });
    expect(
      after(
        chunk("a"),
        update({ error: "e" }),
        update({ summary: null, error: null }),
      ).compactions.get("c"),
    ).toMatchObject({ summary: [], error: undefined });
  });

  test("merges tool calls by id, and applyCancel marks unfinished ones", () => {
    const state = after(
      { sessionUpdate: "tool_call_update", toolCallId: "a", status: "in_progress" },
      { sessionUpdate: "tool_call", toolCallId: "a", title: "A" },
      { sessionUpdate: "tool_call", toolCallId: "b", title: "B", status: "completed" },
    );
    expect(state.toolCalls.get("a")).toMatchObject({ title: "A", status: "in_progress" });
    expect(applyCancel(state).map((call) => call.toolCallId)).toEqual(["a"]);
    expect(state.toolCalls.get("a")?.status).toBe("cancelled");
  });

  test("ignores notices, diffs and unknown updates", () => {
    const untouched = createSessionState();
    expect(
      after(
        { sessionUpdate: "notice", severity: "info", title: "t" },
        { sessionUpdate: "diff", path: "/a", newText: "" },
        { sessionUpdate: "novelty" },
      ),
    ).toEqual(untouched);
  });

  test("treats hostile tool call ids as ordinary keys", () => {
    const state = after({ sessionUpdate: "tool_call", toolCallId: "__proto__", title: "x" });
    expect(state.toolCalls.get("__proto__")?.title).toBe("x");
  });
});

test("applySetup takes modes and options, and keeps values that are absent", () => {
  const state = createSessionState();
  applySetup(state, { modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] } });
  expect(state).toMatchObject({ currentModeId: "a", modes: [{ id: "a", name: "A" }] });
  applySetup(state, {});
  expect(state).toMatchObject({ currentModeId: "a", configOptions: undefined });
});

describe("nextMessagePosition", () => {
  const chunk = (sessionUpdate: string, messageId?: string) => ({
    sessionUpdate,
    content: text("x"),
    ...(messageId === undefined ? {} : { messageId }),
  });
  const tool = { sessionUpdate: "tool_call", toolCallId: "t", title: "" };
  const plan = { sessionUpdate: "plan", entries: [] };
  const agent = "agent_message_chunk";

  test.each<[string, readonly object[], number]>([
    ["keeps chunks without ids in one message", [chunk(agent), chunk(agent)], 1],
    [
      "starts a message on another kind of chunk",
      [chunk(agent), chunk("agent_thought_chunk"), chunk(agent)],
      3,
    ],
    ["starts a message after a tool call", [chunk(agent), tool, chunk(agent)], 2],
    ["continues a message after a plan", [chunk(agent), plan, chunk(agent)], 1],
    ["keeps chunks with one id in one message", [chunk(agent, "1"), chunk(agent, "1")], 1],
    ["starts a message on another id", [chunk(agent, "1"), chunk(agent, "2")], 2],
    [
      "continues a message with the same id after a tool call",
      [chunk(agent, "1"), tool, chunk(agent, "1")],
      1,
    ],
  ])("%s", (_, updates, messages) => {
    const seen = new Set<MessagePosition>();
    let current: MessagePosition | undefined;
    for (const raw of updates) {
      current = nextMessagePosition(current, toUpdate(raw));
      if (current !== undefined) seen.add(current);
    }
    expect(seen.size).toBe(messages);
  });
});

describe("a state that any number of updates was applied to", () => {
  const completed = (id: string, content: string) => ({
    sessionUpdate: "tool_call",
    toolCallId: id,
    title: `call ${id}`,
    kind: "read",
    status: "completed",
    rawInput: { path: "/a" },
    content: [{ type: "content", content: text(content) }],
  });

  test("keeps the newest tool calls, with their status", () => {
    const state = createSessionState();
    const pending = { sessionUpdate: "tool_call", toolCallId: "open", title: "long" };
    applyUpdate(state, toUpdate(pending));
    for (let n = 0; n < 5000; n++) applyUpdate(state, toUpdate(completed(String(n), "x")));
    const ids = [...state.toolCalls.keys()];
    expect(ids.length).toBeLessThanOrEqual(1000);
    expect(ids[0]).toBe("open");
    expect(ids.slice(-700)).toEqual(Array.from({ length: 700 }, (_, n) => String(4300 + n)));
    expect(state.toolCalls.get("4999")).toMatchObject({ title: "call 4999", status: "completed" });
  });

  test("keeps the content of the newest tool calls, up to a limit, and marks the others", () => {
    const state = createSessionState();
    const large = "x".repeat(100_000);
    for (let n = 0; n < 500; n++) applyUpdate(state, toUpdate(completed(String(n), large)));
    const calls = [...state.toolCalls.values()];
    expect(calls).toHaveLength(500);
    expect(calls[0]).toMatchObject({
      title: "call 0",
      status: "completed",
      content: [],
      rawInput: undefined,
      trimmed: true,
    });
    expect(calls.at(-1)).toMatchObject({ rawInput: { path: "/a" } });
    expect(calls.at(-1)?.trimmed).toBeUndefined();
    const full = calls.filter(({ content }) => content.length > 0).length;
    expect(full).toBeGreaterThan(100);
    expect(full * large.length).toBeLessThan(16 * 1024 * 1024);
    // A late update tells nothing about what was removed.
    const late = { sessionUpdate: "tool_call_update", toolCallId: "0", status: "failed" };
    applyUpdate(state, toUpdate(late));
    expect(state.toolCalls.get("0")).toMatchObject({ status: "failed", trimmed: true });
  });

  test("does not keep any number of calls that never end", () => {
    const state = createSessionState();
    for (let n = 0; n < 5000; n++) {
      const started = { sessionUpdate: "tool_call", toolCallId: String(n), title: "open" };
      applyUpdate(state, toUpdate(started));
    }
    expect(state.toolCalls.size).toBeLessThanOrEqual(1000);
    expect(state.toolCalls.has("4999")).toBe(true);
  });

  test("keeps a bounded part of compactions", () => {
    const state = createSessionState();
    for (let n = 0; n < 5000; n++) {
      const chunk = { sessionUpdate: "compaction_summary_chunk", content: text("x") };
      applyUpdate(state, toUpdate({ ...chunk, compactionId: "one" }));
    }
    expect(state.compactions.get("one")?.summary).toHaveLength(1000);
    for (let n = 0; n < 100; n++) {
      const change = { compactionId: String(n), status: "completed" };
      applyUpdate(state, toUpdate({ sessionUpdate: "compaction_update", ...change }));
    }
    expect(state.compactions.size).toBeLessThanOrEqual(10);
  });
});

function stateAfter(...updates: readonly Record<string, unknown>[]) {
  const state = createSessionState();
  for (const raw of updates) applyUpdate(state, toUpdate(raw, undefined, true));
  return state;
}

const items = { type: "items", planId: "p", entries: [entry("a")] };
const markdown = { type: "markdown", planId: "q", content: "# Plan" };

describe("plans", () => {
  test("are kept by id, and `plan` follows the plan of entries that changed last", () => {
    const state = stateAfter(
      { sessionUpdate: "plan_update", plan: items },
      { sessionUpdate: "plan_update", plan: markdown },
    );
    expect([...state.plans]).toEqual([
      ["p", items],
      ["q", markdown],
    ]);
    expect(state.plan).toEqual([entry("a")]);
  });

  test("go with plan_removed", () => {
    const state = stateAfter(
      { sessionUpdate: "plan_update", plan: items },
      { sessionUpdate: "plan_removed", planId: "p" },
    );
    expect(state.plans.size).toBe(0);
    expect(state.plan).toEqual([]);
  });

  test("keep `plan` when another plan is removed", () => {
    const state = stateAfter(
      { sessionUpdate: "plan_update", plan: markdown },
      { sessionUpdate: "plan", entries: [entry("a")] },
      { sessionUpdate: "plan_removed", planId: "q" },
    );
    expect(state.plan).toEqual([entry("a")]);
  });

  test("do not grow without bound", () => {
    const many = Array.from({ length: 1000 }, (_, n) => ({
      sessionUpdate: "plan_update",
      plan: { ...markdown, planId: `p${n}` },
    }));
    const { plans } = stateAfter(...many);
    expect(plans.size).toBeLessThanOrEqual(100);
    expect(plans.has("p999")).toBe(true);
  });
});

describe("subagents", () => {
  const update = { sessionUpdate: "subagent_update", sessionId: "c" };

  test("keep omitted fields, and null clears a field", () => {
    const state = stateAfter(
      { ...update, title: "T", description: "D", capabilities: { cancel: {} }, cwd: "/a" },
      { ...update, state: { state: "running" }, description: null },
      { ...update, capabilities: {}, cwd: null },
    );
    expect(state.subagents.get("c")).toEqual({
      sessionId: "c",
      title: "T",
      description: undefined,
      canCancel: false,
      activity: { state: "running" },
      cwd: undefined,
      additionalDirectories: undefined,
    });
  });

  test("are replaced as a whole by a new state", () => {
    const state = stateAfter(
      { ...update, state: { state: "idle", stopReason: "refusal" } },
      { ...update, state: { state: "idle" } },
    );
    expect(state.subagents.get("c")?.activity).toEqual({ state: "idle" });
  });

  test("that are idle are forgotten before those that work", () => {
    const working = { ...update, sessionId: "working", state: { state: "running" } };
    const many = Array.from({ length: 1000 }, (_, n) => ({
      ...update,
      sessionId: `idle${n}`,
      state: { state: "idle" },
    }));
    const { subagents } = stateAfter(working, ...many);
    expect(subagents.size).toBeLessThanOrEqual(200);
    expect(subagents.has("working")).toBe(true);
  });
});

describe("messages between sessions", () => {
  test("collect chunks, whichever update comes first", () => {
    const state = stateAfter(
      { sessionUpdate: "session_message_chunk", messageId: "m", content: text("a") },
      { sessionUpdate: "session_message", messageId: "m", senderSessionId: "s" },
      { sessionUpdate: "session_message_chunk", messageId: "m", content: text("b") },
    );
    expect(state.sessionMessages.get("m")).toEqual({
      messageId: "m",
      senderSessionId: "s",
      recipientSessionId: undefined,
      senderMessageId: undefined,
      recipientMessageId: undefined,
      content: [text("a"), text("b")],
    });
  });

  test("are replaced by content and cleared by null", () => {
    const message = { sessionUpdate: "session_message", messageId: "m" };
    const replaced = stateAfter({ ...message, content: [text("a")] }, { ...message, content: [] });
    expect(replaced.sessionMessages.get("m")?.content).toEqual([]);
    const cleared = stateAfter({ ...message, content: [text("a")] }, { ...message, content: null });
    expect(cleared.sessionMessages.get("m")?.content).toEqual([]);
  });
});

function afterV2(...updates: readonly object[]): SessionState {
  const state = createSessionState();
  for (const update of updates) applyUpdate(state, toUpdate(update, undefined, false, true));
  return state;
}

const terminal = (more: object): object => ({
  sessionUpdate: "terminal_update",
  terminalId: "t",
  ...more,
});
const output = (bytes: Uint8Array): object => ({
  sessionUpdate: "terminal_output_chunk",
  terminalId: "t",
  data: base64Of(bytes),
});
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("an agent's terminal", () => {
  it("may be described after its output", () => {
    const { terminals } = afterV2(output(bytes("hi")), terminal({ command: "ls", cwd: "/p" }));
    expect(terminals.get("t")).toMatchObject({ command: "ls", cwd: "/p", output: "hi" });
  });

  it("keeps characters that are split over chunks", () => {
    const all = bytes("a✓😀é");
    const { terminals } = afterV2(...[...all].map((byte) => output(Uint8Array.of(byte))));
    expect(terminals.get("t")?.output).toBe("a✓😀é");
  });

  it("shows bytes that are not UTF-8 as replacements", () => {
    const { terminals } = afterV2(
      output(Uint8Array.of(0xff, 0x61)),
      output(Uint8Array.of(0x80, 0x62)),
    );
    expect(terminals.get("t")?.output).toBe("�a�b");
  });

  it("is replaced by a snapshot, and cleared by null", () => {
    const snapshot = terminal({ output: { data: base64Of(bytes("new")) } });
    const half = output(bytes("✓").slice(0, 2));
    expect(afterV2(output(bytes("old")), half, snapshot).terminals.get("t")?.output).toBe("new");
    expect(afterV2(snapshot, terminal({ output: null })).terminals.get("t")?.output).toBe("");
    const changed = afterV2(
      terminal({ command: "ls", size: { cols: 1, rows: 2 } }),
      terminal({ command: null }),
    );
    expect(changed.terminals.get("t")).toMatchObject({
      command: undefined,
      size: { cols: 1, rows: 2 },
    });
  });

  it("keeps the end of a long output", () => {
    const chunk = output(bytes("x".repeat(100_000)));
    const { terminals } = afterV2(...Array.from({ length: 20 }, () => chunk), output(bytes("end")));
    const shown = terminals.get("t");
    expect(shown?.truncated).toBe(true);
    expect(shown?.output.length).toBeLessThan(600_000);
    expect(shown?.output.endsWith("end")).toBe(true);
  });

  it("can be cancelled until it exits", () => {
    const offered = terminal({ capabilities: { cancel: {} } });
    expect(afterV2(offered, terminal({})).terminals.get("t")?.canCancel).toBe(true);
    expect(afterV2(offered, terminal({ capabilities: null })).terminals.get("t")?.canCancel).toBe(
      false,
    );
    expect(afterV2(offered, terminal({ exitStatus: {} })).terminals.get("t")?.canCancel).toBe(
      false,
    );
  });

  it("that still runs is kept longer than one that has ended", () => {
    const named = (terminalId: string, more: object = {}) => ({
      sessionUpdate: "terminal_update",
      terminalId,
      ...more,
    });
    const ended = Array.from({ length: 300 }, (_, n) => named(`e${n}`, { exitStatus: {} }));
    const { terminals } = afterV2(named("running"), ...ended);
    expect(terminals.has("running")).toBe(true);
    expect(terminals.size).toBeLessThanOrEqual(100);
  });
});

describe("the activity and the background work", () => {
  const state = (name: string, more: object = {}) => ({
    sessionUpdate: "state_update",
    state: name,
    ...more,
  });
  const job = { type: "terminal", terminalId: "t" };

  it("are unknown until the agent reports them", () => {
    expect(afterV2()).toMatchObject({ activity: undefined, background: undefined });
  });

  it("are those of the last report", () => {
    expect(afterV2(state("running"), state("idle", { background: [job] }))).toMatchObject({
      activity: "idle",
      background: [job],
    });
    expect(afterV2(state("running", { background: [job] }), state("idle")).background).toEqual([
      job,
    ]);
    expect(
      afterV2(state("running", { background: [job] }), state("idle", { background: [] })),
    ).toMatchObject({ background: [] });
  });
});

describe("a tool call", () => {
  const call = (more: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "c", ...more });

  it("loses the values that were cleared", () => {
    const { toolCalls } = afterV2(
      call({ title: "Run", name: "Bash", rawInput: 1, rawOutput: 2 }),
      call({ cleared: ["title", "name", "rawInput"] }),
    );
    expect(toolCalls.get("c")).toMatchObject({
      title: "",
      name: undefined,
      rawInput: undefined,
      rawOutput: 2,
    });
  });

  it("can be cancelled until it is over", () => {
    const offered = call({ title: "Run", capabilities: { cancel: {} } });
    expect(afterV2(offered).toolCalls.get("c")?.canCancel).toBe(true);
    expect(
      afterV2(offered, call({ status: "completed" })).toolCalls.get("c")?.canCancel,
    ).toBeUndefined();
  });
});
