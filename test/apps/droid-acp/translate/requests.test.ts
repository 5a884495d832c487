import { describe, expect, it } from "vitest";
import {
  allSteps,
  permissionAnswer,
  permissionOptions,
  stepContent,
  choiceAnswer,
  formAnswers,
  questionChoices,
  questionForm,
  questionText,
} from "../../../../src/apps/droid-acp/translate/requests.ts";
import type { ConfirmationDetails, DroidPermissionRequest } from "../../../../src/entries/droid.ts";
import { strictFaults } from "../../../support/schema.ts";

function requestWith(
  values: readonly string[],
  details: ConfirmationDetails = { kind: "unknown", raw: {} },
): DroidPermissionRequest {
  return {
    requestId: "1",
    toolUses: [
      { toolUse: { id: "t", name: "T", input: {} }, confirmationType: details.kind, details },
    ],
    options: values.map((value) => ({ value, label: `label of ${value}` })),
    raw: {},
  };
}

describe("a permission request", () => {
  it("has the labels from Droid, no options that switch sessions, and always an option to deny", () => {
    const request = requestWith([
      "proceed_once",
      "proceed_new_session",
      "proceed_new_session_low",
      "",
    ]);
    const options = permissionOptions(request);
    expect(options).toEqual([
      { optionId: "proceed_once", name: "label of proceed_once", kind: "allow_once" },
      { optionId: "cancel", name: "No, cancel", kind: "reject_once" },
    ]);
    for (const option of options) expect(strictFaults("PermissionOption", option)).toEqual([]);
  });

  it.each([
    ["proceed_once", "proceed_once"],
    ["cancel", "cancel"],
    ["proceed_new_session", "cancel"],
    ["never offered", "cancel"],
    ["proceed_once#0", "cancel"],
  ])("with the choice %s is answered with %s", (optionId, answer) => {
    const request = requestWith(["proceed_once", "proceed_new_session", "cancel"]);
    expect(permissionAnswer(request, optionId)).toBe(answer);
  });

  it("sends the choice between several plans to Droid as a comment", () => {
    const details = {
      kind: "exit_spec_mode",
      plan: "p",
      title: undefined,
      optionNames: ["A", "B"],
    } as const;
    const request = requestWith(["proceed_once", "cancel"], details);
    expect(permissionOptions(request).map(({ optionId, name }) => [optionId, name])).toEqual([
      ["proceed_once#0", "Proceed with: A"],
      ["proceed_once#1", "Proceed with: B"],
      ["proceed_once", "label of proceed_once"],
      ["cancel", "label of cancel"],
    ]);
    expect(permissionAnswer(request, "proceed_once#1")).toEqual({
      option: "proceed_once",
      comment: "Proceed with: B",
    });
    expect(permissionAnswer(request, "proceed_once#7")).toBe("cancel");
  });

  it("shows the command with its risk, the plan, the diff or the patch", () => {
    const show = (details: ConfirmationDetails) => {
      const [use] = requestWith([], details).toolUses;
      return use
        ? JSON.stringify(stepContent(use, [{ path: "/a", oldText: "o", newText: "n" }]))
        : "";
    };
    const exec = {
      kind: "exec",
      fullCommand: "rm x",
      command: "rm",
      extractedCommands: [],
      impactLevel: "high",
      riskLevelReason: "It deletes.",
    } as const;
    expect(show(exec)).toContain("```sh\\nrm x\\n```");
    expect(show(exec)).toContain("Impact: high. It deletes.");
    expect(show({ ...exec, riskLevelReason: undefined })).not.toContain("Impact");
    expect(
      show({ kind: "exit_spec_mode", plan: "# P", title: undefined, optionNames: [] }),
    ).toContain("# P");
    expect(
      show({ kind: "edit", filePath: "/a", fileName: undefined, oldContent: "o", newContent: "n" }),
    ).toContain('"type":"diff"');
    expect(show({ kind: "apply_patch", filePath: "/a", patch: "P", files: [] })).toContain(
      '"type":"diff"',
    );
    expect(show({ kind: "unknown", raw: {} })).toBe("[]");
  });

  it("lists several steps in one tool call", () => {
    const one = { title: "A", content: [], input: { a: 1 } };
    expect(allSteps([one])).toEqual([]);
    expect(JSON.stringify(allSteps([one, { ...one, title: "B" }]))).toMatch(
      /\*\*1\. A\*\*.*\*\*2\. B\*\*/,
    );
    expect(allSteps([])).toEqual([]);
  });
});

describe("questions to the user", () => {
  const request = {
    requestId: "1",
    toolCallId: "t",
    questions: [
      { index: 1, topic: "Color", question: "Which?", options: ["Red", "Blue"], raw: {} },
      { index: 4, topic: undefined, question: "Why?", options: [], raw: {} },
    ],
  };
  const [color, why] = request.questions;

  it("become one form that matches the schema", () => {
    const { message, schema } = questionForm(request);
    expect(message).toBe("Which?\nWhy?");
    expect(strictFaults("ElicitationSchema", schema)).toEqual([]);
    expect(schema.required).toEqual(["answer2"]);
    expect(Object.keys(schema.properties ?? {})).toEqual(["answer1", "answer1_other", "answer2"]);
  });

  it.each([
    [{ answer1: "Red", answer2: "so" }, ["Red", "so"]],
    [{ answer1: "Red", answer1_other: "Green", answer2: "so" }, ["Green", "so"]],
    [{ answer1: " ", answer2: 3 }, ["(no answer)", "(no answer)"]],
    [{}, ["(no answer)", "(no answer)"]],
  ])("take their answers from the form %j", (content, answers) => {
    const [first, second] = answers;
    expect(formAnswers(request, content)).toEqual([
      { index: 1, answer: first },
      { index: 4, answer: second },
    ]);
  });

  it("become choices for clients without forms", () => {
    if (!color || !why) throw new Error("unreachable");
    expect(questionChoices(color).map(({ name, kind }) => [name, kind])).toEqual([
      ["Red", "allow_once"],
      ["Blue", "allow_once"],
      ["None of these", "reject_once"],
    ]);
    expect(questionChoices(why)).toHaveLength(1);
    expect(choiceAnswer(color, "option-1")).toBe("Blue");
    expect(choiceAnswer(color, "skip")).toBe("(no answer)");
    expect(choiceAnswer(color, "option-9")).toBe("(no answer)");
  });

  it("are written as text", () => {
    expect(questionText(request.questions)).toBe("**Color**: Which?\n- Red\n- Blue\n\nWhy?");
  });
});
