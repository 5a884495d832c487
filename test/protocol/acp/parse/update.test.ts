import { describe, expect, test, it } from "vitest";
import { toToolCallPatch, toUpdate } from "../../../../src/protocol/acp/index.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "AA==", mimeType: "image/png" };
const entry = { content: "a", priority: "high", status: "pending" };
const command = { name: "c", description: "d", input: { hint: "h" } };
const compaction = { compactionId: "c", status: "failed", summary: null };
const call = {
  toolCallId: "t",
  title: "Read",
  name: "read",
  content: [{ type: "content", content: text("x") }],
  locations: [{ path: "/a", line: 3 }],
  rawInput: { a: 1 },
  rawOutput: "out",
};
const option = { id: "m", name: "Model", type: "select", currentValue: "a", options: [] };

/** For each kind of update: its fields, and those that it is read into besides `type`, `text` and `raw`. */
const STABLE: readonly [string, object, object][] = [
  [
    "agent_message_chunk",
    { content: text("hi"), messageId: "m1" },
    { text: "hi", content: text("hi"), messageId: "m1" },
  ],
  ["agent_message_chunk", { content: image }, { content: image, messageId: undefined }],
  [
    "agent_thought_chunk",
    { content: text("hm"), messageId: null },
    { thought: "hm", content: text("hm"), messageId: undefined },
  ],
  ["user_message_chunk", { content: text("you") }, { content: text("you"), messageId: undefined }],
  [
    "tool_call",
    { ...call, kind: "read", status: "in_progress", _meta: { k: 1 } },
    {
      ...call,
      kind: "read",
      rawKind: "read",
      status: "in_progress",
      rawStatus: "in_progress",
      meta: { k: 1 },
    },
  ],
  [
    "tool_call_update",
    { toolCallId: "t", kind: null, status: null, rawInput: null },
    // All other fields are undefined.
    { toolCallId: "t" },
  ],
  ["plan", { entries: [entry] }, { entries: [entry] }],
  ["available_commands_update", { availableCommands: [command] }, { commands: [command] }],
  ["current_mode_update", { currentModeId: "plan" }, { currentModeId: "plan" }],
  ["config_option_update", { configOptions: [option] }, { configOptions: [option] }],
  ["session_info_update", { title: null }, { title: null, updatedAt: undefined }],
  [
    "usage_update",
    { used: 1, size: 2, cost: { amount: 3, currency: "EUR" } },
    { used: 1, size: 2, cost: { amount: 3, currency: "EUR" } },
  ],
  [
    "notice",
    { severity: "warning", title: "t", description: null },
    { severity: "warning", title: "t", description: undefined },
  ],
  ["compaction_update", { ...compaction, error: "e" }, { ...compaction, error: "e" }],
  [
    "compaction_summary_chunk",
    { compactionId: "c", content: text("s") },
    { compactionId: "c", content: text("s") },
  ],
  [
    "diff",
    { path: "/a", oldText: null, newText: "n" },
    { path: "/a", oldText: undefined, newText: "n" },
  ],
];

describe("toUpdate reads every known kind of update", () => {
  test.each(STABLE)("%s %j", (type, given, fields) => {
    const raw = { sessionUpdate: type, ...given };
    const update = toUpdate(raw);
    expect(update).toEqual({ type, text: "", raw, ...fields });
    expect(update.raw).toBe(raw);
  });
});

describe("toUpdate reports as unknown", () => {
  test.each<[unknown, string]>([
    [undefined, ""],
    [null, ""],
    ["plan", ""],
    [[], ""],
    [{}, ""],
    [{ sessionUpdate: 7 }, ""],
    [{ sessionUpdate: "subagent_update", x: 1 }, "subagent_update"],
    [{ sessionUpdate: "__proto__" }, "__proto__"],
    [{ sessionUpdate: "agent_message_chunk" }, "agent_message_chunk"],
    [{ sessionUpdate: "agent_message_chunk", content: { type: "video" } }, "agent_message_chunk"],
    [{ sessionUpdate: "agent_thought_chunk", content: text("x").text }, "agent_thought_chunk"],
    [{ sessionUpdate: "user_message_chunk", content: [] }, "user_message_chunk"],
    [{ sessionUpdate: "tool_call", title: "no id" }, "tool_call"],
    [{ sessionUpdate: "tool_call_update", toolCallId: 1 }, "tool_call_update"],
    [{ sessionUpdate: "plan", entries: {} }, "plan"],
    [{ sessionUpdate: "available_commands_update" }, "available_commands_update"],
    [{ sessionUpdate: "current_mode_update" }, "current_mode_update"],
    [{ sessionUpdate: "config_option_update" }, "config_option_update"],
    [{ sessionUpdate: "usage_update", used: "1", size: 2 }, "usage_update"],
    [{ sessionUpdate: "notice", title: "t" }, "notice"],
    [{ sessionUpdate: "compaction_update", compactionId: "c" }, "compaction_update"],
    [{ sessionUpdate: "compaction_summary_chunk", compactionId: "c" }, "compaction_summary_chunk"],
    [{ sessionUpdate: "diff", path: "/a" }, "diff"],
    [{ sessionUpdate: "plan_update", plan: {} }, "plan_update"],
  ])("%j", (raw, kind) => {
    expect(toUpdate(raw)).toEqual({ type: "unknown", text: "", raw, kind });
  });
});

