import { expect, it } from "vitest";
import { ansi, plain, wantsColour } from "../../../../../src/apps/cli/render/terminal/style.ts";

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
  "--color %s with %j on a terminal (%s) means colour: %s",
  (choice, env, isTty, colour) => {
    expect(wantsColour(choice, env, isTty)).toBe(colour);
  },
);

it("ansi adds a style, plain adds none", () => {
  expect(ansi("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(plain("red", "x")).toBe("x");
});
