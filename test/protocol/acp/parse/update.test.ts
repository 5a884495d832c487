import { describe, expect, test } from "vitest";

import { toToolCallPatch, toUpdate } from "../../../../src/protocol/acp/index.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "AA==", mimeType: "image/png" };
const option = { id: "m", name: "Model", type: "select", currentValue: "a", options: [] };

describe("toUpdate reads every known kind of update", () => {
  test.each<[object, object]>([
    [
      { sessionUpdate: "agent_message_chunk", content: text("hi"), messageId: "m1" },
      { type: "agent_message_chunk", text: "hi", content: text("hi"), messageId: "m1" },
    ],
    [
      { sessionUpdate: "agent_message_chunk", content: image },
      { type: "agent_message_chunk", text: "", content: image, messageId: undefined },
    ],
    [
      { sessionUpdate: "agent_thought_chunk", content: text("hm"), messageId: null },
      {
        type: "agent_thought_chunk",
        text: "",
        thought: "hm",
        content: text("hm"),
        messageId: undefined,
      },
    ],
    [
      { sessionUpdate: "user_message_chunk", content: text("you") },
      { type: "user_message_chunk", text: "", content: text("you"), messageId: undefined },
    ],
    [
      {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "Read",
        name: "read",
        kind: "read",
        status: "in_progress",
        content: [{ type: "content", content: text("x") }],
        locations: [{ path: "/a", line: 3 }],
        rawInput: { a: 1 },
        rawOutput: "out",
        _meta: { k: 1 },
      },
      {
        type: "tool_call",
        text: "",
        toolCallId: "t",
        title: "Read",
        name: "read",
        kind: "read",
        rawKind: "read",
        status: "in_progress",
        rawStatus: "in_progress",
        content: [{ type: "content", content: text("x") }],
        locations: [{ path: "/a", line: 3 }],
        rawInput: { a: 1 },
        rawOutput: "out",
        meta: { k: 1 },
      },
    ],
    [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        kind: null,
        status: null,
        rawInput: null,
      },
      {
        type: "tool_call_update",
        text: "",
        toolCallId: "t",
        title: undefined,
        name: undefined,
        kind: undefined,
        rawKind: undefined,
        status: undefined,
        rawStatus: undefined,
        content: undefined,
        locations: undefined,
        rawInput: undefined,
        rawOutput: undefined,
        meta: undefined,
      },
    ],
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "a", priority: "high", status: "pending" }],
      },
      { type: "plan", text: "", entries: [{ content: "a", priority: "high", status: "pending" }] },
    ],
    [
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "c", description: "d", input: { hint: "h" } }],
      },
      {
        type: "available_commands_update",
        text: "",
        commands: [{ name: "c", description: "d", input: { hint: "h" } }],
      },
    ],
    [
      { sessionUpdate: "current_mode_update", currentModeId: "plan" },
      { type: "current_mode_update", text: "", currentModeId: "plan" },
    ],
    [
      { sessionUpdate: "config_option_update", configOptions: [option] },
      { type: "config_option_update", text: "", configOptions: [option] },
    ],
    [
      { sessionUpdate: "session_info_update", title: null },
      { type: "session_info_update", text: "", title: null, updatedAt: undefined },
    ],
    [
      { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 3, currency: "EUR" } },
      { type: "usage_update", text: "", used: 1, size: 2, cost: { amount: 3, currency: "EUR" } },
    ],
    [
      { sessionUpdate: "notice", severity: "warning", title: "t", description: null },
      { type: "notice", text: "", severity: "warning", title: "t", description: undefined },
    ],
    [
      {
        sessionUpdate: "compaction_update",
        compactionId: "c",
        status: "failed",
        error: "e",
        summary: null,
      },
      {
        type: "compaction_update",
        text: "",
        compactionId: "c",
        status: "failed",
        summary: null,
        error: "e",
      },
    ],
    [
      { sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: text("s") },
      { type: "compaction_summary_chunk", text: "", compactionId: "c", content: text("s") },
    ],
    [
      { sessionUpdate: "diff", path: "/a", oldText: null, newText: "n" },
      { type: "diff", text: "", path: "/a", oldText: undefined, newText: "n" },
    ],
  ])("%j", (raw, expected) => {
    const update = toUpdate(raw);
    expect(update).toEqual({ ...expected, raw });
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
