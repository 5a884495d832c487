// oxlint-disable no-control-regex -- terminals are driven by control characters
// How other command lines for ACP agents were seen to behave, and how Dragoman behaves instead. "Seen"
// means acpx 0.19.1, dart_acp's CLI and acp-devtools 0.4.0. Tests of commands cover what is not here.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { main } from "../../../src/apps/cli/main.ts";
import { FakeTerminal, fakeIo } from "./support/io.ts";
import { events, isAlive, run, scratch, start, withAgent } from "./support/run.ts";
import { expectRefused, foldersForAll } from "./commands/setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
const agent = (switches: readonly string[], ...argv: string[]) =>
  run([...withAgent(...switches), ...argv], folders);
const MODES = ["text", "simple", "jsonl", "events"];
const result = (out: string) => events(out).at(-1);

describe("a denied permission (seen: no reason is printed)", () => {
  it.each(MODES)("is reported on stderr with the flag that allows it, in %s", async (mode) => {
    const { code, out, err } = await prompt("-o", mode, "edit");
    expect(code).toBe(0);
    expect(err).toMatch(/denied: edit .*a\.txt \(--write would allow it\)/);
    if (mode === "events")
      expect(result(out)).toMatchObject({
        denied: [{ kind: "edit", outcome: "denied", hint: "--write" }],
      });
  });
});

describe("an agent that crashes in the turn (seen: nothing on either stream)", () => {
  it.each(MODES)("is reported with its exit code and last stderr, in %s", async (mode) => {
    const { code, out, last } = await prompt("-o", mode, "crash");
    expect(code).toBe(8);
    expect(out).toContain("partial");
    expect(last).toContain(
      "died during the turn (exit code 3); stderr ends with: first words | the database is gone; try: dragoman doctor",
    );
  });
});

it.each<[string[], string, number, string | RegExp]>([
  [["die-in-initialize"], "x", 7, "(exit code 4); stderr ends with: no licence found"],
  [["protocol=9"], "hello", 1, "speaks version 9"],
  [["protocol=one"], "hello", 1, "protocolVersion"],
  [["auth"], "hello", 6, "try: --auth login"],
  [[], "nothing", 1, "stopReason"],
  [[], "error", 1, "model exploded"],
])("the agent %j that gets %s fails with %i and the reason", (switches, text, code, reason) =>
  expectRefused(agent(switches, text), reason, code),
);

it('a turn that hangs is cancelled, and reported with its session (seen: sessionId "unknown")', async () => {
  const limits = ["--timeout", "300ms", "--start-timeout", "60s"];
  const { code, out, last } = await prompt(...limits, "-o", "events", "hang");
  expect(code).toBe(3);
  expect(last).toContain("try: a longer --timeout");
  expect(result(out)).toMatchObject({ sessionId: "s1", error: { kind: "timeout" } });
  expect((await prompt(...limits, "-j", "hang")).out).toContain("session/cancel");
});

it("an empty prompt does not start the agent (seen: the agent is started first)", async () => {
  const file = join(folders.cwd, "pid-empty");
  await expectRefused(agent([`pid-file=${file}`], "  "), "there is no prompt");
  await expect(readFile(file)).rejects.toThrow("ENOENT");
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
});

describe("the terminal", () => {
  it("gets no control sequences from the agent (seen: passed through)", async () => {
    const { out, err } = await run([...withAgent(), "escapes"], { ...folders, stdoutTty: true });
    expect(out).toBe("a␛[2Jb␛]52;c;aGk=␇c<U+202E>d\n");
    expect(err).toContain("[tool] evil ␛]0;owned␇title (completed");
  });
  it("gets a sanitised answer, but a pipe gets the original", async () => {
    expect((await prompt("escapes")).out).toBe("a\u001b[2Jb\u001b]52;c;aGk=\u0007c\u202ed");
  });
  it("has no colour with NO_COLOR (seen: still coloured)", async () => {
    const tty = { ...folders, stdoutTty: true, stderrTty: true };
    expect((await run([...withAgent(), "story"], tty)).err).toContain("\u001b[36m");
    const { err } = await run([...withAgent(), "story"], { ...tty, env: { NO_COLOR: "1" } });
    expect(err).not.toMatch(/\u001b\[\d*m/);
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

describe("a session", () => {
  it("that is not there is reported with the right agent (seen: another agent)", async () => {
    const fresh = await scratch();
    const none = `node has no session in ${fresh.cwd} to continue; try: without`;
    await expectRefused(run([...withAgent(), "--continue", "hello"], fresh), none, 4);
    await fresh.remove();
    // Earlier tests left a session whose id this agent does not know.
    const hint = `try: dragoman sessions list --agent-command '${withAgent()[1]}'`;
    await expectRefused(prompt("--continue", "hello"), hint, 4);
  });
  it("fails if it cannot be resumed (seen: a new session under the old name)", async () => {
    expect(await agent(["no-load"], "--resume", "kept", "hello")).toMatchObject({
      code: 4,
      out: "",
    });
  });
});
