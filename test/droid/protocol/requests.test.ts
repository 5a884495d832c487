import { describe, expect, it } from "vitest";
import {
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
