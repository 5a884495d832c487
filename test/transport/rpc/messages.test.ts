import { describe, expect, it } from "vitest";
import { classifyMessage } from "../../../src/transport/rpc/messages.ts";

const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) as unknown;

describe("classifying a message", () => {
  it.each([
    [
      { id: 1, method: "m", params: [1] },
      { kind: "request", id: 1, method: "m", params: [1] },
    ],
    [
      { id: "a", method: "m" },
      { kind: "request", id: "a", method: "m", params: undefined },
    ],
    [
      { id: null, method: "m" },
      { kind: "request", id: null, method: "m", params: undefined },
    ],
    [
      { id: 0, method: "" },
      { kind: "request", id: 0, method: "", params: undefined },
    ],
    [
      { id: 1, method: "m", result: 2 },
      { kind: "request", id: 1, method: "m", params: undefined },
    ],
    [
      { method: "m", params: null },
      { kind: "notification", method: "m", params: null },
    ],
    [
      { id: 1, result: null },
      { kind: "result", id: 1, result: null },
    ],
    [
      { id: 1, result: 0, error: null },
      { kind: "result", id: 1, result: 0 },
    ],
    [
      { id: 1, result: 0, method: null },
      { kind: "result", id: 1, result: 0 },
    ],
    [
      { id: "1", result: {} },
      { kind: "result", id: "1", result: {} },
    ],
    [
      { id: 1, error: { code: -1, message: "no", data: [2] } },
      { kind: "error", id: 1, error: { code: -1, message: "no", data: [2] } },
    ],
    [
      { id: 1, result: null, error: { code: -1, message: "no" } },
      { kind: "error", id: 1, error: { code: -1, message: "no" } },
    ],
    [
      { id: null, error: { code: -1, message: "no" } },
      { kind: "error", id: null, error: { code: -1, message: "no" } },
    ],
    [
      { error: { code: -1, message: "no" } },
      { kind: "error", id: null, error: { code: -1, message: "no" } },
    ],
    [
      { id: 1, error: "no" },
      { kind: "error", id: 1, error: { code: -32603, message: "no", data: "no" } },
    ],
    [
      { id: 1, error: 7 },
      { kind: "error", id: 1, error: { code: -32603, message: "7", data: 7 } },
    ],
    [
      { id: 1, error: { code: "E", message: { a: 1 } } },
      { kind: "error", id: 1, error: { code: -32603, message: '{"code":"E","message":{"a":1}}' } },
    ],
    [
      { id: 1, error: { code: 500 } },
      { kind: "error", id: 1, error: { code: 500, message: '{"code":500}' } },
    ],
    [{}, { kind: "invalid", id: null }],
    [{ id: 1 }, { kind: "invalid", id: 1 }],
    [{ result: 1 }, { kind: "invalid", id: null }],
    [
      { id: {}, result: 1 },
      { kind: "invalid", id: null },
    ],
    [
      { id: true, method: "m" },
      { kind: "invalid", id: null },
    ],
    [
      { id: 1, method: 7 },
      { kind: "invalid", id: 1 },
    ],
    [
      { id: [1], method: 7 },
      { kind: "invalid", id: null },
    ],
  ])("%j", (frame, message) => {
    expect(classifyMessage(frame)).toEqual(message);
  });

  it("handles an error of any nesting depth", () => {
    expect(classifyMessage({ id: 1, error: { message: deep } })).toMatchObject({
      kind: "error",
      error: { code: -32603, message: expect.any(String) as string },
    });
    expect(classifyMessage({ id: 1, error: [deep] })).toMatchObject({ kind: "error" });
  });
});
