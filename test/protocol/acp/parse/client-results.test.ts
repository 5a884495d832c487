import { describe, expect, test } from "vitest";

import {
  readCreateTerminalResult,
  readElicitationResult,
  readExitResult,
  readFileResult,
  readPermissionResult,
  readTerminalOutputResult,
} from "../../../../src/protocol/acp/index.ts";
import { expectViolation } from "./violation.ts";

describe("a client result that breaks the protocol", () => {
  test.each<[(result: unknown) => unknown, unknown, string, string]>([
    [readPermissionResult, {}, "session/request_permission", "outcome"],
    [readPermissionResult, { outcome: "selected" }, "session/request_permission", "outcome"],
    [
      readPermissionResult,
      { outcome: { outcome: "granted" } },
      "session/request_permission",
      "outcome.outcome",
    ],
    [
      readPermissionResult,
      { outcome: { outcome: "selected" } },
      "session/request_permission",
      "outcome.optionId",
    ],
    [readFileResult, { text: "x" }, "fs/read_text_file", "content"],
    [readCreateTerminalResult, {}, "terminal/create", "terminalId"],
    [readTerminalOutputResult, { truncated: false }, "terminal/output", "output"],
    [readTerminalOutputResult, { output: "" }, "terminal/output", "truncated"],
    [readExitResult, null, "terminal/wait_for_exit", ""],
    [readElicitationResult, { action: "maybe" }, "elicitation/create", "action"],
    [readElicitationResult, { action: "accept", content: [] }, "elicitation/create", "content"],
    [
      readElicitationResult,
      { action: "accept", content: { a: {} } },
      "elicitation/create",
      "content.a",
    ],
  ])("%o of %j throws an error that names the method and the field", (...example) => {
    expectViolation(...example);
  });
});

test("valid client results are read", () => {
  expect(readPermissionResult({ outcome: { outcome: "cancelled" } })).toEqual({
    outcome: "cancelled",
  });
  expect(readPermissionResult({ outcome: { outcome: "selected", optionId: "a" } })).toEqual({
    outcome: "selected",
    optionId: "a",
  });
  expect(readFileResult({ content: "" })).toBe("");
  expect(readCreateTerminalResult({ terminalId: "t" })).toBe("t");
  expect(readTerminalOutputResult({ output: "o", truncated: true, exitStatus: null })).toEqual({
    output: "o",
    truncated: true,
    exitStatus: undefined,
  });
  expect(
    readTerminalOutputResult({ output: "", truncated: false, exitStatus: { exitCode: 0 } })
      .exitStatus,
  ).toEqual({ exitCode: 0, signal: null });
  expect(readExitResult({ exitCode: null, signal: "SIGKILL" })).toEqual({
    exitCode: null,
    signal: "SIGKILL",
  });
  expect(readElicitationResult({ action: "accept", content: { a: 1, b: ["x"] } })).toEqual({
    action: "accept",
    content: { a: 1, b: ["x"] },
  });
  expect(readElicitationResult({ action: "accept" })).toEqual({ action: "accept", content: {} });
  expect(readElicitationResult({ action: "decline" })).toEqual({ action: "decline" });
});
