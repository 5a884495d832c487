import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/index.ts";
import { type Sides, textBlock, v1Client, watched } from "../sides.ts";

function client(capabilities: JsonObject = {}): Sides {
  return watched(v1Client(capabilities));
}

const entry = (content: string): JsonObject => ({ content, priority: "low", status: "pending" });
const plan = (planId: string, ...entries: JsonObject[]): JsonObject => ({
  sessionUpdate: "plan_update",
  plan: { type: "items", planId, entries },
});

describe("plans", () => {
  it("are joined into one", () => {
    const sides = client();
    expect(sides.update(plan("a", entry("one")))).toEqual([
      { sessionUpdate: "plan", entries: [entry("one")] },
    ]);
    expect(sides.losses("plan")).toBe(0);
    expect(sides.update(plan("b", entry("two")))).toEqual([
      { sessionUpdate: "plan", entries: [entry("one"), entry("two")] },
    ]);
    expect(sides.update(plan("a"))).toEqual([{ sessionUpdate: "plan", entries: [entry("two")] }]);
  });

  it("without entries and removed ones leave the plan", () => {
    const sides = client();
    sides.update(plan("a", entry("one")));
    const markdown = { type: "_markdown", planId: "a", text: "# Plan" };
    expect(sides.update({ sessionUpdate: "plan_update", plan: markdown })).toEqual([
      { sessionUpdate: "plan", entries: [] },
    ]);
    sides.update(plan("b", entry("two")));
    expect(sides.update({ sessionUpdate: "plan_removed", planId: "b" })).toEqual([
      { sessionUpdate: "plan", entries: [] },
    ]);
  });
});

describe("the usage", () => {
  const usage = (more: JsonObject = {}): JsonObject => ({
    sessionUpdate: "usage_update",
    used: 1,
    size: 2,
    ...more,
  });
  it("repeats a cost that was left out, until it is null", () => {
    const sides = client();
    const cost = { amount: 1, currency: "USD" };
    expect(sides.update(usage())).toEqual([usage()]);
    expect(sides.update(usage({ cost }))).toEqual([usage({ cost })]);
    expect(sides.update(usage())).toEqual([usage({ cost })]);
    expect(sides.update(usage({ cost: null }))).toEqual([usage()]);
    expect(sides.update(usage())).toEqual([usage()]);
  });
});

describe("config options", () => {
  const mode = (currentValue: string, options: JsonObject[] = []): JsonObject => ({
    configId: "approval",
    name: "Approval",
    category: "mode",
    type: "select",
    currentValue,
    options,
  });
  const update = (...configOptions: JsonObject[]): JsonObject => ({
    sessionUpdate: "config_option_update",
    configOptions,
  });

  it("report a new mode in addition", () => {
    const sides = client();
    expect(sides.update(update(mode("ask")))).toMatchObject([
      { configOptions: [{ id: "approval" }] },
      { sessionUpdate: "current_mode_update", currentModeId: "ask" },
    ]);
    expect(sides.update(update(mode("ask")))).toHaveLength(1);
  });

  it("of types that the client does not take are left out", () => {
    const web = { configId: "web", name: "Web", type: "boolean", currentValue: true };
    const odd = { configId: "odd", name: "Odd", type: "_slider", currentValue: 3 };
    const [plain] = client().update(update(web, odd));
    expect(plain).toMatchObject({ configOptions: [] });
    const [able] = client({ session: { configOptions: { boolean: {} } } }).update(update(web, odd));
    expect(able).toMatchObject({ configOptions: [{ id: "web" }] });
  });
});

describe("updates that need a capability in v1", () => {
  const notice = { sessionUpdate: "notice", severity: "info", title: "Note" };
  const compaction = {
    sessionUpdate: "compaction_update",
    compactionId: "c",
    status: "in_progress",
  };
  const summary = {
    sessionUpdate: "compaction_summary_chunk",
    compactionId: "c",
    content: textBlock("x"),
  };
  it.each([
    ["notices", notice],
    ["compaction", compaction],
    ["compaction", summary],
  ])("pass with session.%s only", (name, update) => {
    expect(client({ session: { [name]: {} } }).update(update)).toEqual([update]);
    const without = client();
    expect(without.update(update)).toEqual([]);
    expect(without.losses("update-kind")).toBe(1);
  });

  it("pass with subagents only", () => {
    const update = { sessionUpdate: "subagent_update", sessionId: "c" };
    expect(v1Client({ subagents: {} }).update(update)).toEqual([update]);
    expect(v1Client().update(update)).toEqual([]);
  });
});

describe("messages of the user", () => {
  const whole = { sessionUpdate: "user_message", messageId: "u", content: [textBlock("Hi")] };
  const chunk = { sessionUpdate: "user_message_chunk", messageId: "u", content: textBlock("Hi") };

  it("outside a turn are shown, as in a replay", () => {
    expect(client().update(whole)).toEqual([chunk]);
    expect(client().update(chunk)).toEqual([chunk]);
  });

  it("of a running turn are not, because the client has them", () => {
    const sides = client();
    sides.prompt();
    expect(sides.update(whole)).toEqual([]);
    expect(sides.update(chunk)).toEqual([]);
  });
});

it("an update of an unknown kind is left out", () => {
  expect(client().update({ sessionUpdate: "_acme", payload: 1 })).toEqual([]);
});
