// oxlint-disable no-control-regex -- terminals are driven by control characters
// How other command lines for ACP agents were seen to behave, and how Dragoman behaves instead. "Seen"
// means acpx 0.19.1, dart_acp's CLI and acp-devtools 0.4.0. The situations, and where each is tested:
//
// | Situation                                     | Seen                              | Tested here, under               |
// | --------------------------------------------- | --------------------------------- | -------------------------------- |
// | a normal turn                                 | progress on stdout                | a normal turn                    |
// | text in chunks                                | a newline after each              | a normal turn                    |
// | a denied permission: text, quiet, JSON        | no reason is printed              | a denied permission              |
// | a denial that should fail the run             | one line, after a completed turn  | a denied permission              |
// | the agent crashes in the turn, any format     | nothing, or exit code 0           | an agent that crashes            |
// | it crashes in a longer session                | "exit=null"                       | an agent that crashes            |
// | it dies in initialize, or is not installed    | reported well                     | an agent that cannot start       |
// | the turn hangs, with a limit                  | session "unknown", no cancel      | a turn that hangs                |
// | garbage on stdout                             | a stack trace per line            | output outside the protocol      |
// | a frame after text without a newline          | lost                              | output outside the protocol      |
// | a character split over two chunks             | recorded corrupted                | output outside the protocol      |
// | an unknown update                             | a dump of 30 lines                | unknown and late messages        |
// | a chunk after the result                      | printed after the end             | unknown and late messages        |
// | protocol version 9, or "one"                  | accepted                          | unknown and late messages        |
// | refusal, max_tokens, an unknown stop reason   | exit code 0                       | the end of a turn                |
// | a login is needed                             | no next step                      | the end of a turn                |
// | a JSON-RPC error with details                 | reported well                     | the end of a turn                |
// | SIGINT, SIGTERM, SIGHUP                       | exit code 0                       | Ctrl-C                           |
// | Ctrl-C, the agent ignores the cancel          | silence, exit code 1              | Ctrl-C; run/interrupts.test.ts   |
// | a second Ctrl-C                               | killed by the signal              | Ctrl-C                           |
// | Ctrl-C while initialising                     | blames the agent                  | Ctrl-C                           |
// | Ctrl-C at a question                          | taken as "no"                     | Ctrl-C                           |
// | a reader that closes stdout                   | ends quickly                      | the terminal                     |
// | control sequences in text and titles          | passed through                    | the terminal                     |
// | NO_COLOR                                      | coloured                          | the terminal                     |
// | a question beside JSON                        | interleaved                       | the terminal                     |
// | only lasting options are offered              | one chosen without asking         | permission is never guessed      |
// | no kind, a title that looks like reading      | approved                          | permission is never guessed      |
// | a command, without a flag                     | allowed                           | permission is never guessed      |
// | only allowing options are offered             | a denial picks the first          | permission is never guessed      |
// | no session yet                                | names another agent               | sessions                         |
// | a session that cannot be resumed              | a new one under its name          | sessions                         |
// | an unknown flag                               | the whole help                    | the rest                         |
// | an empty prompt                               | starts the agent first            | the rest                         |
// | an argument and piped stdin                   | stdin dropped                     | the rest                         |
// | a mention                                     | plain text                        | the rest                         |
// | doctor, when nothing can start                | exit code 0                       | the rest                         |
// | a replay whose client leaves the script       | stalls until killed               | commands/replay.test.ts          |
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../src/apps/cli/main.ts";
import { FakeTerminal, fakeIo } from "./support/io.ts";
import { events, isAlive, run, scratch, start, withAgent, type Scratch } from "./support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());
const agent = (switches: readonly string[], ...argv: string[]) =>
  run([...withAgent(...switches), ...argv], where());
const result = (out: string) => events(out).at(-1);

describe("a normal turn (seen: progress lines on stdout)", () => {
  it("prints only the answer to stdout", async () => {
    expect(await prompt("story")).toMatchObject({ code: 0, out: "Done.\n" });
  });
  it("has no line breaks that the agent did not send (seen: a newline after every chunk)", async () => {
    expect((await prompt("hello")).out).toBe("Hello, world");
  });
});

