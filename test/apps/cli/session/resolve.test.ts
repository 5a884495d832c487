// Which stored session --resume, --continue and --session lead to.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefused, foldersForEach } from "../commands/setup.ts";
import { FakeTerminal } from "../support/io.ts";
import { events, run, start, withAgent } from "../support/run.ts";

const folders = foldersForEach();
const where = () => ({ ...folders, now: () => Date.parse("2026-01-02T05:30:00Z") });
const dragoman = (...argv: string[]) => run(argv, where());
const sessionOf = (out: string) => events(out).find(({ type }) => type === "session");

/** The session in which a prompt with these arguments runs. */
async function opened(...argv: string[]) {
  const { code, out } = await dragoman(...argv, "-o", "events", "hello");
  expect(code).toBe(0);
  return sessionOf(out);
}

const kept = { sessionId: "kept", origin: "load" };

describe("--resume", () => {
  it.each([
    ["takes the start of an id that no other session has", withAgent(), "ke"],
    ["takes a whole id even if others start with it", withAgent("more=kept2"), "kept"],
    ["works with an agent that cannot list its sessions", withAgent("no-list"), "kept"],
  ])("%s", async (_case, agent, given) => {
    expect(await opened(...agent, "--resume", given)).toMatchObject(kept);
  });
  it("fails if several sessions fit, and names some", () =>
    expectRefused(
      dragoman(...withAgent("more=ke1,ke2,ke3,ke4,ke5,ke6"), "--resume", "ke", "hello"),
      '"ke" is the start of 7 session ids: kept, ke1, ke2, ke3, ke4 and 2 more',
      4,
    ));
  it.each(["gone", "ept"])("passes %s to the agent, which may know more than it lists", (given) =>
    expectRefused(
      dragoman(...withAgent(), "--resume", given, "hello"),
      `cannot reopen the session: Session not found; try: dragoman sessions list --agent-command '${withAgent()[1]}'`,
      4,
    ),
  );
  it.each([[["--resume"]], [["--resume", "-o", "events"]], [["--resume", "--", "hello"]]])(
    "without an id and without a terminal is a usage error (%j)",
    (argv) =>
      expectRefused(
        dragoman(...withAgent(), "hello", ...argv),
        "--resume needs a session id, because there is no terminal",
      ),
  );
  it.each([
    ["lets the user choose on a terminal", "\r", 0],
    ["ends with 130 if the user chooses none", "\u0003", 130],
  ])("without an id %s", async (_case, typed, code) => {
    const terminal = new FakeTerminal();
    const argv = [...withAgent(), "-o", "events", "hello", "--resume"];
    const { ended } = start(argv, { ...where(), terminal });
    await terminal.output.waitFor("The kept one");
    expect(terminal.output.text).toContain("2 h ago");
    terminal.type(typed);
    const { out, last, ...rest } = await ended;
    expect(rest.code).toBe(code);
    if (code === 0) expect(sessionOf(out)).toMatchObject(kept);
    else expect(last).toBe("no session was chosen");
  });
});

describe("--session", () => {
  const agent = withAgent("session=kept");
  const fix = ["--session", "fix"];
  const created = { origin: "new" };
  it("starts a session with a name, and resumes it by that name", async () => {
    expect(await opened(...agent, ...fix)).toMatchObject({ ...kept, ...created });
    expect(await opened(...agent, ...fix)).toMatchObject(kept);
    expect(await opened(...agent, "--session", "other")).toMatchObject(created);
    expect(await opened(...agent, "--resume", "fix")).toMatchObject(kept);
  });
  it("names nothing if no prompt was sent", async () => {
    await dragoman(...agent, ...fix, "--list-modes");
    expect(await opened(...agent, ...fix)).toMatchObject(created);
  });
  it("is listed, and forgotten when the session is deleted", async () => {
    await dragoman(...agent, ...fix, "hello");
    expect((await dragoman("sessions", "list", ...agent)).out).toBe(
      "SESSION  UPDATED  NAME  TITLE\nkept     2 h ago  fix   The kept one\nother\n",
    );
    const listed = events((await dragoman("sessions", "list", "-o", "events", ...agent)).out);
    expect(listed).toContainEqual(
      expect.objectContaining({ type: "session_info", sessionId: "kept", name: "fix" }),
    );
    const deleted = await dragoman("sessions", "delete", "fix", ...agent);
    expect(deleted).toMatchObject({ code: 0, last: "deleted kept" });
    expect(await opened(...agent, ...fix)).toMatchObject(created);
  });
  it("fails with 4 if the agent has lost the session", async () => {
    await dragoman(...withAgent("session=lost"), ...fix, "hello");
    expect((await dragoman(...withAgent(), ...fix, "hello")).code).toBe(4);
  });
  it.each([
    [["--session", "a", "--continue"], "--continue and --session contradict each other"],
    [["--session", "a", "--resume", "b"], "--resume and --session contradict each other"],
    [["--resume", "a", "-c"], "--resume and --continue contradict each other"],
    [["--session=-x"], "is not a name"],
  ])("%j is a usage error", (argv, message) =>
    expectRefused(dragoman(...withAgent(), ...argv, "hello"), message),
  );
});

describe("two runs in one session", () => {
  /** Does something while another run, with these arguments, is in its turn. */
  async function runPhase(argv: readonly string[], work: () => Promise<void>): Promise<void> {
    const { io, ended } = start([...argv, "hang"], where());
    await io.out.waitFor("waiting");
    await work();
    io.signal("SIGINT");
    await ended;
  }
  const resumed = () => dragoman(...withAgent(), "--resume", "kept", "hello");

  it("are kept apart: the second fails, until the first has ended", async () => {
    await runPhase([...withAgent(), "--resume", "kept"], async () => {
      const who = `another run (process ${process.pid}`;
      await expectRefused(resumed(), `session kept is in use by ${who}`, 4);
      expect((await dragoman("sessions", "delete", "kept", ...withAgent())).code).toBe(4);
    });
    expect((await resumed()).code).toBe(0);
    expect(await readdir(join(folders.home, ".local/state/dragoman/locks"))).toEqual([]);
  });
  it("that open new sessions with the same id both go on", () =>
    runPhase(withAgent(), async () => {
      expect((await dragoman(...withAgent(), "hello")).code).toBe(0);
    }));
  it("are kept apart if the second continues a session that the first has opened", async () => {
    await dragoman(...withAgent("session=kept"), "hello");
    await runPhase(withAgent("session=kept"), async () => {
      expect((await dragoman(...withAgent(), "--continue", "hello")).code).toBe(4);
    });
  });
});
