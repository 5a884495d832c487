import { describe, expect, it } from "vitest";
import { wrapRows } from "../../../../../src/apps/cli/render/terminal/columns.ts";

const RED = "\u001b[31m";
const END = "\u001b[39m";
const RESET = "\u001b[0m";

describe("text is broken into rows", () => {
  it.each([
    ["a short text", "abc", ["abc"]],
    ["an empty text", "", [""]],
    ["a long text", "abcdefgh", ["abcde", "fgh"]],
    ["a text that fills a row", "abcde", ["abcde"]],
    ["lines", "ab\ncd", ["ab", "cd"]],
    ["wide characters", "漢字漢", ["漢字", "漢"]],
    ["marks on a character", "e\u0301".repeat(6), ["e\u0301".repeat(5), "e\u0301"]],
    ["tabs", "\tx", ["     ", "x"]],
    [
      "styles, which every row opens and ends",
      `${RED}abcdefg${END}h`,
      [`${RED}abcde${RESET}`, `${RED}fg${END}h`],
    ],
    ["styles that ended before", `${RED}ab${END}cdefg`, [`${RED}ab${END}cde`, "fg"]],
    [
      "links",
      "\u001b]8;;https://e.com\u001b\\abcde\u001b]8;;\u001b\\f",
      ["\u001b]8;;https://e.com\u001b\\abcde\u001b]8;;\u001b\\", "f"],
    ],
  ])("%s", (_what, text, rows) => {
    expect(wrapRows(text, 5)).toEqual(rows);
  });
});
