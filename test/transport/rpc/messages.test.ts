import { describe, expect, it } from "vitest";
import { classifyMessage } from "../../../src/transport/rpc/messages.ts";

const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) as unknown;

const no = { code: -1, message: "no" };

describe("classifying a message", () => {
  it.each([
    [{ id: 1, method: "m", params: [1] }, "request", { id: 1, method: "m", params: [1] }],
    [{ id: "a", method: "m" }, "request", { id: "a", method: "m", params: undefined }],
    [{ id: null, method: "m" }, "request", { id: null, method: "m", params: undefined }],
    [{ id: 0, method: "" }, "request", { id: 0, method: "", params: undefined }],
    [{ id: 1, method: "m", result: 2 }, "request", { id: 1, method: "m", params: undefined }],
    [{ method: "m", params: null }, "notification", { method: "m", params: null }],
    [{ id: 1, result: null }, "result", { id: 1, result: null }],
    [{ id: 1, result: 0, error: null }, "result", { id: 1, result: 0 }],
    [{ id: 1, result: 0, method: null }, "result", { id: 1, result: 0 }],
    [{ id: "1", result: {} }, "result", { id: "1", result: {} }],
    [
      { id: 1, error: { code: -1, message: "no", data: [2] } },
      "error",
      { id: 1, error: { code: -1, message: "no", data: [2] } },
    ],
    [{ id: 1, result: null, error: no }, "error", { id: 1, error: no }],
    [{ id: null, error: no }, "error", { id: null, error: no }],
    [{ error: no }, "error", { id: null, error: no }],
    [
      { id: 1, error: "no" },
      "error",
      { id: 1, error: { code: -32603, message: "no", data: "no" } },
    ],
    [{ id: 1, error: 7 }, "error", { id: 1, error: { code: -32603, message: "7", data: 7 } }],
    [
      { id: 1, error: { code: "E", message: { a: 1 } } },
      "error",
      { id: 1, error: { code: -32603, message: '{"code":"E","message":{"a":1}}' } },
    ],
    [
      { id: 1, error: { code: 500 } },
      "error",
      { id: 1, error: { code: 500, message: '{"code":500}' } },
    ],
    [{}, "invalid", { id: null }],
    [{ id: 1 }, "invalid", { id: 1 }],
    [{ result: 1 }, "invalid", { id: null }],
    [{ id: {}, result: 1 }, "invalid", { id: null }],
    [{ id: true, method: "m" }, "invalid", { id: null }],
    [{ id: 1, method: 7 }, "invalid", { id: 1 }],
    [{ id: [1], method: 7 }, "invalid", { id: null }],
  ])("%j is of the kind %s", (frame, kind, fields) => {
    expect(classifyMessage(frame)).toEqual({ kind, ...fields });
  });

  it("handles an error of any nesting depth", () => {
    expect(classifyMessage({ id: 1, error: { message: deep } })).toMatchObject({
      kind: "error",
      error: { code: -32603, message: expect.any(String) as string },
    });
    expect(classifyMessage({ id: 1, error: [deep] })).toMatchObject({ kind: "error" });
  });
});
