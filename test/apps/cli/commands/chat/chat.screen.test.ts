// A chat as a person sees it: the screen of a real terminal.
import { execFileSync } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hasTmux, openTmux, type Tmux } from "../../../../support/tmux.ts";
import { agentCommand } from "../../support/bin.ts";
import { processEnv } from "../../support/process.ts";
import { builtBin, foldersForEach } from "../setup.ts";

const bin = builtBin();
const folders = foldersForEach();

let terminal: Tmux;
afterEach(async () => {
  await terminal.close();
});

interface ChatOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

function start(argv: readonly string[], options: ChatOptions = {}): Tmux {
  const { env = {}, ...size } = options;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  terminal = openTmux(["env", ...variables, "node", bin.file, ...argv], {
    cwd: folders.cwd,
    env: processEnv(folders),
    ...size,
  });
  return terminal;
}

/** Starts a chat, and waits for its prompt. */
async function chat(switches: readonly string[] = [], options: ChatOptions = {}): Promise<void> {
  start(["chat", "--agent-command", agentCommand(...switches)], options);
  await terminal.waitFor(/^>$/m);
}

/** A turn whose pieces the test sends one by one. */
async function fed(
  options: ChatOptions = {},
): Promise<{ readonly say: (text: string) => Promise<void>; readonly pipe: FileHandle }> {
  const file = join(folders.cwd, "feed");
  execFileSync("mkfifo", [file]);
  await chat([`feed=${file}`], options);
  terminal.enter("feed");
  const pipe = await open(file, "w");
  return {
    pipe,
    say: async (text) => void (await pipe.write(`${JSON.stringify(text)}\n`)),
  };
}

const LINES = Array.from({ length: 12 }, (_, n) => `line ${n} ${"of the answer ".repeat(3)}漢字`);

/** The text alone: the answer is wrapped between words. */
const joined = (text: string): string => text.replace(/\s+/g, "");

