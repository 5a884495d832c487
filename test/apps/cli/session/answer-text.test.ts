import { expect, it } from "vitest";
import { AnswerText } from "../../../../src/apps/cli/session/turn.ts";

function after(limit: number, ...pieces: readonly string[]) {
  const answer = new AnswerText(limit);
  for (const piece of pieces) answer.add(piece);
  return [answer.text, answer.truncated];
}

it.each([
  { what: "an answer up to the limit whole", pieces: ["abc", "", "de"], is: ["abcde", false] },
  { what: "the beginning of a longer one", pieces: ["abc", "def"], is: ["abcde", true] },
  { what: "nothing after the cut", pieces: ["abcdef", "g"], is: ["abcde", true] },
  { what: "no half of a character", pieces: ["abcd", "😀", "e"], is: ["abcd", true] },
  { what: "a character that just fits", pieces: ["abc", "😀", "e"], is: ["abc😀", true] },
])("keeps $what", ({ pieces, is }) => {
  expect(after(5, ...pieces)).toEqual(is);
});
