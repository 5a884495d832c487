import { expect, it, describe } from "vitest";
import {
  columnsOf,
  cutToColumns,
  wrapRows,
} from "../../../../../src/apps/cli/render/terminal/columns.ts";
import { wrap, columnsOfSpans, span } from "../../../../../src/apps/cli/render/terminal/spans.ts";
import {
  ansi,
  plain,
  wantsColor,
  rendersMarkdown,
} from "../../../../../src/apps/cli/render/terminal/style.ts";
import { spinnerRow } from "../../../../../src/apps/cli/render/terminal/bottom.ts";

it.each([
  ["", 0],
  ["plain", 5],
  ["漢字", 4],
  ["e\u0301", 1],
  ["a\u200bb", 2],
  ["🎉", 2],
])("%j takes %i columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

it.each([
  ["plain", 5, "plain"],
  ["plain", 4, "pla…"],
  ["漢字漢字", 6, "漢字…"],
  ["漢字漢字", 5, "漢字…"],
  ["漢字", 4, "漢字"],
])("%j cut to %i columns is %j", (text, columns, expected) => {
  expect(cutToColumns(text, columns)).toBe(expected);
  expect(columnsOf(cutToColumns(text, columns))).toBeLessThanOrEqual(columns);
});

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

import fc from "fast-check";

const rows = (text: string, width: number) =>
  wrap([span(text)], width).map((row) => row.map((one) => one.text).join(""));

describe("text", () => {
  it.each([
    ["", 5, [""]],
    ["one two", 7, ["one two"]],
    ["one two", 6, ["one", "two"]],
    ["one  two   three", 8, ["one  two", "three"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["a bcdefgh", 4, ["a", "bcde", "fgh"]],
    ["a\nb", 9, ["a", "b"]],
    ["  a", 9, ["  a"]],
    ["日本語", 4, ["日本", "語"]],
    ["日本語", 5, ["日本", "語"]],
    ["ab日本", 4, ["ab日", "本"]],
    ["日本。", 4, ["日", "本。"]],
    ["e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]],
    ["ab", 1, ["a", "b"]],
  ])("%j is broken to %i columns", (text, width, expected) => {
    expect(rows(text, width)).toEqual(expected);
  });

  it("keeps the styles on both sides of a break, and words that have two", () => {
    const spans = [span("one tw", "bold"), span("o three")];
    expect(wrap(spans, 8)).toEqual([[span("one tw", "bold"), span("o")], [span("three")]]);
  });

  it("loses nothing but spaces, and fits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "bc", " ", "日", "。", "\n", "e\u0301")),
        fc.integer({ min: 2, max: 12 }),
        (parts, width) => {
          const broken = wrap([span(parts.join(""))], width);
          for (const row of broken) expect(columnsOfSpans(row)).toBeLessThanOrEqual(width);
          const text = broken.flatMap((row) => row.map((one) => one.text)).join("");
          expect(text.replace(/\s/g, "")).toBe(parts.join("").replace(/\s/g, ""));
        },
      ),
    );
  });
});

it.each([
  ["auto", {}, true, true],
  ["auto", {}, false, false],
  ["auto", { NO_COLOR: "1" }, true, false],
  ["auto", { NO_COLOR: "" }, true, true],
  ["auto", { FORCE_COLOR: "1" }, false, true],
  ["auto", { FORCE_COLOR: "0" }, true, false],
  ["auto", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
  ["auto", { TERM: "dumb" }, true, false],
  ["always", { NO_COLOR: "1" }, false, true],
  ["never", { FORCE_COLOR: "1" }, true, false],
] as const)(
  "--color %s with %j on a terminal (%s) means color: %s",
  (choice, env, isTty, color) => {
    expect(wantsColor(choice, env, isTty)).toBe(color);
  },
);

it("ansi adds a style, plain adds none", () => {
  expect(ansi("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(plain("red", "x")).toBe("x");
});

const TERMINAL = {
  raw: false,
  setting: undefined,
  env: { TERM: "xterm" },
  output: { isTty: true },
};

it.each([
  ["on a terminal", {}, true],
  ["not in a pipe", { output: { isTty: false } }, false],
  ["not with --raw", { raw: true }, false],
  ["not if the settings say no", { setting: false }, false],
  ["if the settings say yes", { setting: true }, true],
  [
    "not in a pipe, even if the settings say yes",
    { setting: true, output: { isTty: false } },
    false,
  ],
  ["not on a dumb terminal", { env: { TERM: "dumb" } }, false],
])("Markdown is rendered %s", (_case, change, renders) => {
  expect(rendersMarkdown({ ...TERMINAL, ...change })).toBe(renders);
});

describe("the spinner", () => {
  it.each([
    ["no time within the first second", "thinking", 999, 80, "⠋ thinking"],
    ["the seconds", "thinking", 12_700, 80, "⠋ thinking (12 s)"],
    ["the minutes", "thinking", 125_000, 80, "⠋ thinking (2 min 5 s)"],
    ["the time even if the label is cut", "a long label", 12_000, 17, "⠋ a lon… (12 s)"],
  ])("shows %s", (_what, label, elapsedMs, columns, row) => {
    expect(spinnerRow(label, { frame: 0, elapsedMs, columns })).toBe(row);
  });
});
