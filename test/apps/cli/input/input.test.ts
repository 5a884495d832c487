import { describe, expect, it, afterAll, beforeAll } from "vitest";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statusLine, statusOf } from "../../../../src/apps/cli/input/status-line.ts";
import { filesFor } from "../../../../src/apps/cli/input/files.ts";

const facts = {
  agent: "droid",
  model: "Sonnet",
  mode: "Auto",
  usage: { used: 24_000, size: 200_000, cost: { amount: 0.1234, currency: "USD" } },
};

describe("the status line", () => {
  it.each([
    ["everything", facts, 80, "droid · Sonnet · Auto · 12 % of 200k tokens · 0.123 USD"],
    ["as much as fits", facts, 50, "droid · Sonnet · Auto · 12 % of 200k tokens"],
    [
      "no figure that is not known",
      { ...facts, usage: undefined, model: undefined },
      80,
      "droid · Auto",
    ],
    [
      "tokens without a limit",
      { ...facts, usage: { used: 1234, size: 0 } },
      80,
      "droid · Sonnet · Auto · 1.2k tokens",
    ],
    ["a long name cut", { ...facts, agent: "a".repeat(20) }, 10, "aaaaaaaaa…"],
    [
      "text that is safe",
      { ...facts, model: "\u001b[2J", mode: undefined, usage: undefined },
      80,
      "droid · ␛[2J",
    ],
  ])("shows %s", (_what, given, columns, line) => {
    expect(statusLine(given, columns)).toBe(line);
  });

  it("takes the agent's names for the model and the mode", () => {
    const session = {
      contextUsage: undefined,
      modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] },
      configOptions: [
        {
          type: "select" as const,
          id: "m",
          name: "Model",
          category: "model",
          currentValue: "small",
          options: [{ value: "small", name: "Small" }],
        },
      ],
    };
    expect(statusOf("a", session, { used: 1, size: 2 })).toEqual({
      agent: "a",
      model: "Small",
      mode: "Ask",
      usage: { used: 1, size: 2 },
    });
  });
});

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dragoman-files-"));
  await mkdir(join(cwd, "src/deep"), { recursive: true });
  for (const name of ["README.md", "src/main.ts", "src/a b.ts", ".hidden", "evil\u001b]0;x"])
    await writeFile(join(cwd, name), "");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe("completion of files", () => {
  it.each([
    ["everything but hidden files, folders first", "see @", ["@src/", "@README.md"]],
    ["a name without regard to case", "see @read", ["@README.md"]],
    [
      "the files of a folder, in quotation marks if they need them",
      "@src/",
      ["@src/deep/", '@"src/a b.ts"', "@src/main.ts"],
    ],
    ["a path in quotation marks", '@"src/a ', ['@"src/a b.ts"']],
    ["hidden files after a dot", "@.h", ["@.hidden"]],
    ["nothing in a folder that does not exist", "@nowhere/", []],
    ["files of the home folder", "@~/src/m", ["@~/src/main.ts"]],
    ["nothing in an email address", "me@read", undefined],
    ["nothing in other text", "read", undefined],
  ])("offers %s", (_what, text, words) => {
    const found = filesFor(text, text.length, { cwd, home: cwd });
    expect(found?.items.map(({ word }) => word)).toEqual(words);
  });
  it("replaces the whole mention", () => {
    expect(filesFor("see @read now", 9, { cwd, home: cwd })?.start).toBe(4);
  });
});
