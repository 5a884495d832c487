// Runs the completion scripts in real shells.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../../../src/apps/cli/agents/catalogue.ts";
import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { SHELLS } from "../../../../../src/apps/cli/commands/completion/declaration.ts";
import { SessionStore } from "../../../../../src/apps/cli/stored/sessions.ts";
import { fakeIo } from "../../support/io.ts";
import { run } from "../../support/run.ts";
import { offers, shellUnavailable } from "../../support/shells.ts";
import { builtBin, foldersForAll } from "../setup.ts";
import { completionScript } from "../../../../../src/apps/cli/commands/completion/scripts.ts";

const folders = foldersForAll();
const bin = builtBin();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "recorded.jsonl"), "");
  await mkdir(join(folders.cwd, "recordings"));
  await mkdir(join(folders.home, "bin"));
  const command = join(folders.home, "bin", "dragoman");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${bin.file}" "$@"\n`);
  await chmod(command, 0o755);
  const store = new SessionStore(fakeIo({ home: folders.home }));
  const at = "2026-01-02T03:04:05Z";
  const title = "It's a: title";
  await store.remember("demo", folders.cwd, { sessionId: "abc-1", at, title });
  await store.remember("demo", folders.cwd, { sessionId: "abd-2", at });
  await store.remember("droid", folders.cwd, { sessionId: "xyz", at });
  await store.remember("demo", join(folders.cwd, "recordings"), { sessionId: "elsewhere", at });
  await store.remember("demo", folders.cwd, { sessionId: "$(touch hit)", at });
}, 60_000);

describe("dragoman completion", () => {
  it.each(SHELLS)("%s prints a script that contains every command and option", async (shell) => {
    const { code, out } = await run(["completion", shell], folders);
    expect(code).toBe(0);
    expect(out).toBe(completionScript(shell, GRAMMAR));
    for (const { name } of GRAMMAR.options) expect(out).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    for (const { name } of GRAMMAR.commands) expect(out).toContain(name);
  });
  it("fails for an unknown shell", async () => {
    expect(await run(["completion", "tcsh"], folders)).toMatchObject({
      code: 2,
      last: "completion needs a shell; try: dragoman completion bash|zsh|fish",
    });
  });
});

const agents = CATALOGUE.map(({ name }) => name).toSorted();
const commands = GRAMMAR.commands.map(({ name }) => name).toSorted();

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
  ["the actions of sessions", "dragoman sessions ", ["delete", "export", "list", "prune", "show"]],
  ["the sessions of this folder", "dragoman --resume ", ["abc-1", "abd-2", "xyz"]],
  ["the sessions of an agent", "dragoman -a droid --resume ", ["xyz"]],
  ["a session", "dragoman chat -a demo --resume abc", ["abc-1"]],
  ["a session after an equals sign", "dragoman --resume=abd", ["abd-2"]],
  ["a session of another folder", "dragoman -C recordings --resume ", ["elsewhere"]],
  ["a session to show", "dragoman sessions show -a demo abc", ["abc-1"]],
  ["a session to delete", "dragoman sessions delete x", ["xyz"]],
  ["no session after list", "dragoman sessions list x", []],
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