describe("toUpdate is lenient", () => {
  test("and keeps unknown kinds and statuses in their raw fields", () => {
    const update = toUpdate({
      sessionUpdate: "tool_call",
      toolCallId: "t",
      kind: "teleport",
      status: "paused",
    });
    expect(update).toMatchObject({
      kind: "other",
      rawKind: "teleport",
      status: undefined,
      rawStatus: "paused",
    });
  });

  test("and leaves out unreadable items, which the raw value keeps", () => {
    const raw = {
      sessionUpdate: "tool_call",
      toolCallId: "t",
      content: [{ type: "hologram" }, { type: "terminal", terminalId: "x" }, 3],
      locations: [{ line: 1 }, { path: "/a" }],
    };
    expect(toUpdate(raw)).toMatchObject({
      content: [{ type: "terminal", terminalId: "x" }],
      locations: [{ path: "/a" }],
      raw,
    });
  });

  test("and reads unknown words in plan entries as medium and pending", () => {
    const entries = [
      { content: "a", priority: "urgent", status: "blocked" },
      { content: "b", priority: "low", status: "completed" },
      { priority: "low", status: "completed" },
      null,
    ];
    expect(toUpdate({ sessionUpdate: "plan", entries })).toMatchObject({
      entries: [
        { content: "a", priority: "medium", status: "pending" },
        { content: "b", priority: "low", status: "completed" },
      ],
    });
  });

  test("and keeps commands without a description or with an invalid input", () => {
    const availableCommands = [{ name: "a" }, { name: "b", description: "d", input: "x" }, {}];
    expect(
      toUpdate({ sessionUpdate: "available_commands_update", availableCommands }),
    ).toMatchObject({
      commands: [
        { name: "a", description: "" },
        { name: "b", description: "d" },
      ],
    });
  });

  test("and ignores config options of unknown types", () => {
    const group = { group: "g", name: "G", options: [{ value: "a", name: "A" }] };
    const grouped = { ...option, options: [group] };
    const flag = { id: "f", name: "F", type: "boolean", currentValue: true };
    const configOptions = [
      grouped,
      flag,
      { id: "s", name: "S", type: "slider", currentValue: 3 },
      { ...flag, currentValue: "true" },
      { ...option, options: [group, { value: "a", name: "A" }] },
    ];
    expect(toUpdate({ sessionUpdate: "config_option_update", configOptions })).toMatchObject({
      configOptions: [grouped, flag],
    });
  });

  test("and reads malformed optional fields as absent", () => {
    expect(
      toUpdate({ sessionUpdate: "usage_update", used: 1, size: 2, cost: "free" }),
    ).toMatchObject({ cost: undefined });
    expect(toUpdate({ sessionUpdate: "session_info_update", title: 5 })).toMatchObject({
      type: "session_info_update",
      title: undefined,
    });
  });
});

test("printing the text of every update prints exactly the answer", () => {
  const stream = [
    { sessionUpdate: "user_message_chunk", content: text("question") },
    { sessionUpdate: "agent_thought_chunk", content: text("thought") },
    { sessionUpdate: "agent_message_chunk", content: text("ans") },
    { sessionUpdate: "tool_call", toolCallId: "t", title: "tool" },
    { sessionUpdate: "agent_message_chunk", content: image },
    { sessionUpdate: "agent_message_chunk", content: text("wer") },
    { sessionUpdate: "novelty", content: text("?") },
  ];
  expect(stream.map((raw) => toUpdate(raw).text).join("")).toBe("answer");
});

