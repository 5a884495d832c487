import { describe, expect, test } from "vitest";
import { toUpdate } from "../../../../src/protocol/acp/index.ts";

const text = { type: "text", text: "hi" };
const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };

/** Each unstable update, and the fields that it is read into besides `type`, `text` and `raw`. */
const UPDATES: readonly [Record<string, unknown>, Record<string, unknown>][] = [
  [
    { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "p", content: "# Plan" } },
    { plan: { type: "markdown", planId: "p", content: "# Plan" } },
  ],
  [
    { sessionUpdate: "plan_update", plan: { type: "file", planId: "p", uri: "file:///p.md" } },
    { plan: { type: "file", planId: "p", uri: "file:///p.md" } },
  ],
  [
    {
      sessionUpdate: "plan_update",
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
  [{ sessionUpdate: "plan_removed", planId: "p" }, { planId: "p" }],
  [
    {
      sessionUpdate: "subagent_update",
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
    { sessionUpdate: "subagent_update", sessionId: "child", capabilities: null, state: null },
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
    {
      sessionUpdate: "session_message",
      messageId: "m",
      senderSessionId: "a",
      recipientSessionId: null,
      content: [text, { type: "hologram" }],
    },
    {
      messageId: "m",
      senderSessionId: "a",
      recipientSessionId: null,
      senderMessageId: undefined,
      recipientMessageId: undefined,
      content: [text],
    },
  ],
  [
    { sessionUpdate: "session_message_chunk", messageId: "m", content: text },
    { messageId: "m", content: text },
  ],
];

describe("the updates of the unstable schema", () => {
  test.each(UPDATES)("%j is read with the switch", (raw, fields) => {
    expect(toUpdate(raw, undefined, true)).toEqual({
      type: raw["sessionUpdate"],
      text: "",
      raw,
      ...fields,
    });
  });

  test.each(UPDATES)("%j stays unknown without the switch", (raw) => {
    expect(toUpdate(raw)).toEqual({ type: "unknown", text: "", raw, kind: raw["sessionUpdate"] });
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
