import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { SessionNames } from "../../../../../src/apps/cli/stored/sessions.ts";
import { FakeTerminal, fakeIo } from "../../support/io.ts";
import { events, run, start, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
afterEach(() => rm(file(), { force: true }));
const file = () => join(folders.home, "deleted");
const deleted = () => readFile(file(), "utf8").catch(() => "");
/** The agent's only session with a time was changed 40 days ago. */
const now = () => Date.parse("2026-01-02T03:04:05Z") + 40 * 86_400_000;
const where = () => ({ ...folders, now });
const argv = (...more: string[]) => [
  "sessions",
  "prune",
  ...more,
  ...withAgent(`deleted-file=${file()}`),
];

describe("sessions prune", () => {
  it("deletes sessions that are older than 30 days, and keeps those without a time", async () => {
    const { code, out, last } = await run(argv("--yes"), where());
    expect({ code, last }).toEqual({ code: 0, last: "deleted 1 session" });
    expect(out).toBe("SESSION  UPDATED   TITLE\nkept     5 wk ago  The kept one\n");
    expect(await deleted()).toBe("kept\n");
  });
  it("keeps younger sessions", async () => {
    const { code, out, last } = await run(argv("--yes", "--older-than", "6w"), where());
    expect({ code, out, last }).toEqual({ code: 0, out: "", last: "deleted 0 sessions" });
    expect(await deleted()).toBe("");
  });
  it("deletes nothing with --dry-run", async () => {
    const { out, last } = await run(argv("--dry-run"), where());
    expect(out).toContain("kept");
    expect(last).toBe("would delete 1 session");
    expect(await deleted()).toBe("");
  });
  it("asks on a terminal, and deletes nothing without a yes", async () => {
    for (const [answer, result] of [
      ["\n", ""],
      ["y\n", "kept\n"],
    ] as const) {
      const terminal = new FakeTerminal();
      const { ended } = start(argv(), { ...where(), terminal });
      await terminal.output.waitFor("Delete 1 session of node? [y/N] ");
      terminal.type(answer);
      expect((await ended).code).toBe(0);
      expect(await deleted()).toBe(result);
    }
  });
  it("needs --yes without a terminal", async () => {
    const { code, last } = await run(argv(), where());
    expect(code).toBe(2);
    expect(last).toBe("sessions prune would delete 1 session; try: --yes to confirm");
    expect(await deleted()).toBe("");
  });
  it("keeps sessions with a name, and forgets names of sessions that are gone", async () => {
    const names = new SessionNames(fakeIo({ home: folders.home }));
    await names.remember("node", folders.cwd, { name: "mine", sessionId: "kept" });
    await names.remember("node", folders.cwd, { name: "lost", sessionId: "gone" });
    const { code, err } = await run(argv("--yes"), where());
    expect(code).toBe(0);
    expect(err).toContain("keeping 1 old session with a name or in use");
    expect(err).toContain('forgot the name "lost"');
    expect(await deleted()).toBe("");
    expect(await names.all("node", folders.cwd)).toMatchObject([{ name: "mine" }]);
    await names.forget("node", folders.cwd, "mine");
  });
  it("keeps a session that another run uses", async () => {
    const first = start([...withAgent(), "--resume", "kept", "hang"], where());
    await first.io.out.waitFor("waiting");
    await run(argv("--yes"), where());
    expect(await deleted()).toBe("");
    first.io.signal("SIGINT");
    await first.ended;
  });
  it("prints events, for deleted sessions only once they are deleted", async () => {
    const pruned = await run(argv("--yes", "-o", "events"), where());
    expect(events(pruned.out)).toContainEqual(
      expect.objectContaining({ type: "session_info", sessionId: "kept", pruned: true }),
    );
    const refused = await run(argv("-o", "events"), where());
    expect(events(refused.out).map(({ type }) => type)).toEqual(["agent", "result"]);
    const { out } = await run(argv("--dry-run", "-o", "events"), where());
    expect(events(out)).toContainEqual(
      expect.objectContaining({ type: "session_info", sessionId: "kept", pruned: false }),
    );
  });
});
