import { describe, expect, test } from "vitest";
import {
  cutAfterChunks,
  planReply,
  splitText,
  type WireItem,
} from "../../../src/conformance/model/reply.ts";
import {
  brokenStream,
  finish,
  hang,
  httpError,
  text,
  thinking,
  toolCall,
  usage,
} from "../../../src/conformance/model/script.ts";

describe("splitText", () => {
  test.each([
    ["abcdef", 3, ["ab", "cd", "ef"]],
    ["abc", 10, ["a", "b", "c"]],
    ["", 4, [""]],
    ["abc", 1, ["abc"]],
    ["a😀b", 3, ["a", "😀", "b"]],
  ])("cuts %j into %i chunks", (whole, chunks, expected) => {
    expect(splitText(whole, chunks)).toEqual(expected);
    expect(expected.join("")).toBe(whole);
  });
});

describe("planReply", () => {
  test("keeps the order of the parts and paces them", () => {
    const pause = hang();
    const call = toolCall("Read", { path: "a" }, { chunks: 2 });
    const plan = planReply([thinking("hm"), text("ab", { chunks: 2, delayMs: 5 }), pause, call]);
    expect(plan.pieces).toEqual([
      { kind: "thinking", text: "hm" },
      { kind: "wait", ms: 5 },
      { kind: "text", text: "a" },
      { kind: "wait", ms: 5 },
      { kind: "text", text: "b" },
      { kind: "gate", gate: pause.gate },
      { kind: "tool", id: call.id, name: "Read", fragments: ['{"path', '":"a"}'] },
    ]);
  });

  test.each([
    ["implies the reason stop for text", [text("a")], "stop"],
    ["implies the reason tool_calls for a tool call", [text("a"), toolCall("T")], "tool_calls"],
    ["prefers an explicit reason", [toolCall("T"), finish("length")], "length"],
  ] as const)("%s", (_name, step, reason) => {
    expect(planReply(step).finish).toBe(reason);
  });

  test("separates usage, errors and breaks from the pieces", () => {
    const plan = planReply([usage({ output: 7 }), httpError(429), brokenStream(2), brokenStream()]);
    expect(plan.usage).toMatchObject({ input: 1000, output: 7 });
    expect(plan.error).toMatchObject({ status: 429 });
    expect(plan.cutAfter).toBe(2);
    expect(plan.pieces).toEqual([{ kind: "cut" }]);
  });

  test("gives every tool call its own id", () => {
    expect(toolCall("A").id).not.toBe(toolCall("A").id);
  });
});

describe("cutAfterChunks", () => {
  const send = (data: string, content: boolean): WireItem => ({ kind: "send", data, content });
  const stream = [send("head", false), send("1", true), send("2", true), send("tail", false)];

  test.each([
    [0, ["head"]],
    [1, ["head", "1"]],
    [2, ["head", "1", "2", "tail"]],
  ])("breaks the stream after %i content deltas", (chunks, expected) => {
    const items = cutAfterChunks(stream, chunks);
    expect(items.at(-1)).toEqual({ kind: "cut" });
    expect(items.flatMap((item) => (item.kind === "send" ? [item.data] : []))).toEqual(expected);
  });
});
