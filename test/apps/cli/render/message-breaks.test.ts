import { expect, it } from "vitest";
import { MessageBreaks } from "../../../../src/apps/cli/render/text/progress.ts";

function joined(pieces: readonly (readonly [string, string?])[]): string {
  const breaks = new MessageBreaks();
  return pieces.map(([text, id]) => breaks.separated(text, id)).join("");
}

it.each([
  [
    "pieces of one message",
    [
      ["a", "1"],
      ["b", "1"],
    ],
    "ab",
  ],
  ["pieces without an id", [["a"], ["b"]], "ab"],
  [
    "two messages",
    [
      ["a", "1"],
      ["b", "2"],
    ],
    "a\n\nb",
  ],
  [
    "a message that ends in a newline",
    [
      ["a\n", "1"],
      ["b", "2"],
    ],
    "a\n\nb",
  ],
  [
    "a message that ends in a blank line",
    [
      ["a\n", "1"],
      ["\n", "1"],
      ["b", "2"],
    ],
    "a\n\nb",
  ],
  ["an id that is missing in between", [["a", "1"], ["b"], ["c", "1"], ["d", "2"]], "abc\n\nd"],
] as const)("%s", (_name, pieces, text) => {
  expect(joined(pieces)).toBe(text);
});

it("does not separate the messages of two turns", () => {
  const breaks = new MessageBreaks();
  breaks.separated("a", "1");
  breaks.end();
  expect(breaks.separated("b", "2")).toBe("b");
});
