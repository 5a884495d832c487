import { describe, expect, it } from "vitest";
import type { DroidEvent } from "../../../src/entries/droid.ts";
import { Translator } from "../../../src/droid/turn/translate.ts";
import type { JsonObject } from "../../../src/base/index.ts";

function translate(...notifications: readonly JsonObject[]): DroidEvent[] {
  const events: DroidEvent[] = [];
  const translator = new Translator((event) => events.push(event));
  for (const notification of notifications) translator.translate(notification, "7");
  return events;
}

const toolUse = { type: "tool_use", id: "call_1", name: "Execute", input: { command: "ls" } };

describe("a tool call", () => {
  const withTool = {
    type: "create_message",
    message: { id: "m", role: "assistant", content: [toolUse] },
  };
  it("is emitted again only if something has changed", () => {
    const events = translate(
      { type: "tool_call", toolUse: { ...toolUse, input: {} } },
      { type: "tool_call", toolUse },
      { type: "tool_call", toolUse },
      withTool,
      withTool,
      { type: "tool_execution_phase_changed", toolUseId: "call_1", phase: "queued" },
      { type: "tool_execution_phase_changed", toolUseId: "call_1", phase: "queued" },
      { type: "tool_call", toolUse },
    );
    expect(
      events.map(
        (event) => event.type === "tool_call" && [event.input, event.isComplete, event.phase],
      ),
    ).toEqual([
      [{}, false, undefined],
      [{ command: "ls" }, false, undefined],
      [{ command: "ls" }, true, undefined],
      [{ command: "ls" }, true, "queued"],
    ]);
  });
  it("has one result, although Droid sends two after an interrupt", () => {
    const result = { type: "tool_result", toolUseId: "call_1", content: "x", isError: true };
    const events = translate(withTool, result, { ...result, content: "y" });
    expect(events.filter(({ type }) => type === "tool_result")).toEqual([
      { type: "tool_result", id: "call_1", messageId: undefined, content: "x", isError: true },
    ]);
  });
  it("may reuse the id of an earlier call that has its result", () => {
    const events = translate(
      withTool,
      { type: "tool_result", toolUseId: "call_1", content: "x" },
      { type: "tool_call", toolUse: { ...toolUse, input: { command: "pwd" } } },
      { type: "tool_result", toolUseId: "call_1", content: "y" },
    );
    expect(events.map(({ type }) => type)).toEqual([
      "tool_call",
      "tool_result",
      "tool_call",
      "tool_result",
    ]);
  });
});

describe("the format of Factory's old documentation", () => {
  it("has tool_call with its fields on the notification itself, and tool_return", () => {
    const events = translate(
      { type: "tool_call", id: "t", toolName: "Read", parameters: { file_path: "a" } },
      { type: "tool_return", id: "t", value: "text" },
    );
    expect(events).toMatchObject([
      { type: "tool_call", id: "t", name: "Read", input: { file_path: "a" } },
      { type: "tool_result", id: "t", content: "text", isError: false },
    ]);
  });
  it("has message with a toolUse", () => {
    expect(translate({ type: "message", id: "m", role: "assistant", toolUse })).toMatchObject([
      { type: "tool_call", id: "call_1", name: "Execute", isComplete: true, messageId: "m" },
    ]);
  });
  it("has message with a role and a text", () => {
    expect(translate({ type: "message", id: "m", role: "assistant", text: "Hi" })).toEqual([
      { type: "text", messageId: "m", blockIndex: 0, text: "Hi" },
    ]);
  });
});

describe("a message that is not part of the answer", () => {
  const message = (fields: JsonObject): JsonObject => ({
    type: "create_message",
    message: { id: "m", content: [{ type: "text", text: "secret" }], ...fields },
  });
  it.each([
    ["a message only for the model", { role: "system", visibility: "llm_only" }],
    ["a context message", { id: "context-1", role: "user", visibility: "llm_only" }],
    ["an assistant message only for the model", { role: "assistant", visibility: "llm_only" }],
    ["the user's own message", { role: "user" }],
  ])("is hidden: %s", (_name, fields) => {
    expect(translate(message(fields))).toEqual([]);
  });
  it.each([
    "Request interrupted by user",
    "Request cancelled by user",
    "Error: Request was aborted.",
    "⎿ Interrupted",
  ])("is hidden: the interrupt note %j", (text) => {
    const content = [{ type: "text", text }];
    expect(translate(message({ role: "system", visibility: "both", content }))).toEqual([]);
  });
  it("is a notice if Droid addresses it to the user", () => {
    expect(translate(message({ role: "system", visibility: "user_only" }))).toEqual([
      { type: "notice", kind: "message", messageId: "m", text: "secret" },
    ]);
  });
});

describe("other notifications", () => {
  it.each<[JsonObject, object]>([
    [
      { type: "mcp_auth_required", serverName: "s", authUrl: "https://a.example/x", message: "m" },
      { type: "mcp", kind: "auth_required", server: "s", url: "https://a.example/x", message: "m" },
    ],
    [
      { type: "llm_retry", attempt: 2, reason: "rate_limited" },
      { type: "notice", kind: "retry", attempt: 2, reason: "rate_limited" },
    ],
    [
      { type: "structured_output", messageId: "m", structuredOutput: { a: 1 } },
      { type: "structured_output", messageId: "m", value: { a: 1 } },
    ],
    [
      { type: "session_compacted", summaryId: "s", removedCount: 3 },
      { type: "notice", kind: "compaction", summaryId: "s", removedCount: 3 },
    ],
    [
      { type: "queued_messages_discarded", text: "t" },
      { type: "notice", kind: "discarded", text: "t", requestId: undefined },
    ],
    [
      { type: "mission_started", x: 1 },
      { type: "unknown", notification: { type: "mission_started", x: 1 } },
    ],
    [{}, { type: "unknown", notification: {} }],
    // Unverified: sub-agents do not work with an own-key model offline.
    [
      {
        type: "tool_progress_update",
        toolUseId: "t",
        toolName: "Task",
        update: { type: "status", text: "Subagent session started", subagentSessionId: "u" },
      },
      { type: "tool_progress", id: "t", name: "Task", subagentSessionId: "u", isError: false },
    ],
  ])("translate %j", (notification, event) => {
    expect(translate(notification)).toMatchObject([event]);
  });

  it("do not throw if fields are missing or wrong", () => {
    const types = [
      "assistant_text_delta",
      "create_message",
      "message",
      "tool_call",
      "tool_execution_phase_changed",
      "tool_progress_update",
      "tool_result",
      "droid_working_state_changed",
      "agent_turn_completed",
      "error",
      "session_token_usage_changed",
      "mcp_status_changed",
      "hook_execution_started",
      "assistant_message_retracted",
    ];
    for (const type of types) {
      translate({ type });
      translate({ type, message: null, toolUse: 1, update: [], newState: {}, content: [1] });
    }
  });
});

describe("a plan", () => {
  it("is emitted once, when the call is complete", () => {
    const use = { ...toolUse, name: "TodoWrite", input: { todos: "1. [pending] a" } };
    const whole = {
      type: "create_message",
      message: { id: "m", role: "assistant", content: [use] },
    };
    const events = translate({ type: "tool_call", toolUse: use }, whole, whole);
    expect(events.filter(({ type }) => type === "plan")).toHaveLength(1);
  });
});
