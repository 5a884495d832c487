import { describe, expect, it } from "vitest";
import {
  choiceAnswer,
  formAnswers,
  questionChoices,
  questionForm,
  questionText,
} from "../../../../src/apps/droid-acp/translate/requests.ts";
import { strictFaults } from "../../../support/schema.ts";

describe("questions to the user", () => {
  const request = {
    requestId: "1",
    toolCallId: "t",
    questions: [
      { index: 1, topic: "Colour", question: "Which?", options: ["Red", "Blue"], raw: {} },
      { index: 4, topic: undefined, question: "Why?", options: [], raw: {} },
    ],
  };
  const [colour, why] = request.questions;

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
    if (!colour || !why) throw new Error("unreachable");
    expect(questionChoices(colour).map(({ name, kind }) => [name, kind])).toEqual([
      ["Red", "allow_once"],
      ["Blue", "allow_once"],
      ["None of these", "reject_once"],
    ]);
    expect(questionChoices(why)).toHaveLength(1);
    expect(choiceAnswer(colour, "option-1")).toBe("Blue");
    expect(choiceAnswer(colour, "skip")).toBe("(no answer)");
    expect(choiceAnswer(colour, "option-9")).toBe("(no answer)");
  });

  it("are written as text", () => {
    expect(questionText(request.questions)).toBe("**Colour**: Which?\n- Red\n- Blue\n\nWhy?");
  });
});
