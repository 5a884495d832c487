import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { events, run, start, withAgent } from "../support/run.ts";
import { foldersForEach, expectRefused } from "../commands/setup.ts";
import { PrefixSearch } from "../../../../src/apps/cli/session/resolve.ts";

// Which stored session --resume, --continue and --session lead to.

const folders = foldersForEach();
const now = () => Date.parse("2026-01-02T05:30:00Z");
const where = () => ({ ...folders, now });
const sessionOf = (out: string) => events(out).find(({ type }) => type === "session");

describe("--resume", () => {
  it("takes the start of an id that no other session has", async () => {
    const { code, out } = await run(
      [...withAgent(), "--resume", "ke", "-o", "events", "hello"],
      where(),
    );
    expect(code).toBe(0);
    expect(sessionOf(out)).toMatchObject({ sessionId: "kept", origin: "load" });
  });
  it("fails if several sessions fit", async () => {
    await expectRefused(
      run([...withAgent("more=kepler,kelvin"), "--resume", "ke", "hello"], where()),
      '"ke" is the start of 3 session ids: kept, kepler, kelvin',
      4,
    );
  });
  it("takes a whole id even if others start with it", async () => {
    const { code } = await run([...withAgent("more=kept2"), "--resume", "kept", "hello"], where());
    expect(code).toBe(0);
  });
  it("passes an unknown id to the agent, which may know more than it lists", async () => {
    const { code, last } = await run([...withAgent(), "--resume", "gone", "hello"], where());
    expect(code).toBe(4);
    expect(last).toContain("cannot reopen the session: Session not found");
    expect(last).toContain(`try: dragoman sessions list --agent-command '${withAgent()[1]}'`);
  });
  it("works with an agent that cannot list its sessions", async () => {
    expect((await run([...withAgent("no-list"), "--resume", "kept", "hello"], where())).code).toBe(
      0,
    );
  });
  it.each([[["--resume"]], [["--resume", "-o", "events"]], [["--resume", "--", "hello"]]])(
    "without an id and without a terminal is a usage error (%j)",
    async (argv) => {
      await expectRefused(
        run([...withAgent(), "hello", ...argv], where()),
        "--resume needs a session id, because there is no terminal",
      );
    },
  );
  it("without an id lets the user choose on a terminal", async () => {
    const terminal = new FakeTerminal();
    const argv = [...withAgent(), "-o", "events", "hello", "--resume"];
    const { ended } = start(argv, { ...where(), terminal });
    await terminal.output.waitFor("The kept one");
    expect(terminal.output.text).toContain("2 h ago");
    terminal.type("\r");
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(sessionOf(out)).toMatchObject({ sessionId: "kept" });
  });
  it("ends with 130 if the user chooses none", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "hello", "--resume"], { ...where(), terminal });
    await terminal.output.waitFor("The kept one");
    terminal.type("\u0003");
    expect(await ended).toMatchObject({ code: 130, last: "no session was chosen" });
  });
});