describe("a denied permission (seen: no reason is printed)", () => {
  it.each([
    ["text", "stderr"],
    ["simple", "stderr"],
    ["jsonl", "stderr"],
    ["events", "stderr"],
  ])("is reported on stderr with the flag that allows it, in %s", async (mode) => {
    const { code, err } = await prompt("-o", mode, "edit");
    expect(code).toBe(0);
    expect(err).toMatch(/denied: edit .*a\.txt \(--write would allow it\)/);
  });
  it("is part of the result (seen: a last frame with end_turn only)", async () => {
    expect(result((await prompt("-o", "events", "edit")).out)).toMatchObject({
      denied: [{ kind: "edit", outcome: "denied", hint: "--write" }],
    });
  });
  it("is a failure with --strict-permissions", async () => {
    const { code, last } = await prompt("--strict-permissions", "edit");
    expect(code).toBe(5);
    expect(last).toContain("denied: edit");
  });
});

describe("an agent that crashes in the turn (seen: nothing on either stream)", () => {
  it.each(["text", "simple", "jsonl", "events"])(
    "is reported with its exit code and last stderr, in %s",
    async (mode) => {
      const { code, out, last } = await prompt("-o", mode, "crash");
      expect(code).toBe(8);
      expect(out).toContain("partial");
      expect(last).toContain(
        "died during the turn (exit code 3); stderr ends with: first words | the database is gone; try: dragoman doctor",
      );
    },
  );
  it("is reported with its real exit code in a chat (seen: exit=null)", async () => {
    const { code, last } = await run(["chat", ...withAgent()], {
      ...where(),
      stdin: "hello\ncrash\nhello\n",
    });
    expect(code).toBe(8);
    expect(last).toContain("exit code 3");
  });
});

describe("an agent that cannot start", () => {
  it("because it dies in initialize is reported with exit code and stderr", async () => {
    const { code, last } = await agent(["die-in-initialize"], "x");
    expect(code).toBe(7);
    expect(last).toContain("died while starting (exit code 4); stderr ends with: no licence found");
  });
  it("because it is not installed is reported as not found", async () => {
    const { code, last } = await run(["--agent-command", "no-such-agent", "x"], where());
    expect(code).toBe(7);
    expect(last).toContain('cannot start "no-such-agent": command not found');
  });
});

describe("a turn that hangs", () => {
  it('ends with a message, a hint and the real session id (seen: sessionId "unknown")', async () => {
    const { code, out, last } = await prompt(
      "--timeout",
      "300ms",
      "--start-timeout",
      "60s",
      "-o",
      "events",
      "hang",
    );
    expect(code).toBe(3);
    expect(last).toContain("try: a longer --timeout");
    expect(result(out)).toMatchObject({ sessionId: "s1", error: { kind: "timeout" } });
  });
  it("is cancelled first (seen: stdin is just closed)", async () => {
    expect(
      (await prompt("--timeout", "300ms", "--start-timeout", "60s", "-j", "hang")).out,
    ).toContain("session/cancel");
  });
});

describe("output outside the protocol", () => {
  it("is counted and reported once (seen: a stack trace per line)", async () => {
    const { code, out, err } = await prompt("noise");
    expect({ code, out }).toEqual({ code: 0, out: "still here, and whole" });
    expect(err).toBe(
      "dragoman: ignored 3 lines on the agent's stdout that are not protocol messages; --verbose shows them\n",
    );
    expect((await prompt("-v", "noise")).err).toContain("[noise] loading model...");
  });
  it("does not swallow a frame on the same line (seen: that frame is lost)", async () => {
    expect((await prompt("noise")).out).toContain(", and whole");
  });
  it("leaves a character intact that is split over two chunks, on stdout and in a recording (seen: stored corrupted)", async () => {
    const file = join(folders.cwd, "recorded.jsonl");
    expect((await prompt("--record", file, "unicode")).out).toBe("é");
    expect(await readFile(file, "utf8")).toContain("é");
  });
});

