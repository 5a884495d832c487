import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { events, scratch, start, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });

/** Runs a prompt and types an answer to its question. */
async function answer(argv: readonly string[], typed: string) {
  const terminal = new FakeTerminal();
  const { ended } = start([...withAgent(), ...argv], { ...where(), terminal });
  await terminal.output.waitFor("Choose");
  terminal.type(typed);
  return { ...(await ended), asked: terminal.output.text, terminal };
}

describe("a permission question", () => {
  it("shows the agent's own options and the diff", async () => {
    const { out, asked, terminal } = await answer(["edit"], "1\n");
    expect(out).toBe("once");
    expect(asked).toContain("node asks for permission: Edit a.txt [edit]");
    expect(asked).toContain("+1 -1\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\n");
    expect(asked).toContain("  1) Allow once\n  2) Reject\n  3) Always allow\n");
    expect(terminal.closed).toBe(terminal.opened);
  });
  it("shows the command", async () => {
    const { out, asked } = await answer(["run"], "2\n");
    expect(out).toBe("no");
    expect(asked).toContain("Run it [execute]\n  $ npm test\n");
  });
  it.each([
    ["y\n", "once"],
    ["n\n", "no"],
    ["3\n", "always"],
    ["what\n9\n1\n", "once"],
  ])("takes %j as %s", async (typed, chosen) => {
    expect((await answer(["edit"], typed)).out).toBe(chosen);
  });
  it("chooses a lasting option only by its number", async () => {
    const { out } = await answer(["always"], "y\n1\n");
    expect(out).toBe("always");
  });
  it("shows a write to a file as a diff, and says if the file is new", async () => {
    const old = await answer(["write", join(folders.cwd, "a.txt")], "n\n");
    expect(old.asked).toContain("asks for permission: write a.txt");
    expect(old.asked).toMatch(/ {2}a\.txt \+1 -2\n {2}@@ .*\n {2}-one\n {2}-two\n {2}\+written\n/);
    const fresh = await answer(["write", join(folders.cwd, "fresh.txt")], "n\n");
    expect(fresh.asked).toContain("asks for permission: create fresh.txt");
  });
  it("does not repeat a diff that is already on the terminal", async () => {
    const terminal = new FakeTerminal();
    const io = { ...where(), terminal, stderrTty: true };
    const { io: ran, ended } = start([...withAgent(), "--color", "never", "edit"], io);
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(ran.err.text).toContain("[diff] a.txt +1 -1\n  @@");
    expect(terminal.output.text).toContain("a.txt +1 -1, as shown above\n");
    expect(terminal.output.text).not.toContain("@@");
  });
  it("works while stdin and stdout are pipes, and leaves stdout clean", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events"], {
      ...where(),
      terminal,
      stdin: "edit",
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    const all = events((await ended).out);
    expect(all.find(({ type }) => type === "permission")).toMatchObject({
      outcome: "allowed",
      by: "user",
      optionId: "once",
    });
  });
  it("is cancelled with its turn by Ctrl-C", async () => {
    const terminal = new FakeTerminal();
    const { io, ended } = start([...withAgent(), "asking"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    io.signal("SIGINT");
    const { code, out } = await ended;
    expect({ code, out }).toEqual({ code: 130, out: "got cancelled" });
  });
  it("is cancelled by Ctrl-D", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "edit"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    terminal.input.end();
    expect((await ended).out).toBe("cancelled");
  });
});
