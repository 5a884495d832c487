import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { events, start, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
});

/** Runs a prompt and types an answer to its question. */
async function answer(argv: readonly string[], typed: string) {
  const terminal = new FakeTerminal();
  const { ended } = start([...withAgent(), ...argv], { ...folders, terminal });
  await terminal.output.waitFor("Choose");
  terminal.type(typed);
  return { ...(await ended), asked: terminal.output.text, terminal };
}

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** The prompt that makes the agent ask for permission. */
function request(toolCall: object, options: readonly object[] = OPTIONS): string[] {
  const params = { toolCall: { toolCallId: "t1", ...toolCall }, options };
  return [`requests ${JSON.stringify([{ method: "session/request_permission", params }])}`];
}

/** The prompt that makes the agent start a command. */
function terminalRequest(params: object): string[] {
  return [`requests ${JSON.stringify([{ method: "terminal/create", params }])}`];
}

describe("a permission question", () => {
  it("shows the agent's own options and the diff", async () => {
    const { out, asked, terminal } = await answer(["edit"], "1\n");
    expect(out).toBe("once");
    expect(asked).toContain("node asks for permission: Edit a.txt [edit]");
    expect(asked).toContain("+1 -1\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\n");
    expect(asked).toContain(
      "  1) Allow once [allow once]\n  2) Reject [reject once]\n  3) Always allow [allow always]\n",
    );
    expect(terminal.closed).toBe(terminal.opened);
  });
  it("shows the kind of an option next to its name, which the agent may make up", async () => {
    const options = [
      { optionId: "a", name: "Reject", kind: "allow_always" },
      { optionId: "b", name: "Allow", kind: "reject_once" },
    ];
    const { asked } = await answer(request({ kind: "edit", title: "Edit" }, options), "2\n");
    expect(asked).toContain("  1) Reject [allow always]\n  2) Allow [reject once]\n");
  });
  it("breaks the name of an option between words, and fits into 80 columns", async () => {
    const name = "Yes, and always allow low impact commands (file edits and read-only commands)";
    const options = [...OPTIONS, { optionId: "always", name, kind: "allow_always" }];
    const content = [{ type: "diff", path: join(folders.cwd, "a.txt"), newText: "x" }];
    const edit = request({ kind: "edit", title: "Edit", content }, options);
    const { asked } = await answer(edit, "1\n");
    expect(asked).toContain(
      "  3) Yes, and always allow low impact commands (file edits and read-only\n     commands) [allow always]\n",
    );
    // The last column is for the answer.
    for (const line of asked.split("\n")) expect(line.length).toBeLessThan(80);
  });
  it("is not asked if two options have the same id", async () => {
    const options = [
      { optionId: "x", name: "Reject", kind: "reject_once" },
      { optionId: "x", name: "Allow", kind: "allow_once" },
    ];
    const terminal = new FakeTerminal();
    const argv = [...withAgent(), ...request({ kind: "edit", title: "Edit" }, options)];
    const { out } = await start(argv, { ...folders, terminal }).ended;
    expect([out, terminal.output.text]).toEqual(["cancelled", ""]);
  });
  it("shows every path that the grant covers, whatever the title says", async () => {
    const rawInput = { path: ".git/hooks/post-checkout" };
    const { asked } = await answer(
      request({ kind: "edit", title: "Edit README.md", rawInput }),
      "n\n",
    );
    expect(asked).toContain("Edit README.md [edit]\n  path: .git/hooks/post-checkout\n");
  });
  it("shows where a link leads, and that it leaves the workspace", async () => {
    await symlink("/etc", join(folders.cwd, "out"));
    const locations = [{ path: join(folders.cwd, "out/passwd") }];
    const { asked } = await answer(request({ kind: "edit", title: "Edit", locations }), "n\n");
    expect(asked).toContain("  path: out/passwd -> /etc/passwd (outside the workspace)\n");
  });
  it("shows the variables of a command with their values, and its folder", async () => {
    const env = [
      { name: "BASH_ENV", value: "./evil.sh" },
      { name: "NO_COLOR", value: "1\u001b[2J" },
    ];
    const { asked } = await answer(
      terminalRequest({ command: "git", args: ["status"], env }),
      "n\n",
    );
    expect(asked).toContain(`  $ git status\n  in ${folders.cwd}\n  with BASH_ENV=./evil.sh\n`);
    expect(asked).toContain("  with NO_COLOR=1");
    expect(asked).not.toContain("\u001b[2J");
  });
  it("shows the folder and the variables that a tool call names for its command", async () => {
    const rawInput = { command: "make", cwd: "/tmp", env: { MAKEFLAGS: "-f evil" } };
    const { asked } = await answer(request({ kind: "execute", title: "Build", rawInput }), "n\n");
    expect(asked).toContain(
      "  $ make\n  in /tmp (outside the workspace)\n  with MAKEFLAGS=-f evil\n",
    );
  });
  it("never cuts a command", async () => {
    const command = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join("\n");
    const { asked } = await answer(
      request({ kind: "execute", title: "Run", rawInput: { command } }),
      "n\n",
    );
    expect(asked).toContain("  $ echo 0\n  > echo 1\n");
    expect(asked).toContain("  > echo 59\n");
  });
  it("shows a long diff in full on d, and then still waits for a choice", async () => {
    const newText = Array.from({ length: 90 }, (_, line) => `line ${line}`).join("\n");
    const content = [{ type: "diff", path: join(folders.cwd, "long.txt"), newText }];
    const { out, asked } = await answer(
      request({ kind: "edit", title: "Edit", content }),
      "d\ny\n",
    );
    expect(out).toBe("once");
    const [before = "", after = ""] = asked.split("d: diff");
    expect(before).toContain("more lines");
    expect(before).not.toContain("+line 89");
    expect(after).toContain("+line 0\n");
    expect(after).toContain("+line 89\n");
  });
  it("shows a diff of texts that cannot be compared in full on d", async () => {
    const text = (word: string): string =>
      Array.from({ length: 1500 }, (_, line) => `${word} ${line}`).join("\n");
    const path = join(folders.cwd, "other.txt");
    const content = [{ type: "diff", path, oldText: text("old"), newText: text("new") }];
    const { asked } = await answer(request({ kind: "edit", title: "Edit", content }), "d\nn\n");
    expect(asked).toContain("-old 0\n");
    expect(asked).toContain("+new 1499\n");
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
    const io = { ...folders, terminal, stderrTty: true };
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
      ...folders,
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
    const { io, ended } = start([...withAgent(), "asking"], { ...folders, terminal });
    await terminal.output.waitFor("Choose");
    io.signal("SIGINT");
    const { code, out } = await ended;
    expect({ code, out }).toEqual({ code: 130, out: "got cancelled" });
  });
  it("is cancelled by Ctrl-D", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "edit"], { ...folders, terminal });
    await terminal.output.waitFor("Choose");
    terminal.input.end();
    expect((await ended).out).toBe("cancelled");
  });
});
