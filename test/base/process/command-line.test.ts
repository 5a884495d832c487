import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  joinCommandLine,
  quoted,
  splitCommandLine,
} from "../../../src/base/process/command-line.ts";

const LINES = [
  ["gemini", "--acp"],
  ["sh", "-c", "echo boom >&2; exit 3"],
  ["a b", "it's", 'say "x"', "$HOME `x` \\ !", "", "'", "\\'"],
];

describe("a command line", () => {
  it.each(LINES)("that starts with %j splits into the words it was joined from", (...words) => {
    expect(splitCommandLine(joinCommandLine(words))).toEqual(words);
  });
  it.each(LINES)("that starts with %j survives a shell", (...words) => {
    const line = quoted(joinCommandLine(words));
    const out = execFileSync("sh", ["-c", `printf %s ${line}`], { encoding: "utf8" });
    expect(splitCommandLine(out)).toEqual(words);
  });
  it.each([
    ["a b  c", ["a", "b", "c"]],
    ["'a b' \"c d\"", ["a b", "c d"]],
    ["a\\ b", ["a b"]],
    [String.raw`"say \"hi\""`, ['say "hi"']],
    [String.raw`C:\dir\x.exe -y`, [String.raw`C:\dir\x.exe`, "-y"]],
    ["x --k='v w'", ["x", "--k=v w"]],
    ["''", [""]],
    ["$HOME | cat", ["$HOME", "|", "cat"]],
    [" ", []],
  ])("splits %j like a shell", (text, words) => {
    expect(splitCommandLine(text)).toEqual(words);
  });
});
