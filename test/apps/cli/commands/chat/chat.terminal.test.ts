import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../../../../support/pty.ts";
import { agentCommand } from "../../support/bin.ts";
import { leave, processEnv } from "../../support/process.ts";
import { isAlive } from "../../support/run.ts";
import { builtBin, foldersForAll } from "../setup.ts";

const bin = builtBin();
const folders = foldersForAll();

describe.runIf(hasPty)("a chat on a terminal", () => {
  const chat = (...switches: string[]): Pty =>
    openPty(["node", bin.file, "chat", "--agent-command", agentCommand(...switches)], {
      cwd: folders.cwd,
      env: processEnv(folders),
    });

  it("has line editing, completion, history and several turns", async () => {
    const pty = chat("commands-first");
    await pty.reply("> ", "hellx\u007fo\r");
    await pty.waitFor("Hello, world");
    await pty.reply("> ", "/pl\t");
    await pty.reply("/plan", "x\r");
    await pty.waitFor("you said: /planx");
    await pty.reply("> ", "\u001b[A\u001b[A\r");
    await pty.waitFor("Hello, world");
    await leave(pty);
  });
  it("takes pasted text as one prompt, which a typed Enter sends", async () => {
    const pty = chat();
    await pty.reply("> ", "\u001b[200~one\rtwo\rthree\u001b[201~");
    await pty.reply("three", "!\r");
    await pty.waitFor("you said: one\r\ntwo\r\nthree!");
    await leave(pty);
  });
  it("clears the line on Ctrl-C, then warns, then ends", async () => {
    const pty = chat();
    await pty.reply("> ", "half a line\u0003");
    pty.type("\u0003");
    await pty.waitFor("press Ctrl-C again or Ctrl-D to end the chat");
    await pty.reply("> ", "\u0003");
    await pty.waitFor(/dragoman:\S* interrupted/);
    expect(await pty.ended).toEqual({ code: 130, restored: true });
  });
  it("stops on Ctrl-Z and continues with fg", async () => {
    const line = `set -m; node ${bin.file} chat --agent-command "${agentCommand()}"; echo STOPPED; stty -a | grep -o " icanon"; fg`;
    const pty = openPty(["bash", "--norc", "-c", line], {
      cwd: folders.cwd,
      env: processEnv(folders),
    });
    await pty.reply("> ", "\u001a");
    await pty.waitFor("STOPPED");
    await pty.waitFor(" icanon");
    await pty.reply("> ", "hello\r");
    await pty.waitFor("Hello, world");
    await leave(pty);
  });
  it("ends with its agent when the terminal disappears", async () => {
    const file = join(folders.cwd, "pid-gone");
    const pty = chat(`pid-file=${file}`);
    await pty.waitFor("> ");
    const pid = Number(await readFile(file, "utf8"));
    pty.hangUp();
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
  });
  it("reports that its agent died and restores the terminal", async () => {
    const pty = chat();
    await pty.reply("> ", "crash\r");
    expect(await pty.ended).toEqual({ code: 8, restored: true });
    expect(pty.shown).toContain("exit code 3");
  });
});
