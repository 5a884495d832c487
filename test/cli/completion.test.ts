// Runs the completion scripts in real shells.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/agents/catalogue.ts";
import { ALL_OPTIONS, COMMANDS } from "../../src/cli/args/options.ts";
import { completionScript, SHELLS } from "../../src/cli/completion/index.ts";
import { run, scratch, type Scratch } from "./support/run.ts";
import { offers, shellUnavailable } from "./support/shells.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
  await writeFile(join(folders.cwd, "recorded.jsonl"), "");
  await mkdir(join(folders.cwd, "recordings"));
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });

describe("dragoman completion", () => {
  it.each(SHELLS)("%s prints a script that contains every command and option", async (shell) => {
    const { code, out } = await run(["completion", shell], where());
    expect(code).toBe(0);
    expect(out).toBe(completionScript(shell));
    for (const { name } of ALL_OPTIONS) expect(out).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    for (const { name } of COMMANDS) expect(out).toContain(name);
  });
  it("fails for an unknown shell", async () => {
    expect(await run(["completion", "tcsh"], where())).toMatchObject({
      code: 2,
      last: "completion needs a shell; try: dragoman completion bash|zsh|fish",
    });
  });
});

const agents = CATALOGUE.map(({ name }) => name).toSorted();
const commands = COMMANDS.map(({ name }) => name).toSorted();

/** The candidates at the end of each line. An unfinished last word is completed. */
const LINES: readonly (readonly [name: string, line: string, words: readonly string[]])[] = [
  ["a command", "dragoman cha", ["chat"]],
  ["a command after options", "dragoman -a demo -j ses", ["sessions"]],
  ["an option", "dragoman --stri", ["--strict-permissions"]],
  ["an option after a prompt", "dragoman hello --wri", ["--write"]],
  ["an option of a command", "dragoman sessions --al", ["--all"]],
  ["no option of another command", "dragoman agents --wri", []],
  ["the agents", "dragoman -a ", agents],
  ["an agent", "dragoman --agent gem", ["gemini"]],
  ["a value after an equals sign", "dragoman --outputmode=eve", ["events"]],
  ["an agent to check", "dragoman doctor ope", ["opencode"]],
  ["the possible values of an option", "dragoman -o eve", ["events"]],
  ["the actions of sessions", "dragoman sessions ", ["delete", "export", "list", "show"]],
  ["the shells", "dragoman completion ", ["bash", "fish", "zsh"]],
  ["the commands, for help", "dragoman help ", commands],
  ["a recording", "dragoman replay recorded", ["recorded.jsonl"]],
  ["a file", "dragoman --settings recorded", ["recorded.jsonl"]],
  ["a folder but not a file", "dragoman -C record", ["recordings"]],
  // Here, chat is the name of an agent and not a command.
  [
    "an option after a value that looks like a command",
    "dragoman -a chat --stri",
    ["--strict-permissions"],
  ],
];

describe.each(SHELLS)("Tab in %s completes", (shell) => {
  const unavailable = shellUnavailable(shell);
  const title = unavailable === undefined ? "%s" : `%s (skipped: ${unavailable})`;
  let offered: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    offered = await offers(
      shell,
      LINES.map(([, line]) => line),
      folders,
    );
  });
  it.skipIf(unavailable !== undefined).each(LINES)(title, (_name, line, words) => {
    expect(offered.get(line)).toEqual(words);
  });
});
