import { describe, expect, it } from "vitest";
import { ToolCallsInV1 } from "../../../../src/protocol/translator/agent/tool-calls.ts";
import { TerminalTexts } from "../../../../src/protocol/translator/agent/terminals.ts";
import { LossCounter } from "../../../../src/protocol/translator/losses.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { type Sides, state, textBlock, toolCall, v1Client, watched } from "../sides.ts";

/** A v1 client with a tool call `t`. */
function known(fields: JsonObject = {}): Sides {
  const sides = watched(v1Client());
  sides.update(toolCall({ title: "Run", ...fields }));
  return sides;
}

const item = (text: string): JsonObject => ({ type: "content", content: textBlock(text) });
const chunk = (text: string): JsonObject => ({
  sessionUpdate: "tool_call_content_chunk",
  toolCallId: "t",
  content: item(text),
});

describe("the first update of a tool call", () => {
  it.each([
    ["its title", { title: "Run", name: "Bash" }, "Run"],
    ["its name", { name: "Bash" }, "Bash"],
    ["a word", {}, "Tool call"],
    ["a word, if the title is null", { title: null }, "Tool call"],
  ])("is a tool_call of v1 with %s as title", (_, fields, title) => {
    const sides = watched(v1Client());
    expect(sides.update(toolCall(fields))).toMatchObject([{ sessionUpdate: "tool_call", title }]);
  });

  it("may be its content", () => {
    const sides = watched(v1Client());
    expect(sides.update(chunk("x"))).toEqual([
      { sessionUpdate: "tool_call", toolCallId: "t", title: "Tool call", content: [item("x")] },
    ]);
  });
});

describe("null in an update of a tool call", () => {
  it.each([
    ["kind", { kind: "other" }],
    ["status", { status: "pending" }],
    ["content", { content: [] }],
    ["locations", { locations: [] }],
    ["title", {}],
    ["name", {}],
    ["rawInput", {}],
    ["rawOutput", {}],
    ["capabilities", {}],
  ])("for %s becomes %j", (field, expected) => {
    const sides = known({ kind: "read", status: "in_progress", content: [item("x")] });
    expect(sides.update(toolCall({ [field]: null }))).toEqual([toolCall(expected)]);
  });

  it("is reported as cleared to a client that knows v2", () => {
    const losses = new LossCounter();
    const calls = new ToolCallsInV1(new TerminalTexts(), losses, true);
    calls.update(toolCall({ title: "Run", rawInput: 1 }));
    expect(calls.update(toolCall({ title: null, rawInput: null, kind: null }))).toEqual(
      toolCall({ kind: "other", cleared: ["title", "rawInput"] }),
    );
  });
});

describe("the _meta of a tool call", () => {
  it("changes key by key", () => {
    const sides = known({ _meta: { a: 1, b: { c: 2 } } });
    expect(sides.update(toolCall({ _meta: { a: null, b: 3 } }))).toEqual([
      toolCall({ _meta: { b: 3 } }),
    ]);
    expect(sides.update(toolCall({ _meta: {} }))).toEqual([toolCall({ _meta: { b: 3 } })]);
    expect(sides.update(toolCall({ _meta: null }))).toEqual([toolCall({ _meta: {} })]);
  });

  it("has a status that v1 lacks only as long as the call has it", () => {
    const sides = known();
    const paused = { _meta: { "dragoman/raw": { status: "paused" } } };
    expect(sides.update(toolCall({ status: "paused" }))).toEqual([
      toolCall({ status: "in_progress", ...paused }),
    ]);
    expect(sides.update(toolCall({ status: "completed" }))).toEqual([
      toolCall({ status: "completed", _meta: {} }),
    ]);
  });
});

describe.each([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["completed", "completed"],
  ["failed", "failed"],
  ["cancelled", "failed"],
  ["paused", "in_progress"],
  ["_odd", "in_progress"],
])("the status %s", (status, inV1) => {
  it(`is ${inV1} in v1`, () => {
    expect(known().update(toolCall({ status }))).toMatchObject([{ status: inV1 }]);
  });
});

describe("more content of a tool call", () => {
  it("is sent with all of it, whenever it doubled, and the rest with the final status", () => {
    const sides = known();
    const lengths: unknown[] = [];
    for (let n = 1; n <= 20; n++) {
      const [sent] = sides.update(chunk(String(n)));
      if (sent) lengths.push(contentOf(sent).length);
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16]);
    const [last] = sides.update(toolCall({ status: "completed" }));
    expect(contentOf(last)).toHaveLength(20);
    expect(sides.update(toolCall({ status: "completed" }))).toEqual([
      toolCall({ status: "completed" }),
    ]);
  });

  it("is sent at the idle state at the latest", () => {
    const sides = known();
    for (const text of ["a", "b", "c"]) sides.update(chunk(text));
    sides.update(state("running"));
    const [late, ...more] = sides.update(state("idle"));
    expect(contentOf(late)).toHaveLength(3);
    expect(more).toEqual([]);
    sides.update(state("running"));
    expect(sides.update(state("idle"))).toEqual([]);
  });

  it("follows content that replaced it", () => {
    const sides = known({ content: [item("old")] });
    sides.update(toolCall({ content: [item("new")] }));
    const [sent] = sides.update(chunk("more"));
    expect(contentOf(sent)).toEqual([item("new"), item("more")]);
  });

  it("costs linear work for a client that knows v2", () => {
    const calls = new ToolCallsInV1(new TerminalTexts(), new LossCounter(), true);
    let items = 0;
    for (let n = 0; n < 5000; n++) items += contentOf(calls.append(chunk("x")) ?? {}).length;
    expect(items).toBeLessThan(20 * 5000);
  });
});

describe("content of a tool call", () => {
  it("of odd types is left out", () => {
    const content = [5, null, { type: "_x" }, { type: "terminal" }, item("x")];
    const sides = known();
    const [sent] = sides.update(toolCall({ content }));
    expect(contentOf(sent)).toEqual([item("x")]);
  });
});

it("an update without an id becomes nothing", () => {
  expect(known().update({ sessionUpdate: "tool_call_update", title: "x" })).toEqual([]);
});

function contentOf(update: unknown): readonly unknown[] {
  const has = typeof update === "object" && update !== null && "content" in update;
  return has && Array.isArray(update.content) ? update.content : [];
}