test("toToolCallPatch reads the tool call of a permission request", () => {
  expect(toToolCallPatch({ toolCallId: "t", kind: "edit" })).toMatchObject({
    toolCallId: "t",
    kind: "edit",
  });
  expect(toToolCallPatch({ title: "no id" })).toBeUndefined();
  expect(toToolCallPatch(null)).toBeUndefined();
});

const hi = text("hi");
const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };

const UNSTABLE: readonly [string, object, object][] = [
  [
    "plan_update",
    { plan: { type: "markdown", planId: "p", content: "# Plan" } },
    { plan: { type: "markdown", planId: "p", content: "# Plan" } },
  ],
  [
    "plan_update",
    { plan: { type: "file", planId: "p", uri: "file:///p.md" } },
    { plan: { type: "file", planId: "p", uri: "file:///p.md" } },
  ],
  [
    "plan_update",
    {
      plan: {
        type: "items",
        planId: "p",
        entries: [{ content: "a", priority: "urgent", status: "late" }, { priority: "high" }],
      },
    },
    {
      plan: {
        type: "items",
        planId: "p",
        entries: [{ content: "a", priority: "medium", status: "pending" }],
      },
    },
  ],
  ["plan_removed", { planId: "p" }, { planId: "p" }],
  [
    "subagent_update",
    {
      sessionId: "child",
      title: "Tester",
      description: null,
      capabilities: { cancel: {} },
      state: { state: "idle", stopReason: "error", error: { code: -1, message: "no" }, usage },
      cwd: "/a",
      additionalDirectories: [],
    },
    {
      sessionId: "child",
      title: "Tester",
      description: null,
      canCancel: true,
      activity: { state: "idle", stopReason: "error", error: { code: -1, message: "no" }, usage },
      cwd: "/a",
      additionalDirectories: [],
    },
  ],
  [
    "subagent_update",
    { sessionId: "child", capabilities: null, state: null },
    {
      sessionId: "child",
      title: undefined,
      description: undefined,
      canCancel: false,
      activity: null,
      cwd: undefined,
      additionalDirectories: undefined,
    },
  ],
  [
    "session_message",
    {
      messageId: "m",
      senderSessionId: "a",
      recipientSessionId: null,
      content: [hi, { type: "hologram" }],
    },
    {
      messageId: "m",
      senderSessionId: "a",
      recipientSessionId: null,
      senderMessageId: undefined,
      recipientMessageId: undefined,
      content: [hi],
    },
  ],
  ["session_message_chunk", { messageId: "m", content: hi }, { messageId: "m", content: hi }],
];

describe("the updates of the unstable schema", () => {
  test.each(UNSTABLE)("%s %j is read with the switch", (type, given, fields) => {
    const raw = { sessionUpdate: type, ...given };
    expect(toUpdate(raw, undefined, true)).toEqual({ type, text: "", raw, ...fields });
  });

  test.each(UNSTABLE)("%s %j stays unknown without the switch", (kind, given) => {
    const raw = { sessionUpdate: kind, ...given };
    expect(toUpdate(raw)).toEqual({ type: "unknown", text: "", raw, kind });
  });

  test.each([
    { sessionUpdate: "plan_update" },
    { sessionUpdate: "plan_update", plan: { type: "items", planId: "p" } },
    { sessionUpdate: "plan_update", plan: { type: "hologram", planId: "p" } },
    { sessionUpdate: "plan_removed" },
    { sessionUpdate: "subagent_update", title: "t" },
    { sessionUpdate: "session_message", content: [] },
    { sessionUpdate: "session_message_chunk", messageId: "m" },
    { sessionUpdate: "session_message_chunk", messageId: "m", content: { type: "hologram" } },
  ])("%j lacks a required field and is unknown", (raw) => {
    expect(toUpdate(raw, undefined, true)).toMatchObject({ type: "unknown", raw });
  });

  test.each([
    [{ state: "running" }, { state: "running" }],
    [{ state: "requires_action" }, { state: "requires_action" }],
    [{ state: "unknown" }, { state: "unknown" }],
    [{ state: "dreaming" }, { state: "unknown" }],
    [{ state: "idle", stopReason: 7, usage: "many" }, { state: "idle" }],
    [
      { state: "idle", stopReason: "_mine" },
      { state: "idle", stopReason: "_mine" },
    ],
  ])("the state %j of a subagent reads as %j", (state, activity) => {
    const raw = { sessionUpdate: "subagent_update", sessionId: "c", state };
    expect(toUpdate(raw, undefined, true)).toMatchObject({ type: "subagent_update", activity });
  });
});