describe("unknown and late messages", () => {
  it("prints nothing for an unknown update, and writes an event (seen: a dump of 30 lines)", async () => {
    expect((await prompt("story")).err).not.toContain("brand_new_thing");
    const found = events((await prompt("-o", "events", "story")).out).find(
      ({ type }) => type === "unknown",
    );
    expect(found).toMatchObject({ kind: "brand_new_thing", update: { data: { deep: [1, 2, 3] } } });
  });
  it("leaves a chunk after the result out of the answer (seen: printed after the end)", async () => {
    expect((await prompt("late")).out).toBe("before");
  });
  it.each(["9", "one"])(
    "fails for protocol version %s (seen: accepted silently)",
    async (version) => {
      const { code, out, last } = await agent([`protocol=${version}`], "hello");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(last).toMatch(/speaks version 9|protocolVersion/);
    },
  );
  it("reports a result without a stop reason as a protocol error", async () => {
    const { code, last } = await prompt("nothing");
    expect(code).toBe(1);
    expect(last).toContain("stopReason");
  });
});

describe("the end of a turn (seen: exit code 0 for every reason)", () => {
  it.each(["refusal", "max_tokens", "something_new"])(
    "reports %s, which can be a failure",
    async (reason) => {
      expect((await prompt(`stop=${reason}`)).last).toBe(`[stopped] ${reason}`);
      expect((await prompt("--fail-on", "any", `stop=${reason}`)).code).toBe(10);
    },
  );
  it("reports the next step if a login is needed (seen: none)", async () => {
    const { code, last } = await agent(["auth"], "hello");
    expect(code).toBe(6);
    expect(last).toContain("try: --auth login");
  });
  it("reports an error with its details", async () => {
    const { code, last } = await prompt("error");
    expect(code).toBe(1);
    expect(last).toContain("model exploded");
  });
});

