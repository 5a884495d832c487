import { expect, it } from "vitest";
import { rendersMarkdown } from "../../../../../src/apps/cli/render/terminal/style.ts";

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
