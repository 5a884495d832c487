import { describe, expect, test } from "vitest";
import { applyUpdate, createSessionState, toUpdate } from "../../../../src/protocol/acp/index.ts";

const text = (said: string) => ({ type: "text", text: said });

function stateAfter(...updates: readonly Record<string, unknown>[]) {
  const state = createSessionState();
  for (const raw of updates) applyUpdate(state, toUpdate(raw, undefined, true));
  return state;
}

const entry = { content: "a", priority: "low", status: "pending" };
const items = { type: "items", planId: "p", entries: [entry] };
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
    expect(state.plan).toEqual([entry]);
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
      { sessionUpdate: "plan", entries: [entry] },
      { sessionUpdate: "plan_removed", planId: "q" },
    );
    expect(state.plan).toEqual([entry]);
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
