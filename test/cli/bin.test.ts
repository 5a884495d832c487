// oxlint-disable no-control-regex -- terminals are driven by control characters
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../support/pty.ts";
import { agentCommand, buildBin, type BuiltBin } from "./support/bin.ts";
import { isAlive, scratch, type Scratch } from "./support/run.ts";

let bin: BuiltBin;
let place: Scratch;
beforeAll(async () => {
  [bin, place] = await Promise.all([buildBin(), scratch()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([bin.remove(), place.remove()]);
});

const env = () => ({
  PATH: process.env["PATH"],
  HOME: place.home,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
});

/** Runs the real command, without a terminal of its own. */
async function cli(argv: readonly string[], stdin?: string) {
  const child = spawn(process.execPath, [bin.file, ...argv], {
    cwd: place.cwd,
    env: env(),
    // A session of its own, so that a terminal the tests were started from is out of reach.
    detached: true,
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin?.end(stdin);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code: code ?? signal, out, err };
}

describe("the command itself", () => {
  it("answers --version and -V", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, out: "9.8.7\n", err: "" });
    expect(await cli(["-V"])).toEqual({ code: 0, out: "9.8.7\n", err: "" });
  });

  it("prints help", async () => {
    const { code, out } = await cli(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("Usage: dragoman [options] [--] [prompt]");
  });

  it("begins the story on a line of its own where both streams are one file", async () => {
    const line = '"$0" "$1" --agent-command "$2" --no-stdin --fail-on end_turn hello 2>&1; true';
    const argv = ["-c", line, process.execPath, bin.file, agentCommand()];
    const { stdout } = await promisify(execFile)("sh", argv, { cwd: place.cwd, env: env() });
    expect(stdout).toBe("Hello, world\ndragoman: the turn stopped early: end_turn\n");
  });

  it("sends a prompt and its stdin, and ends with the right code", async () => {
    expect(await cli(["--agent-command", agentCommand(), "review"], "this\n")).toEqual({
      code: 0,
      out: "you said: review\n\nthis",
      err: "",
    });
    expect((await cli(["--agent-command", agentCommand(), "crash"])).code).toBe(8);
    expect(await cli(["--frob"])).toMatchObject({ code: 2, out: "" });
  });

  it("does not read a stdin that is no pipe and no file", async () => {
    expect((await cli(["--agent-command", agentCommand(), "hello"])).out).toBe("Hello, world");
  });

  it("is quiet when its reader leaves, and leaves nothing running", async () => {
    const file = join(place.cwd, "pid-head");
    const line = `node ${bin.file} --agent-command "${agentCommand(`pid-file=${file}`)}" lines < /dev/null | head -1; echo "\${PIPESTATUS[0]}"`;
    const run = promisify(execFile);
    const { stdout, stderr } = await run("setsid", ["-w", "bash", "-c", line], {
      cwd: place.cwd,
      env: env(),
    });
    expect({ stdout, stderr }).toEqual({ stdout: "line 0\n0\n", stderr: "" });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends with its own code on %s", async (name, code) => {
    const file = join(place.cwd, `pid-${name}`);
    const argv = [bin.file, "--agent-command", agentCommand(`pid-file=${file}`), "hang"];
    const child = spawn(process.execPath, argv, {
      cwd: place.cwd,
      env: env(),
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    child.kill(name);
    expect(await once(child, "close")).toEqual([code, null]);
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it("ends the agent even when it is killed itself", async () => {
    const file = join(place.cwd, "pid-kill");
    const argv = [
      bin.file,
      "--agent-command",
      agentCommand(`pid-file=${file}`, "ignore-eof"),
      "deaf",
    ];
    const child = spawn(process.execPath, argv, {
      cwd: place.cwd,
      env: env(),
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const pid = Number(await readFile(file, "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});

describe.runIf(hasPty)("on a terminal", () => {
  const open = (...argv: string[]): Pty =>
    openPty(["node", bin.file, ...argv], { cwd: place.cwd, env: env() });
  const shell = (line: string): Pty =>
    openPty(["bash", "--norc", "-c", line], { cwd: place.cwd, env: env() });
  const agent = (...switches: string[]) => ["--agent-command", agentCommand(...switches)];
  const quoted = (...switches: string[]) => `--agent-command "${agentCommand(...switches)}"`;

  it("the answer, the story and the shell's prompt each have their lines", async () => {
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

  it("an answer without a newline gets one", async () => {
    const pty = open(...agent(), "hello");
    await pty.ended;
    expect(visible(pty.shown)).toBe("Hello, world\n");
  });

  it("a spinner tells what is happening, and goes without a trace", async () => {
    const pty = open(...agent(), "silent");
    await pty.waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting for node/);
    pty.type("\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  });

  it("Ctrl-C is said aloud; the agent ends the turn", async () => {
    const pty = open(...agent(), "hang");
    await pty.waitFor(ANSWERED);
    pty.type("\u0003");
    await pty.waitFor("asking node to cancel; Ctrl-C again ends it at once");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).toMatch(/waiting(?:\^C)?\ndragoman: asking node to cancel/);
  });

  it("what an agent has written of a line stays while it goes on thinking", async () => {
    const pty = open(...agent(), "pause");
    await pty.ended;
    expect(visible(pty.shown)).toBe("before and after\n");
  });

  it("a second Ctrl-C ends an agent that does not listen", async () => {
    const file = join(place.cwd, "pid-tty");
    const pty = open(...agent(`pid-file=${file}`, "ignore-eof", "ignore-signals"), "deaf");
    await pty.waitFor(ANSWERED);
    pty.type("\u0003");
    await pty.waitFor("asking node to cancel");
    pty.type("\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it("a permission is asked for on the terminal while stdin and stdout are pipes", async () => {
    const pty = shell(`echo edit | node ${bin.file} ${quoted()} > answer.txt`);
    await pty.waitFor("node asks for permission: Edit a.txt");
    await pty.waitFor("Choose 1-3");
    pty.type("1\n");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    expect(await readFile(join(place.cwd, "answer.txt"), "utf8")).toBe("once");
  });

  it("what was typed before a question is no answer to it", async () => {
    const pty = open(...agent(), "edit");
    pty.type("1\n1");
    await pty.waitFor("Choose 1-3");
    pty.type("2\n");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    expect(visible(pty.shown)).toMatch(/cancel the turn\): 2\nno\n$/);
  });

  it("Ctrl-C at that question cancels the turn", async () => {
    const pty = open(...agent(), "asking");
    await pty.waitFor("Choose 1-3");
    pty.type("\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(visible(pty.shown)).toContain("got cancelled");
  });

  it("JSON on the terminal comes back whole after the question", async () => {
    const pty = open(...agent(), "-o", "events", "edit");
    await pty.waitFor("\u001b[?1049h");
    await pty.waitFor("Choose 1-3");
    pty.type("2\n");
    await pty.ended;
    const main = pty.shown.replace(/\u001b\[\?1049h[^]*?\u001b\[\?1049l/g, "");
    const lines = main
      .trim()
      .split("\r\n")
      .filter((line) => !line.startsWith("dragoman:"));
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it("nothing of the agent's reaches the terminal as a command to it", async () => {
    const pty = open(...agent(), "escapes");
    await pty.ended;
    expect(pty.shown).not.toContain("\u001b[2J");
    expect(pty.shown).not.toContain("\u001b]");
    expect(pty.shown).toContain("a␛[2Jb␛]52;c;aGk=␇c<U+202E>d");
  });

  it("a chat has line editing, completion, history and several turns", async () => {
    const pty = open("chat", ...agent("commands-first"));
    await pty.waitFor("> ");
    pty.type("hellx\u007fo\r");
    await pty.waitFor("Hello, world");
    await pty.waitFor("> ");
    pty.type("/pl\t");
    await pty.waitFor("/plan");
    pty.type("x\r");
    await pty.waitFor("you said: /planx");
    await pty.waitFor("> ");
    pty.type("\u001b[A\u001b[A\r");
    await pty.waitFor("Hello, world");
    await pty.waitFor("> ");
    pty.type("\u0004");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    // The shell's prompt gets a line of its own.
    expect(visible(pty.shown)).toMatch(/\n$/);
  });

  it("what is pasted into a chat is one prompt, sent by an Enter that is typed", async () => {
    const pty = open("chat", ...agent());
    await pty.waitFor("> ");
    pty.type("\u001b[200~one\rtwo\rthree\u001b[201~");
    await pty.waitFor("three");
    pty.type("!\r");
    await pty.waitFor("you said: one\r\ntwo\r\nthree!");
    await pty.waitFor("> ");
    pty.type("\u0004");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
  });

  it("in a chat Ctrl-C clears the line, then warns, then ends", async () => {
    const pty = open("chat", ...agent());
    await pty.waitFor("> ");
    pty.type("half a line\u0003");
    pty.type("\u0003");
    await pty.waitFor(/> \S*\r\n\S*dragoman: Ctrl-C again, or Ctrl-D, ends/);
    await pty.waitFor("> ");
    pty.type("\u0003");
    await pty.waitFor(/\r\n\S*dragoman:\S* interrupted/);
    expect(await pty.ended).toEqual({ code: 130, restored: true });
  });

  it("in a chat Ctrl-C cancels the turn and nothing else", async () => {
    const pty = open("chat", ...agent());
    await pty.waitFor("> ");
    pty.type("hang\r");
    await pty.waitFor(ANSWERED);
    pty.type("\u0003");
    await pty.waitFor(/\[stopped\]\S* cancelled/);
    await pty.waitFor("> ");
    pty.type("hello\r");
    await pty.waitFor("Hello, world");
    await pty.waitFor("> ");
    pty.type("/exit\r");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
  });

  it("a chat stops on Ctrl-Z and goes on with fg", async () => {
    const pty = shell(
      `set -m; node ${bin.file} chat ${quoted()}; echo STOPPED; stty -a | grep -o " icanon"; fg`,
    );
    await pty.waitFor("> ");
    pty.type("\u001a");
    await pty.waitFor("STOPPED");
    await pty.waitFor(" icanon");
    await pty.waitFor("> ");
    pty.type("hello\r");
    await pty.waitFor("Hello, world");
    await pty.waitFor("> ");
    pty.type("\u0004");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
  });

  it("a chat ends when its terminal goes away, and its agent with it", async () => {
    const file = join(place.cwd, "pid-gone");
    const pty = open("chat", ...agent(`pid-file=${file}`));
    await pty.waitFor("> ");
    const pid = Number(await readFile(file, "utf8"));
    pty.hangUp();
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
  });

  it("a chat whose agent dies says so and gives the terminal back", async () => {
    const pty = open("chat", ...agent());
    await pty.waitFor("> ");
    pty.type("crash\r");
    expect(await pty.ended).toEqual({ code: 8, restored: true });
    expect(pty.shown).toContain("exit code 3");
  });

  it("settings of the project are asked about before they start anything", async () => {
    const pty = shell(
      `mkdir -p p/.dragoman && echo '{"agent_servers":{"theirs":{"command":"touch","args":["ran"]}}}' > p/.dragoman/settings.json && cd p && node ${bin.file} --list-caps hello`,
    );
    await pty.waitFor("agent theirs: touch ran");
    await pty.waitFor("[y/N]");
    pty.type("\u0003");
    await pty.waitFor("interrupted");
    await pty.ended;
    await expect(readFile(join(place.cwd, "p/ran"))).rejects.toThrow("ENOENT");
  });
});

/** The agent's own "waiting", not the spinner's. */
const ANSWERED = /(?<!\S )waiting/;

/** What stays on the screen, near enough: colour, erased lines and carriage returns taken out. */
function visible(shown: string): string {
  return shown
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r\u001b\[K/g, "")
    .replace(/\u001b\[(?:[0-9;]*m|\?2004[hl])/g, "");
}
