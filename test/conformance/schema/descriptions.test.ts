import { expect, it } from "vitest";
import { describedFields } from "../../../src/conformance/index.ts";

const described = (...args: Parameters<typeof describedFields>) =>
  Object.fromEntries(describedFields(...args));

it("describes the fields of params, down to the items of lists", () => {
  const prompt = [{ type: "text", text: "hi", other: 1 }];
  const fields = described("session/prompt", "params", { sessionId: "s", prompt, extra: 1 }, 1);
  expect(fields).toMatchObject({
    ".params.sessionId": expect.stringContaining("session"),
    ".params.prompt": expect.stringContaining("message"),
    ".params.prompt[].text": expect.any(String),
  });
  expect(Object.keys(fields)).not.toContain(".params.extra");
  expect(Object.keys(fields)).not.toContain(".params.prompt[].other");
});

it("takes the form that a constant chooses", () => {
  const update = { sessionUpdate: "tool_call", toolCallId: "t", title: "T", entries: [] };
  const fields = described("session/update", "params", { sessionId: "s", update }, 1);
  expect(fields).toHaveProperty([".params.update.toolCallId"]);
  expect(fields).not.toHaveProperty([".params.update.entries"]);
});

it("describes results, and both versions", () => {
  const result = { protocolVersion: 2 };
  expect(described("initialize", "result", result, 1)).toHaveProperty([".result.protocolVersion"]);
  expect(described("initialize", "result", result, 2)).toHaveProperty([".result.protocolVersion"]);
});

it("knows nothing about other methods and other values", () => {
  expect(described("x/y", "params", { a: 1 }, 1)).toEqual({});
  expect(described("session/prompt", "params", [1], 1)).toEqual({});
});