const read = (raw: object) => toUpdate(raw, undefined, false, true);

describe("a state update", () => {
  it.each([
    ["running", "running"],
    ["requires_action", "requires_action"],
    ["idle", "idle"],
    ["_thinking", "unknown"],
    ["unknown", "unknown"],
  ])("%s reads as %s", (state, activity) => {
    expect(read({ sessionUpdate: "state_update", state })).toMatchObject({
      type: "state_update",
      activity,
      background: undefined,
      stopReason: undefined,
      error: undefined,
    });
  });

  it("has the background work, also of unknown types", () => {
    const background = [
      { type: "terminal", terminalId: "t" },
      { type: "tool_call", toolCallId: "c" },
      { type: "_job", id: 1 },
      { type: "terminal" },
      5,
    ];
    expect(read({ sessionUpdate: "state_update", state: "idle", background })).toMatchObject({
      background: [
        background[0],
        background[1],
        { type: "unknown", raw: { type: "_job", id: 1 } },
        { type: "unknown", raw: { type: "terminal" } },
        { type: "unknown", raw: 5 },
      ],
    });
  });

  it.each([
    ["idle", "end_turn", undefined, "end_turn", undefined],
    [
      "idle",
      "error",
      { code: 1, message: "m", data: 2 },
      "error",
      { code: 1, message: "m", data: 2 },
    ],
    ["idle", "error", { code: "1" }, "error", undefined],
    ["idle", "end_turn", { code: 1, message: "m" }, "end_turn", undefined],
    ["idle", null, null, undefined, undefined],
    ["running", "end_turn", undefined, undefined, undefined],
  ])(
    "%s with %j and %j has the stop reason %j and the error %j",
    (state, stopReason, error, reason, failure) => {
      const update = read({ sessionUpdate: "state_update", state, stopReason, error });
      expect(update).toMatchObject({ stopReason: reason, error: failure });
    },
  );
});

describe("a whole message", () => {
  it.each([
    [undefined, undefined],
    [null, null],
    [[], []],
    [[{ type: "text", text: "x" }, { type: "_y" }], [{ type: "text", text: "x" }]],
  ])("with %j has the content %j", (content, expected) => {
    const raw = { sessionUpdate: "agent_message", messageId: "a", content };
    expect(read(raw)).toMatchObject({ type: "agent_message", text: "", content: expected });
  });
});

describe("a terminal update", () => {
  it("tells unchanged, cleared and new values apart", () => {
    const raw = { sessionUpdate: "terminal_update", terminalId: "t", cwd: null, command: "ls" };
    expect(read(raw)).toMatchObject({ command: "ls", cwd: null, output: undefined });
    expect(
      read({ ...raw, output: { data: "aGk=" }, exitStatus: {}, size: { cols: 8, rows: 2 } }),
    ).toMatchObject({
      output: new TextEncoder().encode("hi"),
      exit: { code: undefined, signal: undefined },
      size: { cols: 8, rows: 2 },
    });
    expect(read({ ...raw, output: null, exitStatus: null, size: null })).toMatchObject({
      output: null,
      exit: null,
      size: null,
    });
  });

  it.each([
    [undefined, undefined],
    [null, false],
    [{}, false],
    [{ cancel: null }, false],
    [{ cancel: {} }, true],
  ])("with the capabilities %j can be cancelled: %s", (capabilities, canCancel) => {
    const raw = { sessionUpdate: "terminal_update", terminalId: "t", capabilities };
    expect(read(raw)).toMatchObject({ canCancel });
  });
});

describe("an update that only v2 has", () => {
  it.each([
    { sessionUpdate: "state_update" },
    { sessionUpdate: "state_update", state: 5 },
    { sessionUpdate: "agent_message" },
    { sessionUpdate: "terminal_update" },
    { sessionUpdate: "terminal_output_chunk", terminalId: "t" },
  ])("%j is unknown, because it is not complete", (raw) => {
    expect(read(raw)).toMatchObject({ type: "unknown", raw });
  });

  it("is unknown on a connection of v1", () => {
    expect(toUpdate({ sessionUpdate: "state_update", state: "idle" }).type).toBe("unknown");
  });
});
