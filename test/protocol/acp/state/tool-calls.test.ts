import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  cancelUnfinished,
  mergeToolCall,
  type ToolCallPatch,
  type ToolCallState,
  toToolCallPatch,
  toUpdate,
} from "../../../../src/protocol/acp/index.ts";

function change(fields: object): ToolCallPatch {
  const update = toUpdate({ sessionUpdate: "tool_call_update", toolCallId: "t", ...fields });
  if (update.type !== "tool_call" && update.type !== "tool_call_update")
    throw new Error("not a tool call");
  return update;
}
const call = (fields: object) => change({ sessionUpdate: "tool_call", ...fields });

function merged(...patches: readonly ToolCallPatch[]): ToolCallState {
  let state: ToolCallState | undefined;
  for (const patch of patches) state = mergeToolCall(state, patch);
  if (state === undefined) throw new Error("nothing to merge");
  return state;
}

const block = (text: string) => ({ type: "content", content: { type: "text", text } });

describe("mergeToolCall", () => {
  test("fills a single call with the protocol's defaults", () => {
    expect(merged(call({ title: "Read" }))).toEqual({
      toolCallId: "t",
      title: "Read",
      name: undefined,
      kind: "other",
      rawKind: undefined,
      status: "pending",
      rawStatus: undefined,
      content: [],
      locations: [],
      rawInput: undefined,
      rawOutput: undefined,
      meta: undefined,
    });
  });

  test("changes only the fields an update sets, and keeps those that are null", () => {
    const state = merged(
      call({ title: "Read", kind: "read", rawInput: { a: 1 }, locations: [{ path: "/a" }] }),
      change({ status: "completed", title: null, kind: null, rawInput: null, locations: null }),
    );
    expect(state).toMatchObject({
      title: "Read",
      kind: "read",
      status: "completed",
      rawInput: { a: 1 },
      locations: [{ path: "/a" }],
    });
  });

  test("replaces content and locations", () => {
    const state = merged(
      call({ content: [block("a"), block("b")], locations: [{ path: "/a" }] }),
      change({ content: [block("c")], locations: [] }),
    );
    expect(state.content).toEqual([block("c")]);
    expect(state.locations).toEqual([]);
  });

  test("accepts an update before its call, and a repeated call", () => {
    const early = change({ status: "in_progress", rawOutput: "o" });
    const state = merged(early, call({ title: "Run", kind: "execute" }), call({ title: "Run 2" }));
    expect(state).toMatchObject({
      title: "Run 2",
      kind: "execute",
      status: "in_progress",
      rawOutput: "o",
    });
  });

  test("reads an unknown kind as other and keeps the status for an unknown one, with both raw words", () => {
    const state = merged(
      call({ kind: "edit", status: "in_progress" }),
      change({ kind: "teleport", status: "paused" }),
    );
    expect(state).toMatchObject({
      kind: "other",
      rawKind: "teleport",
      status: "in_progress",
      rawStatus: "paused",
    });
  });

  test("merges the tool call of a permission request", () => {
    const patch = toToolCallPatch({ toolCallId: "t", title: "Edit?", kind: "edit" });
    if (patch === undefined) throw new Error("no patch");
    expect(merged(call({ title: "Edit", status: "pending" }), patch)).toMatchObject({
      title: "Edit?",
      kind: "edit",
      status: "pending",
    });
  });

  test("accepts the status cancelled", () => {
    expect(merged(call({ status: "in_progress" }), change({ status: "cancelled" })).status).toBe(
      "cancelled",
    );
  });

  test("does not modify its input", () => {
    const before = merged(call({ title: "a", content: [block("a")] }));
    const copy = structuredClone(before);
    mergeToolCall(before, change({ title: "b", content: [] }));
    expect(before).toEqual(copy);
  });

  test("merges updates of different fields in any order (property)", () => {
    const patches = [
      call({ title: "T" }),
      change({ kind: "edit" }),
      change({ status: "completed" }),
      change({ content: [block("x")] }),
      change({ locations: [{ path: "/a" }] }),
      change({ rawInput: 1 }),
      change({ rawOutput: 2 }),
      change({ name: "n" }),
    ];
    const expected = merged(...patches);
    fc.assert(
      fc.property(fc.shuffledSubarray(patches, { minLength: patches.length }), (order) => {
        expect(merged(...order)).toEqual(expected);
      }),
    );
  });
});

describe("a cancelled tool call", () => {
  const started = () => merged(call({ title: "Run", status: "in_progress" }));
  const cancelled = () => {
    const calls = new Map([["t", started()]]);
    cancelUnfinished(calls);
    const state = calls.get("t");
    if (state === undefined) throw new Error("the call is missing");
    return state;
  };

  test("was unfinished and is returned by cancelUnfinished", () => {
    const withStatus = (id: string, status: string) =>
      mergeToolCall(undefined, {
        ...change({ status }),
        toolCallId: id,
      });
    const calls = new Map(
      ["pending", "in_progress", "completed", "failed"].map((status) => [
        status,
        withStatus(status, status),
      ]),
    );
    const changed = cancelUnfinished(calls);
    expect(changed.map((state) => state.toolCallId)).toEqual(["pending", "in_progress"]);
    expect([...calls.values()].map((state) => state.status)).toEqual([
      "cancelled",
      "cancelled",
      "completed",
      "failed",
    ]);
    expect(cancelUnfinished(calls)).toEqual([]);
  });

  test("stays cancelled on late progress, but takes its other fields", () => {
    const state = mergeToolCall(cancelled(), change({ status: "in_progress", rawOutput: "late" }));
    expect(state).toMatchObject({ status: "cancelled", rawOutput: "late" });
  });

  test.each(["completed", "failed"])("takes a late end: %s", (status) => {
    expect(mergeToolCall(cancelled(), change({ status })).status).toBe(status);
  });

  test("starts again when the agent sends the same id in a new tool_call", () => {
    expect(mergeToolCall(cancelled(), call({ status: "in_progress" })).status).toBe("in_progress");
  });
});
