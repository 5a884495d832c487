/** Tests the schema check itself: a validator that accepts everything would prove nothing. */
import { describe, expect, it } from "vitest";
import { FrameChecker, strictFaults } from "./schema.ts";

const update = (fields: object) => ({ sessionId: "s", update: fields });
const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };

describe("the strict schema", () => {
  it.each([
    ["a chunk", update(chunk)],
    ["_meta anywhere", { ...update({ ...chunk, _meta: { x: { y: 1 } } }), _meta: { z: 1 } }],
    [
      "arbitrary raw values in a tool call",
      update({ sessionUpdate: "tool_call_update", toolCallId: "t", rawInput: { any: [1] } }),
    ],
    ["a plan", update({ sessionUpdate: "plan", entries: [] })],
  ])("accepts %s", (_, value) => {
    expect(strictFaults("SessionNotification", value)).toEqual([]);
  });

  it.each([
    ["an undeclared property at the top level", { ...update(chunk), extra: 1 }],
    ["an undeclared property in the update", update({ ...chunk, extra: 1 })],
    [
      "an undeclared property in the content",
      update({ ...chunk, content: { type: "text", text: "x", extra: 1 } }),
    ],
    ["a property of another kind of update", update({ ...chunk, entries: [] })],
    [
      "an undeclared property in a list",
      update({
        sessionUpdate: "plan",
        entries: [{ content: "a", priority: "low", status: "pending", extra: 1 }],
      }),
    ],
    ["an unknown kind", update({ sessionUpdate: "something" })],
    ["a missing property", update({ sessionUpdate: "agent_message_chunk" })],
  ])("faults %s", (_, value) => {
    expect(strictFaults("SessionNotification", value)).not.toEqual([]);
  });

  it("knows session/fork only in its unstable version", () => {
    const result = { sessionId: "s" };
    expect(strictFaults("ForkSessionResponse", result)).not.toEqual([]);
    expect(strictFaults("ForkSessionResponse", result, "unstable")).toEqual([]);
  });
});

describe("the frame checker", () => {
  const faultsOf = (requests: object[], ...lines: unknown[]): readonly string[] => {
    const checker = new FrameChecker("agent");
    for (const frame of requests) checker.saw("client", JSON.stringify(frame));
    for (const line of lines) {
      checker.saw("agent", typeof line === "string" ? line : JSON.stringify(line));
    }
    return checker.faults;
  };
  const rpc = { jsonrpc: "2.0" };
  const prompt = { ...rpc, id: 1, method: "session/prompt", params: {} };

  it("validates an answer against its request", () => {
    const end = { ...rpc, id: 1, result: { stopReason: "end_turn" } };
    expect(faultsOf([prompt], end)).toEqual([]);
    expect(faultsOf([{ ...prompt, method: "session/new" }], end)).not.toEqual([]);
    expect(faultsOf([], end)).not.toEqual([]);
    expect(faultsOf([prompt], { ...rpc, id: 1, result: { stop_reason: "end_turn" } })).not.toEqual(
      [],
    );
  });

  it.each([
    ["text that is not JSON", "hello"],
    ["a frame without its version", { method: "session/update", params: update(chunk) }],
    [
      "a method that only the other side may call",
      { ...rpc, id: 1, method: "session/prompt", params: {} },
    ],
    ["an unknown method", { ...rpc, method: "session/nothing", params: {} }],
    ["a notification sent as a request", { ...rpc, id: 1, method: "session/update", params: {} }],
    ["an undeclared member", { ...rpc, id: null, error: { code: 1, message: "" }, more: 1 }],
  ])("faults %s", (_, line) => {
    expect(faultsOf([], line)).not.toEqual([]);
  });
});
