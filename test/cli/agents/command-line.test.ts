import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { joinCommandLine, quoted, splitCommandLine } from "../../../src/cli/agents/command-line.ts";
import { byHandLine, doctorLine } from "../../../src/cli/agents/hints.ts";

const LINES = [
  ["gemini", "--acp"],
  ["sh", "-c", "echo boom >&2; exit 3"],
  ["a b", "it's", 'say "x"', "$HOME `x` \\ !", "", "'", "\\'"],
];

describe("a command line", () => {
  it.each(LINES)("of %j … splits into the words it was made of", (...words) => {
    expect(splitCommandLine(joinCommandLine(words))).toEqual(words);
  });
  it.each(LINES)("of %j … survives a shell", (...words) => {
    const line = quoted(joinCommandLine(words));
    const out = execFileSync("sh", ["-c", `printf %s ${line}`], { encoding: "utf8" });
    expect(splitCommandLine(out)).toEqual(words);
  });
});

describe("a suggested command", () => {
  const agent = {
    name: "sh",
    command: "sh",
    args: ["-c", "echo boom >&2; exit 3"],
    from: "command line",
  } as const;
  it("keeps the quotes inside", () => {
    expect(doctorLine(agent)).toBe(
      `dragoman doctor --agent-command "sh -c 'echo boom >&2; exit 3'"`,
    );
    expect(byHandLine(agent)).toBe(
      "sh -c 'echo boom >&2; exit 3' in a terminal, to see what it says itself",
    );
  });
});