describe.runIf(hasTmux)("the screen of a chat", () => {
  it.each([50, 80, 120])(
    "at %i columns has the answer, the prompt and the status",
    async (columns) => {
      await chat(["commands-first"], { columns });
      terminal.enter("hello");
      await terminal.waitFor("Hello, world");
      await terminal.waitFor(/Hello, world\n\[done\] .*\n>\nnode · Small · Ask$/);
      expect(terminal.screen()).toContain("> hello\n");
    },
  );

  it("draws a long paragraph that no longer fits on the resized screen only once more", async () => {
    const { say, pipe } = await fed({ columns: 120 });
    await say(LINES.join("\\\n"));
    await terminal.waitFor(LINES.at(-1) ?? "");
    await terminal.resize(30, 24);
    await terminal.waitFor(/\n>\nnode · Small · Ask$/);
    await pipe.close();
    await terminal.waitFor("[done]");
    await terminal.resize(120, 24);
    const all = joined(terminal.everything());
    for (const line of LINES) expect([1, 2]).toContain(all.split(joined(line)).length - 1);
  });

  it("loses no row of the answer when the terminal is resized during a turn", async () => {
    const { say, pipe } = await fed();
    const widths = [50, 120, 60, 100, 80, 50];
    for (const [n, line] of LINES.entries()) {
      await say(line.slice(0, 20));
      await terminal.waitFor(line.slice(0, 20).trimEnd());
      const width = widths[n % widths.length] ?? 80;
      await terminal.resize(width, 24);
      await say(`${line.slice(20)}\n`);
      await terminal.waitFor(`line ${n}`);
    }
    await pipe.close();
    await terminal.waitFor(/\n>\nnode · Small · Ask$/);
    await terminal.resize(120, 24);
    await terminal.waitFor(/\n>\nnode · Small · Ask$/);
    // Above it may be copies of rows: tmux 3.3 moves rows into its history although the screen has room.
    expect(joined(terminal.everything())).toContain(joined(`${LINES.join("")}[done]`));
  });

  it("keeps the question when the terminal is resized", async () => {
    await chat();
    terminal.enter("edit");
    await terminal.waitFor("Choose 1-3");
    // Where a row ends depends on the width, and the terminal drops the space there.
    const shown = (): string => terminal.everything().replaceAll(/\s/g, "");
    const before = shown();
    await terminal.resize(60, 24);
    terminal.type("2");
    await terminal.waitFor(/the turn\): 2$/);
    expect(shown()).toBe(`${before}2`);
    terminal.press("Enter");
    await terminal.waitFor(/^no\n\[done\] .*\n>\n/m);
  });

  it("has an input line of its own during a turn, which stays editable until it is sent", async () => {
    const { say, pipe } = await fed();
    await say("The beginning");
    await terminal.waitFor("The beginning");
    terminal.type("hellx");
    await terminal.waitFor(/^The beginning\n. writing.*\n> hellx\n/m);
    await say(" of the answer\nand its second line");
    await terminal.waitFor(/^and its second line\n. writing.*\n> hellx\n/m);
    terminal.press("BSpace");
    terminal.enter("o");
    await terminal.waitFor(/^waiting: hello\n>\n/m);
    // It comes back to be edited.
    terminal.press("Up");
    await terminal.waitFor(/^> hello$/m);
    terminal.press("Enter");
    await terminal.waitFor(/^waiting: hello\n>\n/m);
    await pipe.close();
    await terminal.waitFor(
      /^and its second line\n\[done\] .*\n> hello\nHello, world\n\[done\] .*\n>\nnode/m,
    );
    expect(terminal.everything()).not.toContain("waiting:");
  });

  it("gives prompts that wait back when the turn is cancelled", async () => {
    await chat();
    terminal.enter("hang");
    await terminal.waitFor(/^waiting\n/m);
    terminal.enter("and then");
    await terminal.waitFor("waiting: and then");
    terminal.press("C-c");
    await terminal.waitFor(/\[stopped\] cancelled\n\[done\] .*\n> and then\n/);
  });

  it("redraws wide characters when they are edited", async () => {
    await chat();
    terminal.type("漢字 and 字");
    await terminal.waitFor(/^> 漢字 and 字$/m);
    terminal.press("Home", "Right", "DC");
    await terminal.waitFor(/^> 漢 and 字$/m);
    expect(terminal.cursor().column).toBe(4);
    terminal.press("BSpace", "End", "BSpace");
    await terminal.waitFor(/^> {2}and$/m);
    expect(terminal.cursor().column).toBe(7);
  });

  it("leaves no stale cells when wide characters no longer fill several rows", async () => {
    await chat([], { columns: 50 });
    terminal.type(`x${"漢".repeat(30)}`);
    await terminal.waitFor(/漢\n.*漢/);
    terminal.press("Home", "DC");
    for (let n = 0; n < 28; n++) terminal.press("DC");
    await terminal.waitFor(/^> 漢漢(?:\nnode.*)?$/m);
    expect(terminal.screen().match(/漢/g)).toHaveLength(2);
  });

  it("makes a prompt of several lines one entry of the history", async () => {
    await chat();
    terminal.type("first");
    terminal.press("M-Enter");
    terminal.enter("second\\");
    terminal.type("third");
    await terminal.waitFor(/^> first\n {2}second\n {2}third$/m);
    terminal.press("Enter");
    await terminal.waitFor(/^you said: first\nsecond\nthird\n\[done\] .*\n>\n/m);
    terminal.press("Up");
    await terminal.waitFor(/third\n\[done\] .*\n> first\n {2}second\n {2}third\nnode/);
    terminal.press("C-c");
    await terminal.waitFor(/third\n\[done\] .*\n>\nnode/);
    terminal.press("C-d");
    expect(await terminal.ended()).toBe(0);
  });

  it("shows for how long a tool runs, and forgets the tool when it has ended", async () => {
    const { pipe } = await fed();
    const tool = (status: string) =>
      pipe.write(
        `${JSON.stringify({ sessionUpdate: "tool_call", toolCallId: "t", title: "Run tests", kind: "execute", status })}\n`,
      );
    await tool("in_progress");
    await terminal.waitFor(/^. Run tests \(1 s\)$/m);
    await tool("completed");
    await terminal.waitFor(/^. waiting for node.*$/m);
    expect(terminal.screen()).not.toMatch(/^. Run tests \(/m);
    await pipe.close();
  });

  it("searches the history with Ctrl-R", async () => {
    await chat();
    for (const prompt of ["fix the parser", "explain docs"]) {
      terminal.enter(prompt);
      await terminal.waitFor(`you said: ${prompt}`);
    }
    terminal.press("C-r");
    terminal.type("pars");
    await terminal.waitFor(/^> fix the parser\nsearch: pars\nnode/m);
    terminal.press("Enter");
    terminal.type("!");
    await terminal.waitFor(/^> fix the parser!\nnode/m);
  });

  it("completes commands and files, and shows what they are", async () => {
    execFileSync("mkdir", ["-p", join(folders.cwd, "docs")]);
    execFileSync("touch", [join(folders.cwd, "docs/guide one.md")]);
    await chat();
    terminal.type("/m");
    await terminal.waitFor(/^ {2}\/model +choose a model/m);
    terminal.press("Tab");
    await terminal.waitFor(/^> \/mode$/m);
    terminal.press("Tab", "Tab");
    await terminal.waitFor(/^› \/mode +choose a mode/m);
    terminal.press("C-c");
    terminal.type("see @d");
    await terminal.waitFor(/^ {2}@docs\/ +folder/m);
    terminal.press("Tab");
    terminal.press("Tab");
    await terminal.waitFor(/^> see @"docs\/guide one.md"$/m);
  });

  it("picks a model from a list", async () => {
    await chat();
    terminal.enter("/model");
    await terminal.waitFor(/^› small \*/m);
    terminal.press("Down", "Enter");
    await terminal.waitFor(/^\* large$/m);
    await terminal.waitFor("node · Large · Ask");
    expect(terminal.screen()).not.toContain("Filter:");
  });

  it("runs a first prompt from the command line", async () => {
    start(["chat", "--agent-command", agentCommand(), "hello", "there"]);
    await terminal.waitFor(/^> hello there\nHello, world\n\[done\] .*\n>\nnode/m);
  });

  it("shows the end of the conversation that it continues", async () => {
    start(["chat", "--agent-command", agentCommand(), "--resume", "kept"]);
    await terminal.waitFor(/^You: what was asked\n\nAgent: what was answered\n[^]*\n>\n/m);
  });

  it("says if the agent cannot show the conversation", async () => {
    const agent = agentCommand("no-load", "resume");
    start(["chat", "--agent-command", agent, "--resume", "kept"]);
    await terminal.waitFor(
      /^node continues the session, but cannot show the conversation\n[^]*\n>\n/m,
    );
  });

  it("continues another session, which the user picks", async () => {
    await chat();
    terminal.enter("/resume");
    await terminal.waitFor(/^› The kept one/m);
    terminal.press("Enter");
    await terminal.waitFor(/^> \/resume\nYou: what was asked\n\nAgent: what was answered\n/m);
  });

  it("stops on Ctrl-Z during a turn and continues with fg, with everything that was typed", async () => {
    const command = `node ${bin.file} chat --agent-command '${agentCommand()}'`;
    terminal = openTmux(["bash", "--norc", "--noprofile", "-i"], {
      cwd: folders.cwd,
      env: { ...processEnv(folders), PS1: "$ " },
    });
    await terminal.waitFor(/\$$/);
    terminal.enter(command);
    await terminal.waitFor(/^>$/m);
    terminal.enter("hang");
    await terminal.waitFor(/^waiting$/m);
    terminal.type("typed");
    await terminal.waitFor(/^> typed$/m);
    terminal.press("C-z");
    await terminal.waitFor(/Stopped[^]*\$$/);
    terminal.enter("fg");
    await terminal.waitFor(/^> typed\n/m);
    terminal.press("C-c");
    await terminal.waitFor(/\[stopped\] cancelled\n\[done\] .*\n> typed\n/);
  });
});
