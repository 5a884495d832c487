import { expect, it } from "vitest";
import { styledText } from "../../../../../src/apps/inspector/page/parts/ansi.ts";

it("obeys colors and styles", () => {
  expect(styledText("a \u001B[1;31mb\u001B[0m c\u001B[92md\u001B[39me")).toEqual([
    { text: "a ", style: "" },
    { text: "b", style: "t-bold t-f1" },
    { text: " c", style: "" },
    { text: "d", style: "t-f2" },
    { text: "e", style: "" },
  ]);
});

it("maps other colors to the nearest of the page", () => {
  expect(styledText("\u001B[38;5;196mx\u001B[38;2;10;200;20my\u001B[48;5;4mz")).toEqual([
    { text: "x", style: "t-f1" },
    { text: "y", style: "t-f2" },
    { text: "z", style: "t-f2 t-back" },
  ]);
});

it("shows every other control sequence", () => {
  expect(styledText("\u001B]0;title\u0007\u001B[2Jx\r\ny")).toEqual([
    { text: "␛]0;title␇␛[2Jx\ny", style: "" },
  ]);
});
