// Questions and the job control of a shell.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasTmux, openTmux, type Tmux } from "../../../support/tmux.ts";
import { agentCommand, buildBin, type BuiltBin } from "../support/bin.ts";
import { processEnv } from "../support/process.ts";
import { scratch, type Scratch } from "../support/run.ts";

let bin: BuiltBin;
let folders: Scratch;
let terminal: Tmux;
beforeAll(async () => {
  bin = await buildBin();
}, 60_000);
afterAll(() => bin.remove());
beforeEach(async () => {
  folders = await scratch();
  terminal = openTmux(["bash", "--norc", "--noprofile", "-i"], {
    cwd: folders.cwd,
    env: { ...processEnv(folders), PS1: "$ " },
  });
  await terminal.waitFor(/^\$$/m);
});
afterEach(async () => {
  await terminal.close();
  await folders.remove();
});

const command = () => `node ${bin.file} --agent-command '${agentCommand()}'`;

function enter(line: string): void {
  terminal.enter(line);
}

/** Runs a command in the background until it wants to read, and then in the foreground. */
async function inBackground(line: string): Promise<void> {
  enter(`${line} &`);
  // The shell reports the stop before its next prompt.
  await expect
    .poll(
      () => {
        terminal.press("Enter");
        return terminal.screen();
      },
      { timeout: 15_000, interval: 100 },
    )
    .toContain("Stopped");
  enter("clear; fg");
}

describe.runIf(hasTmux)("after & and fg, Dragoman takes the answer to", () => {
  it("a question about a permission", async () => {
    await inBackground(`${command()} edit`);
    await terminal.waitFor(/the turn\):$/m);
    terminal.type("1");
    await terminal.waitFor(/the turn\): 1$/m);
    terminal.press("Enter");
    await terminal.waitFor(/^once\n\[done\] .*\n\$$/m);
  });

  it("a form", async () => {
    await inBackground(`${command()} form`);
    await terminal.waitFor("Name (text):");
    enter("x");
    await terminal.waitFor(/^Name \(text\): x\nSize/m);
  });

  it("the question whether to trust a project", async () => {
    await mkdir(join(folders.cwd, ".dragoman"));
    const settings = JSON.stringify({ agent_servers: { theirs: { command: "touch" } } });
    await writeFile(join(folders.cwd, ".dragoman/settings.json"), settings);
    await inBackground(`node ${bin.file} -a demo hello`);
    await terminal.waitFor(/\[y\/N\]$/m);
    enter("n");
    await terminal.waitFor(/\[y\/N\] n\n/m);
  });

  it("a chat", async () => {
    await inBackground(`node ${bin.file} chat --agent-command '${agentCommand()}'`);
    await terminal.waitFor(/^>$/m);
    enter("edit");
    await terminal.waitFor(/the turn\):$/m);
    enter("1");
    await terminal.waitFor(/^once\n\[done\] .*\n>$/m);
    terminal.press("C-d");
    await terminal.waitFor(/^\$$/m);
    enter("stty -a | grep -o ' icanon'");
    await terminal.waitFor(/^ icanon$/m);
  });
});

describe.runIf(hasTmux)("after Ctrl-Z and fg", () => {
  it("a question is asked again and takes the answer", async () => {
    enter(`${command()} edit`);
    await terminal.waitFor(/the turn\):$/m);
    terminal.press("C-z");
    await terminal.waitFor(/Stopped[^]*\n\$$/m);
    enter("clear; fg");
    await terminal.waitFor(/the turn\):$/m);
    enter("1");
    await terminal.waitFor(/the turn\): 1\nonce\n\[done\] .*\n\$$/m);
  });
});
