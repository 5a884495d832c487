import { describe, expect, it } from "vitest";
import {
  permissionOptionKind,
  permissionResult,
  readDroidPermissionRequest,
  type DroidPermissionAnswer,
  askUserResult,
  readAskUser,
  type AskUserAnswer,
} from "../../../src/droid/protocol/requests.ts";
import type { JsonObject } from "../../../src/base/index.ts";
import { readTranscript, transcriptNames } from "../transcript.ts";

function requestsIn(name: string): JsonObject[] {
  return readTranscript(name).flatMap(({ dir, frame }) =>
    dir === "out" && frame["method"] === "droid.request_permission" ? [frame] : [],
  );
}

describe("the captured permission requests", () => {
  it("all have a known kind, tools and options", () => {
    const requests = transcriptNames.flatMap(requestsIn);
    expect(requests.length).toBeGreaterThan(15);
    for (const { params } of requests) {
      const { toolUses, options } = readDroidPermissionRequest("r", params);
      expect(options.map(({ value }) => value)).toContain("cancel");
      for (const { toolUse, details, confirmationType } of toolUses) {
        expect(toolUse.id).not.toBe("");
        expect(details.kind).toBe(confirmationType);
      }
    }
  });
  it("may cover several tools at once", () => {
    const [frame] = requestsIn("parallel-tools-0.225.2");
    expect(readDroidPermissionRequest("r", frame?.["params"]).toolUses).toHaveLength(2);
  });
});

describe("the details of a confirmation", () => {
  const read = (value: JsonObject): unknown =>
    readDroidPermissionRequest("r", { toolUses: [value] }).toolUses[0]?.details;
  it("contain the option names of a plan, wherever Droid puts them", () => {
    const toolUse = {
      id: "t",
      name: "ExitSpecMode",
      input: { plan: "p", optionNames: ["A", "B"] },
    };
    const expected = { kind: "exit_spec_mode", plan: "p", optionNames: ["A", "B"] };
    const confirmationType = "exit_spec_mode";
    expect(read({ toolUse, confirmationType, details: { plan: "p" } })).toMatchObject(expected);
    const details = { plan: "p", optionNames: ["A", "B"] };
    expect(read({ confirmationType, details })).toMatchObject(expected);
  });
  it("list the files of a patch", () => {
    const file = { filePath: "/a", operation: "update", oldContent: "1", newContent: "2" };
    const details = { filePath: "/a", patchContent: "*** Begin Patch", files: [file] };
    expect(read({ confirmationType: "apply_patch", details })).toEqual({
      kind: "apply_patch",
      filePath: "/a",
      patch: "*** Begin Patch",
      files: [file],
    });
    const single = { filePath: "/a", patchContent: "p", oldContent: "1", newContent: "2" };
    expect(read({ confirmationType: "apply_patch", details: single })).toMatchObject({
      files: [{ filePath: "/a", oldContent: "1", newContent: "2" }],
    });
  });
  it("are kept unchanged if the kind is unknown", () => {
    expect(read({ confirmationType: "new_kind", details: { x: 1 } })).toEqual({
      kind: "unknown",
      raw: { x: 1 },
    });
  });
});

describe("the response to a permission request", () => {
  const request = readDroidPermissionRequest("r", {
    options: [{ value: "proceed_once", label: "Yes" }, { value: "cancel" }],
  });
  it.each<[DroidPermissionAnswer, JsonObject | undefined]>([
    ["proceed_once", { selectedOption: "proceed_once" }],
    ["cancel", { selectedOption: "cancel" }],
    [{ option: "proceed_once" }, { selectedOption: "proceed_once" }],
    [
      { option: "proceed_once", comment: "plan B" },
      { selectedOption: "proceed_once", comment: "plan B" },
    ],
    ["proceed_always", undefined],
    ["", undefined],
  ])("for the answer %j is %j", (answer, result) => {
    expect(permissionResult(request, answer)).toEqual(result);
  });
  it("may be cancel even if cancel was not offered", () => {
    const withoutCancel = readDroidPermissionRequest("r", { options: [{ value: "proceed_once" }] });
    expect(permissionResult(withoutCancel, "cancel")).toEqual({ selectedOption: "cancel" });
  });
});

