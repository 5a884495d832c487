// oxlint-disable no-control-regex -- terminals are driven by control characters
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../../support/pty.ts";
import { agentCommand } from "./support/bin.ts";
import { leave, ANSWERED, processEnv, visible } from "./support/process.ts";
import { isAlive } from "./support/run.ts";
import { builtBin, foldersForAll } from "./commands/setup.ts";

const bin = builtBin();
const folders = foldersForAll();

describe.runIf(hasPty)("dragoman on a terminal", () => {
  const open = (...argv: string[]): Pty =>
    openPty(["node", bin.file, ...argv], { cwd: folders.cwd, env: processEnv(folders) });
  const shell = (line: string): Pty =>
    openPty(["bash", "--norc", "-c", line], { cwd: folders.cwd, env: processEnv(folders) });
  const agent = (...switches: string[]) => ["--agent-command", agentCommand(...switches)];
  const quoted = (...switches: string[]) => `--agent-command "${agentCommand(...switches)}"`;

  it("prints the answer, the progress and the shell's prompt on separate lines", async () => {
    const pty = open(...agent(), "story");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    const plain = visible(pty.shown);
    expect(plain).toContain("[plan] 1/3 done\n  ✓ look\n  → change\n  · tell\n");
    expect(plain).toMatch(
      /\[diff\] .*a\.txt \+1 -1\n {2}@@ -1,2 \+1,2 @@\n {3}one\n {2}-two\n {2}\+2\n/,
    );
    expect(plain.endsWith("Done.\n")).toBe(true);
    expect(pty.shown).toContain("\u001b[32m+2\u001b[39m");
  });
  it("adds a newline to an answer without one", async () => {
    const pty = open(...agent(), "hello");
    await pty.ended;
    expect(visible(pty.shown)).toBe("Hello, world\n");
  });
  it("shows a spinner, which leaves no trace", async () => {
    const pty = open(...agent(), "silent");
    await pty.reply(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting for node/, "\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  });
  it("reports a Ctrl-C and lets the agent end the turn", async () => {
    const pty = open(...agent(), "hang");
    await pty.reply(ANSWERED, "\u0003");
    await pty.waitFor("asking node to cancel; press Ctrl-C again to end it at once");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).toMatch(/waiting(?:\^C)?\ndragoman: asking node to cancel/);
  });
  it("keeps an unfinished line while the agent is busy", async () => {
    const pty = open(...agent(), "pause");
    await pty.ended;
    expect(visible(pty.shown)).toBe("before and after\n");
  });
  it("ends an agent that ignores the cancel on a second Ctrl-C", async () => {
    const file = join(folders.cwd, "pid-tty");
    const pty = open(...agent(`pid-file=${file}`, "ignore-eof", "ignore-signals"), "deaf");
    await pty.reply(ANSWERED, "\u0003");
    await pty.reply("asking node to cancel", "\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });
  it("asks for permission on the terminal while stdin and stdout are pipes", async () => {
    const pty = shell(`echo edit | node ${bin.file} ${quoted()} > answer.txt`);
    await pty.waitFor("node asks for permission: Edit a.txt");
    await pty.reply("Choose 1-3", "1\n");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    expect(await readFile(join(folders.cwd, "answer.txt"), "utf8")).toBe("once");
  });
  it("does not take earlier input as the answer to a question", async () => {
    const pty = open(...agent(), "edit");
    pty.type("1\n1");
    await pty.reply("Choose 1-3", "2\n");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    expect(visible(pty.shown)).toMatch(/cancel the turn\): 2\nno\n$/);
  });
  it("cancels the turn on Ctrl-C at a question", async () => {
    const pty = open(...agent(), "asking");
    await pty.reply("Choose 1-3", "\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).toContain("got cancelled");
  });
  describe("writes no control sequence to a dumb terminal", () => {
    const dumb = (...argv: string[]): Pty =>
      openPty(["node", bin.file, ...argv], {
        cwd: folders.cwd,
        env: { ...processEnv(folders), TERM: "dumb" },
      });
    it("while it waits", async () => {
      const pty = dumb(...agent(), "pause");
      expect(await pty.ended).toEqual({ code: 0, restored: true });
      expect(pty.shown).toMatch(/^before and after\r\n\[done\] \d+\.\d s\r\n$/);
    });
    it("at a question, even beside JSON", async () => {
      const pty = dumb(...agent(), "-o", "events", "edit");
      await pty.reply("Choose 1-3", "2\n");
      expect((await pty.ended).code).toBe(0);
      expect(pty.shown).not.toContain("\u001b");
    });
    it("in a chat, which reads plain lines", async () => {
      const pty = dumb("chat", ...agent());
      await pty.reply("> ", "story\n");
      await pty.waitFor("Done.");
      await pty.reply("> ", "edit\n");
      await pty.reply("Choose 1-3", "1\n");
      await pty.waitFor("once");
      await pty.reply("> ", "one\\\ntwo\n");
      await pty.waitFor("you said: one\r\ntwo");
      await pty.reply("> ", "/model\n");
      await pty.waitFor("* small");
      await pty.reply("> ", "\u0003");
      await pty.waitFor("press Ctrl-C again or Ctrl-D to end the chat");
      await leave(pty);
      expect(pty.shown).not.toContain("\u001b");
    });
  });
  it("keeps JSON output intact around a question", async () => {
    const pty = open(...agent(), "-o", "events", "edit");
    await pty.waitFor("\u001b[?1049h");
    await pty.reply("Choose 1-3", "2\n");
    await pty.ended;
    const main = pty.shown.replace(/\u001b\[\?1049h[^]*?\u001b\[\?1049l/g, "");
    const lines = main
      .trim()
      .split("\r\n")
      .filter((line) => !line.startsWith("dragoman:"));
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
  it("passes no control sequences from the agent to the terminal", async () => {
    const pty = open(...agent(), "escapes");
    await pty.ended;
    expect(pty.shown).not.toContain("\u001b[2J");
    expect(pty.shown).not.toContain("\u001b]");
    expect(pty.shown).toContain("a␛[2Jb␛]52;c;aGk=␇c<U+202E>d");
  });
  describe("escapes text in JSON that could act on the terminal", () => {
    // C1, DEL, marks of direction, and the first half of an invisible tag.
    const harmful = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\udb40]/;
    const SAID = "a\u009b2Jb\u009d0;owned\u009cc\u202ed\u2066e\u200ff\u007fg\u{e0041}h";
    const linesOf = (pty: Pty): string[] =>
      pty.shown.split("\r\n").filter((line) => line[0] === "{");
    const textsOf = (pty: Pty): string =>
      JSON.stringify(linesOf(pty).map((line) => JSON.parse(line) as unknown));
    const SAME = JSON.stringify(SAID);

    it.each([[["-o", "events"]], [["-j"]]])("with %j", async (output) => {
      const pty = open(...agent(), ...output, "controls");
      expect((await pty.ended).code).toBe(1);
      expect(pty.shown).not.toMatch(harmful);
      expect(pty.shown.replaceAll("\r\n", "")).not.toContain("\r");
      expect(linesOf(pty).length).toBeGreaterThan(3);
      expect(textsOf(pty)).toContain(SAME);
    });
    it("when it replays a recording", async () => {
      const recording = open(...agent(), "--record", "controls.jsonl", "controls");
      await recording.ended;
      const pty = open("replay", "controls.jsonl");
      const call = (id: number, method: string) =>
        pty.type(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: {} })}\n`);
      call(0, "initialize");
      call(1, "session/new");
      call(2, "session/prompt");
      await pty.reply("broke", "\u0004");
      expect((await pty.ended).code).toBe(0);
      expect(pty.shown).not.toMatch(harmful);
      expect(textsOf(pty)).toContain(SAME);
    });
    it("when an agent is started by hand", async () => {
      const pty = open("demo-agent");
      pty.type(
        `${JSON.stringify({ jsonrpc: "2.0", id: "\u001b]0;t\u0007", method: "x" })}\n`.replace(
          "]0;t",
          "]0;t\u009b2J\u202e",
        ),
      );
      await pty.reply(/"error"/, "\u0004");
      await pty.ended;
      const answer = pty.shown.slice(pty.shown.indexOf('"error"') - 80);
      expect(answer.slice(answer.indexOf('{"jsonrpc"'))).not.toMatch(harmful);
    });
    it("when the command line is invalid", async () => {
      const pty = open("-o", "events", "--no-such\u009b2J\u202e");
      expect((await pty.ended).code).toBe(2);
      expect(pty.shown).not.toMatch(harmful);
      expect(linesOf(pty)).toHaveLength(1);
    });
  });
  it("asks before the settings of a project start anything", async () => {
    const pty = shell(
      `mkdir -p p/.dragoman && echo '{"agent_servers":{"theirs":{"command":"touch","args":["ran"]}}}' > p/.dragoman/settings.json && cd p && node ${bin.file} --list-caps hello`,
    );
    await pty.waitFor("agent theirs: touch ran");
    await pty.reply("[y/N]", "\u0003");
    await pty.waitFor("interrupted");
    await pty.ended;
    await expect(readFile(join(folders.cwd, "p/ran"))).rejects.toThrow("ENOENT");
  });
  it("does not wait for settings that are a link to the terminal", async () => {
    const pty = shell(
      `mkdir -p t/.dragoman && ln -s /dev/tty t/.dragoman/settings.json && cd t && node ${bin.file} ${quoted()} hello; node ${bin.file} --settings .dragoman/settings.json hello`,
    );
    await pty.waitFor("settings.json is ignored: a link leads out of this folder, to /dev/tty");
    await pty.waitFor("Hello, world");
    await pty.waitFor("settings.json is a device, not a file");
    expect(await pty.ended).toEqual({ code: 2, restored: true });
  });
});
