// The completions, in the shells they are for.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/cli/agents/catalogue.ts";
import { ALL_OPTIONS, COMMANDS } from "../../src/cli/args/options.ts";
import { completionScript, SHELLS } from "../../src/cli/completion/index.ts";
import { run, scratch, type Scratch } from "./support/run.ts";
import { offers, shellUnavailable } from "./support/shells.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
  await writeFile(join(place.cwd, "recorded.jsonl"), "");
  await mkdir(join(place.cwd, "recordings"));
});
afterAll(() => place.remove());
const where = () => ({ home: place.home, cwd: place.cwd });

describe("dragoman completion", () => {
  it.each(SHELLS)("%s prints a script with every command and option", async (shell) => {
    const { code, out } = await run(["completion", shell], where());
    expect(code).toBe(0);
    expect(out).toBe(completionScript(shell));
    for (const { name } of ALL_OPTIONS) expect(out).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    for (const { name } of COMMANDS) expect(out).toContain(name);
  });
  it("needs a shell it knows", async () => {
    expect(await run(["completion", "tcsh"], where())).toMatchObject({
      code: 2,
      last: "completion needs a shell; try: dragoman completion bash|zsh|fish",
    });
  });
});

const agents = CATALOGUE.map(({ name }) => name).toSorted();
const commands = COMMANDS.map(({ name }) => name).toSorted();

/** What may follow a line; a last word in progress is completed. */
const LINES: readonly (readonly [what: string, line: string, words: readonly string[]])[] = [
  ["a command", "dragoman cha", ["chat"]],
  ["a command after options", "dragoman -a demo -j ses", ["sessions"]],
  ["an option", "dragoman --stri", ["--strict-permissions"]],
  ["an option after a prompt", "dragoman hello --wri", ["--write"]],
  ["an option of a command", "dragoman sessions --al", ["--all"]],
  ["no option of another command", "dragoman agents --wri", []],
  ["the agents", "dragoman -a ", agents],
  ["an agent", "dragoman --agent gem", ["gemini"]],
  ["a value behind an equals sign", "dragoman --outputmode=eve", ["events"]],
  ["an agent to look at", "dragoman doctor ope", ["opencode"]],
  ["words of an option", "dragoman -o eve", ["events"]],
  ["what sessions can do", "dragoman sessions ", ["delete", "export", "list", "show"]],
  ["the shells", "dragoman completion ", ["bash", "fish", "zsh"]],
  ["the commands, for help", "dragoman help ", commands],
  ["a recording", "dragoman replay recorded", ["recorded.jsonl"]],
  ["a file", "dragoman --settings recorded", ["recorded.jsonl"]],
  ["a folder, and no file", "dragoman -C record", ["recordings"]],
  // Not a command there: it is the name of an agent.
  [
    "an option after a value that looks like a command",
    "dragoman -a chat --stri",
    ["--strict-permissions"],
  ],
];

describe.each(SHELLS)("in %s a Tab completes", (shell) => {
  const unavailable = shellUnavailable(shell);
  const title = unavailable === undefined ? "%s" : `%s (skipped: ${unavailable})`;
  let offered: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    offered = await offers(
      shell,
      LINES.map(([, line]) => line),
      place,
    );
  });
  it.skipIf(unavailable !== undefined).each(LINES)(title, (_what, line, words) => {
    expect(offered.get(line)).toEqual(words);
  });
});
