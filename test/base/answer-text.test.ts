import { expect, it } from "vitest";
import { AnswerText } from "../../src/base/index.ts";

type Step =
  | readonly [piece: string, messageId?: string]
  | { readonly toolCall: string }
  | { readonly retract: string };

const call = (toolCall: string) => ({ toolCall });
const retract = (id: string) => ({ retract: id });

function answerOf(steps: readonly Step[], limit?: number): AnswerText {
  const answer = new AnswerText(limit);
  for (const step of steps) {
    if ("toolCall" in step) answer.toolCall(step.toolCall);
    else if ("retract" in step) answer.retract(step.retract);
    else answer.add(...step);
  }
  return answer;
}

it.each<[string, readonly Step[], string, string]>([
  ["pieces of one message", [["Let me "], ["look."]], "Let me look.", "Let me look."],
  ["a message after a tool call", [["Look."], call("1"), ["Three."]], "Look.\n\nThree.", "Three."],
  ["two tool calls in a row", [["a"], call("1"), call("2"), ["b"]], "a\n\nb", "b"],
  [
    "an update of an earlier tool call",
    [["a"], call("1"), ["b"], call("1"), ["c"]],
    "a\n\nbc",
    "bc",
  ],
  ["a tool call first", [call("1"), ["a"], ["b"]], "ab", "ab"],
  ["a tool call last", [["a"], call("1")], "a", "a"],
  [
    "messages with ids",
    [
      ["a", "1"],
      ["b", "1"],
      ["c", "2"],
    ],
    "ab\n\nc",
    "c",
  ],
  ["a tool call within a message with an id", [["a", "1"], call("1"), ["b", "1"]], "ab", "ab"],
  ["a message with an id after one without", [["a"], ["b", "1"]], "a\n\nb", "b"],
  ["empty pieces", [["a"], call("1"), [""], ["b"]], "a\n\nb", "b"],
  ["a retracted message", [["a", "1"], ["b", "2"], retract("2")], "a", "a"],
  ["a retracted message, written anew", [["a", "1"], retract("1"), ["b", "1"]], "b", "b"],
  ["a retracted message before another", [["a", "1"], ["b", "2"], retract("1")], "b", "b"],
  [
    "all of three but one",
    [["a", "1"], ["b", "2"], ["c", "3"], retract("2"), ["d", "3"]],
    "a\n\ncd",
    "cd",
  ],
  ["a retraction without a message", [["a", "1"], retract("2")], "a", "a"],
  ["no text", [call("1")], "", ""],
])("joins %s", (_, steps, text, finalMessage) => {
  const answer = answerOf(steps);
  expect({ text: answer.text, finalMessage: answer.finalMessage }).toEqual({ text, finalMessage });
  expect(answer.isTruncated).toBe(false);
});

it.each<[readonly Step[], number, string]>([
  [[["abc"], ["def"]], 4, "abcd"],
  [[["abc"], ["\u{1f600}"]], 4, "abc"],
  [[["ab"], call("1"), ["cd"]], 5, "ab\n\nc"],
])("keeps the beginning of %j within %i characters", (steps, limit, text) => {
  const answer = answerOf([...steps, ["more"]], limit);
  expect(answer.text).toBe(text);
  expect(answer.isTruncated).toBe(true);
});

it("keeps what follows a retracted message that was too long", () => {
  const answer = answerOf([["a", "1"], ["bcdef", "2"], retract("2"), ["g", "2"]], 5);
  expect(answer.text).toBe("a\n\ng");
  expect(answer.isTruncated).toBe(false);
});