describe("Ctrl-C", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("never exits with 0 on %s (seen: 0)", async (name, code) => {
    const { io, ended } = start([...withAgent(), "hang"], where());
    await io.out.waitFor("waiting");
    io.signal(name);
    expect((await ended).code).toBe(code);
  });
  it("is reported, and a second one ends an agent that ignores it (seen: silence, exit code 1)", async () => {
    const file = join(folders.cwd, "pid-deaf");
    const { io, ended } = start([...withAgent(`pid-file=${file}`, "ignore-eof"), "deaf"], where());
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    await io.err.waitFor("asking node to cancel; press Ctrl-C again to end it at once");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });
  it("does not blame the agent while initialising (seen: blames the agent)", async () => {
    const { io, ended } = start([...withAgent("hang-in-initialize"), "-j", "x"], where());
    await io.out.waitFor("initialize");
    io.signal("SIGINT");
    expect(await ended).toMatchObject({ code: 130, last: "interrupted" });
  });
  it('cancels the turn at a question (seen: taken as "no", and the turn goes on)', async () => {
    const terminal = new FakeTerminal();
    const { io, ended } = start([...withAgent(), "asking"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    io.signal("SIGINT");
    expect(await ended).toMatchObject({ code: 130, out: "got cancelled" });
  });
});

describe("the terminal", () => {
  it("ends quietly with its agent if stdout is closed", async () => {
    const file = join(folders.cwd, "pid-head");
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    const fake = fakeIo(where());
    const io = { ...fake, stdout: { ...fake.stdout, stream } };
    expect(await main([...withAgent(`pid-file=${file}`), "lines"], io)).toBe(0);
    expect(io.err.text).toBe("");
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });
  it("gets no control sequences from the agent (seen: passed through)", async () => {
    const { out, err } = await run([...withAgent(), "escapes"], { ...where(), stdoutTty: true });
    expect(out).toBe("a␛[2Jb␛]52;c;aGk=␇c<U+202E>d\n");
    expect(err).toContain("[tool] evil ␛]0;owned␇title (completed");
  });
  it("gets a sanitised answer, but a pipe gets the original", async () => {
    expect((await prompt("escapes")).out).toBe("a\u001b[2Jb\u001b]52;c;aGk=\u0007c\u202ed");
  });
  it("has no colour with NO_COLOR (seen: still coloured)", async () => {
    const tty = { ...where(), stdoutTty: true, stderrTty: true };
    expect((await run([...withAgent(), "story"], tty)).err).toContain("\u001b[36m");
    const { err } = await run([...withAgent(), "story"], { ...tty, env: { NO_COLOR: "1" } });
    expect(err).not.toMatch(/\u001b\[\d*m/);
  });
  it("keeps questions apart from JSON (seen: interleaved)", async () => {
    const terminal = new FakeTerminal();
    const { io, ended } = start([...withAgent(), "-j", "edit"], {
      ...where(),
      terminal,
      stdoutTty: true,
    });
    await terminal.output.waitFor("Choose");
    terminal.type("2\n");
    await ended;
    for (const line of io.out.text.trimEnd().split("\n"))
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(terminal.output.text.startsWith("\u001b[?1049h")).toBe(true);
  });
});

describe("permission is never guessed", () => {
  it("without asking, no lasting option is chosen (seen: reject_always, allow_always)", async () => {
    expect((await prompt("always")).out).toBe("cancelled");
    expect((await prompt("--write", "always")).out).toBe("cancelled");
  });
  it.each(["find . -name x -delete", "cat /dev/null > important.db"])(
    'a call without a kind is not a read because its title is "%s" (seen: approved)',
    async (title) => {
      expect((await prompt(`untitled ${title}`)).out).toBe("no");
    },
  );
  it("a denial never picks an allowing option, even if it is the only one (seen: picks the first)", async () => {
    expect((await prompt("allowing")).out).toBe("cancelled");
  });
  it("a command is not allowed by default (seen: allowed)", async () => {
    expect((await prompt("run")).out).toBe("no");
  });
});

describe("sessions", () => {
  it("report the right agent if there is none to continue (seen: another agent)", async () => {
    const fresh = await scratch();
    const { code, last } = await run([...withAgent(), "--continue", "hello"], fresh);
    await fresh.remove();
    expect(code).toBe(4);
    expect(last).toContain(`node has no session in ${fresh.cwd} to continue; try: without`);
  });
  it("report the right agent if it does not know the id (seen: another agent)", async () => {
    const { code, last } = await prompt("--continue", "hello");
    // Earlier tests left a session whose id this agent does not know.
    expect(code).toBe(4);
    expect(last).toContain(`try: dragoman sessions list --agent-command '${withAgent()[1]}'`);
  });
  it("fail if one cannot be resumed (seen: a new session under the old name)", async () => {
    const { code, out } = await agent(["no-load"], "--resume", "kept", "hello");
    expect({ code, out }).toEqual({ code: 4, out: "" });
  });
});

describe("the rest", () => {
  it("an unknown flag prints one line (seen: the whole help)", async () => {
    expect(await run(["--no-such-flag"], where())).toMatchObject({
      code: 2,
      out: "",
      err: "dragoman: unknown option --no-such-flag; try: dragoman --help, or -- before a prompt that starts with a dash\n",
    });
  });
  it("an empty prompt does not start the agent (seen: the agent is started first)", async () => {
    const file = join(folders.cwd, "pid-empty");
    expect((await agent([`pid-file=${file}`], "  ")).code).toBe(2);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });
  it("stdin is added to the argument (seen: dropped silently)", async () => {
    const { out } = await run([...withAgent(), "review"], { ...where(), stdin: "this" });
    expect(out).toBe("you said: review\n\nthis");
  });
  it("mentions become links (seen: plain text)", async () => {
    await writeFile(join(folders.cwd, "in.txt"), "x");
    expect(JSON.parse((await prompt("blocks @in.txt")).out)).toHaveLength(2);
  });
  it("doctor fails if a prompt would not work (seen: exit code 0 although nothing can start)", async () => {
    const { code, out } = await run(["doctor", ...withAgent("auth")], where());
    expect(code).toBe(6);
    expect(out).toMatch(/^FAIL session/m);
  });
});