describe("--session", () => {
  const named = (...argv: string[]) => run([...withAgent("session=kept"), ...argv], where());
  it("starts a session with a name, and resumes it by that name", async () => {
    const first = await named("--session", "fix", "-o", "events", "hello");
    expect(sessionOf(first.out)).toMatchObject({ sessionId: "kept", origin: "new" });
    const second = await named("--session", "fix", "-o", "events", "hello");
    expect(sessionOf(second.out)).toMatchObject({ sessionId: "kept", origin: "load" });
    const other = await named("--session", "other", "-o", "events", "hello");
    expect(sessionOf(other.out)).toMatchObject({ origin: "new" });
    expect(sessionOf((await named("--resume", "fix", "-o", "events", "hello")).out)).toMatchObject({
      sessionId: "kept",
      origin: "load",
    });
  });
  it("names nothing if no prompt was sent", async () => {
    await named("--session", "fix", "--list-modes");
    const { out } = await named("--session", "fix", "-o", "events", "hello");
    expect(sessionOf(out)).toMatchObject({ origin: "new" });
  });
  it("is listed, and forgotten when the session is deleted", async () => {
    await named("--session", "fix", "hello");
    expect((await named("sessions", "list")).out).toBe(
      "SESSION  UPDATED  NAME  TITLE\nkept     2 h ago  fix   The kept one\nother\n",
    );
    expect(events((await named("sessions", "list", "-o", "events")).out)).toContainEqual(
      expect.objectContaining({ type: "session_info", sessionId: "kept", name: "fix" }),
    );
    expect(await named("sessions", "delete", "fix")).toMatchObject({
      code: 0,
      last: "deleted kept",
    });
    const { out } = await named("--session", "fix", "-o", "events", "hello");
    expect(sessionOf(out)).toMatchObject({ origin: "new" });
  });
  it("fails with 4 if the agent has lost the session", async () => {
    await run([...withAgent("session=lost"), "--session", "fix", "hello"], where());
    expect((await run([...withAgent(), "--session", "fix", "hello"], where())).code).toBe(4);
  });
  it.each([
    [["--session", "a", "--continue"], "--continue and --session contradict each other"],
    [["--session", "a", "--resume", "b"], "--resume and --session contradict each other"],
    [["--resume", "a", "-c"], "--resume and --continue contradict each other"],
    [["--session=-x"], "is not a name"],
  ])("%j is a usage error", async (argv, message) => {
    await expectRefused(run([...withAgent(), ...argv, "hello"], where()), message);
  });
});

describe("two runs in one session", () => {
  it("are kept apart: the second fails, until the first has ended", async () => {
    const first = start([...withAgent(), "--resume", "kept", "hang"], where());
    await first.io.out.waitFor("waiting");
    const { code, last } = await run([...withAgent(), "--resume", "kept", "hello"], where());
    expect(code).toBe(4);
    expect(last).toContain(`session kept is in use by another run (process ${process.pid}`);
    expect((await run(["sessions", "delete", "kept", ...withAgent()], where())).code).toBe(4);
    first.io.signal("SIGINT");
    await first.ended;
    expect((await run([...withAgent(), "--resume", "kept", "hello"], where())).code).toBe(0);
    expect(await readdir(join(folders.home, ".local/state/dragoman/locks"))).toEqual([]);
  });
  it("that open new sessions with the same id both go on", async () => {
    const first = start([...withAgent(), "hang"], where());
    await first.io.out.waitFor("waiting");
    expect((await run([...withAgent(), "hello"], where())).code).toBe(0);
    first.io.signal("SIGINT");
    await first.ended;
  });
  it("are kept apart if the second continues a session that the first has opened", async () => {
    await run([...withAgent("session=kept"), "hello"], where());
    const first = start([...withAgent("session=kept"), "hang"], where());
    await first.io.out.waitFor("waiting");
    expect((await run([...withAgent(), "--continue", "hello"], where())).code).toBe(4);
    first.io.signal("SIGINT");
    await first.ended;
  });
});

function search(given: string, ids: readonly string[]): string | undefined {
  const found = new PrefixSearch(given);
  for (const id of ids) found.take(id);
  return found.result("sessions list");
}

describe("the search for a session", () => {
  it.each([
    ["ab", ["abc", "xyz"], "abc"],
    ["abc", ["abcd", "abc", "abce"], "abc"],
    ["x", ["abc"], undefined],
    ["", ["abc"], undefined],
    ["bc", ["abc"], undefined],
  ])("for %j in %j finds %j", (given, ids, found) => {
    expect(search(given, ids)).toBe(found);
  });

  it("fails if several sessions fit, and names some", () => {
    const ids = Array.from({ length: 7 }, (_, n) => `a${n}`);
    expect(() => search("a", ids)).toThrow(
      '"a" is the start of 7 session ids: a0, a1, a2, a3, a4 and 2 more',
    );
  });
});
