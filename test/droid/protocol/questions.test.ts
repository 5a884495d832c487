import { describe, expect, it } from "vitest";
import {
  askUserResult,
  readAskUser,
  type AskUserAnswer,
} from "../../../src/droid/protocol/requests.ts";
import type { JsonObject } from "../../../src/base/index.ts";

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