describe("a permission option", () => {
  it.each([
    ["proceed_once", "allow_once"],
    ["proceed_always", "allow_always"],
    ["proceed_always_tools", "allow_always"],
    ["proceed_always_server", "allow_always"],
    ["proceed_auto_run_high", "allow_always"],
    ["proceed_edit", "allow_once"],
    ["cancel", "reject_once"],
    ["something_new", "reject_once"],
    ["", "reject_once"],
  ])("%s has the kind %s", (value, kind) => {
    expect(permissionOptionKind(value)).toBe(kind);
  });
});

describe("a decision as for any agent", () => {
  const EXEC = ["proceed_once", "proceed_always", "cancel"];
  const MCP = [
    "proceed_once",
    "proceed_always",
    "proceed_always_server",
    "proceed_always_tools",
    "cancel",
  ];
  const PLAN = [
    "proceed_new_session",
    "proceed_new_session_low",
    "proceed_auto_run_high",
    "proceed_auto_run_low",
    "proceed_once",
    "cancel",
  ];
  it.each<[DroidPermissionAnswer, readonly string[], string | undefined]>([
    ["allow", EXEC, "proceed_once"],
    ["allow", PLAN, "proceed_once"],
    ["allow", ["proceed_always", "cancel"], undefined],
    ["allow", ["proceed_new_session", "cancel"], undefined],
    ["allow_always", EXEC, "proceed_always"],
    ["allow_always", MCP, "proceed_always_tools"],
    ["allow_always", PLAN, "proceed_auto_run_low"],
    ["allow_always", ["proceed_once", "proceed_always_unheard_of", "cancel"], "proceed_once"],
    ["allow_always", ["cancel"], undefined],
    ["deny", EXEC, "cancel"],
    ["deny", [], "cancel"],
    ["deny", ["proceed_once", "cancel", "refuse"], "refuse"],
    ["cancel", ["refuse"], "cancel"],
    [{ optionId: "proceed_always" }, EXEC, "proceed_always"],
    [{ optionId: "proceed_once", remember: "session", meta: { x: 1 } }, EXEC, "proceed_once"],
    [{ optionId: "proceed_always_server" }, EXEC, undefined],
  ])("%j chooses among %j", (answer, values, selectedOption) => {
    const request = readDroidPermissionRequest("r", {
      options: values.map((value) => ({ value, label: value })),
    });
    const result = selectedOption === undefined ? undefined : { selectedOption };
    expect(permissionResult(request, answer)).toEqual(result);
  });
  it("refuses with a message as the comment", () => {
    const request = readDroidPermissionRequest("r", { options: [{ value: "cancel" }] });
    expect(permissionResult(request, { decision: "deny", message: "not here" })).toEqual({
      selectedOption: "cancel",
      comment: "not here",
    });
  });
});

describe("the response to a questionnaire", () => {
  const request = readAskUser("r", {
    toolCallId: "t",
    questions: [
      { index: 1, topic: "Color", question: "Which color?", options: ["Red", "Blue"] },
      { index: 2, topic: "Size", question: "Which size?", options: [] },
    ],
  });
  const response = {
    cancelled: false,
    answers: [
      { index: 1, question: "Which color?", answer: "Red" },
      { index: 2, question: "Which size?", answer: "large" },
    ],
  };
  it.each<[string, AskUserAnswer, JsonObject | undefined]>([
    ["contains answers given in the order of the questions", ["Red", "large"], response],
    [
      "contains answers given by index, in any order",
      [
        { index: 2, answer: "large" },
        { index: 1, answer: "Red" },
      ],
      response,
    ],
    ["declines for null", null, { cancelled: true, answers: [] }],
    ["is undefined if an answer is missing", ["Red"], undefined],
    ["is undefined for answers to other questions", [{ index: 9, answer: "x" }], undefined],
  ])("%s", (_name, answer, result) => {
    expect(askUserResult(request, answer)).toEqual(result);
  });
});
