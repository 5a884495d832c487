import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { foldersForAll } from "../commands/setup.ts";
import { FakeTerminal, type FakeIoOptions } from "../support/io.ts";
import { events, start, withAgent } from "../support/run.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
  await symlink("/etc", join(folders.cwd, "out"));
});

/** Runs a prompt and does something when its question is on the terminal. */
async function asking(
  argv: readonly string[],
  act: (terminal: FakeTerminal, signal: () => void) => void,
  options: FakeIoOptions = {},
) {
  const terminal = new FakeTerminal();
  const { io, ended } = start([...withAgent(), ...argv], { ...folders, terminal, ...options });
  await terminal.output.waitFor("Choose");
  act(terminal, () => io.signal("SIGINT"));
  return { ...(await ended), asked: terminal.output.text, terminal };
}

/** Runs a prompt and types an answer to its question. */
const answer = (argv: readonly string[], typed: string, options?: FakeIoOptions) =>
  asking(argv, (terminal) => terminal.type(typed), options);

const once = { optionId: "once", name: "Allow once", kind: "allow_once" };
const no = { optionId: "no", name: "Reject", kind: "reject_once" };

/** The prompt that makes the agent ask for permission. */
function request(toolCall: object, options: readonly object[] = [once, no]): string[] {
  const params = { toolCall: { toolCallId: "t1", ...toolCall }, options };
  return [`requests ${JSON.stringify([{ method: "session/request_permission", params }])}`];
}

const edit = (fields: object, options?: readonly object[]) =>
  request({ kind: "edit", title: "Edit", ...fields }, options);
const execute = (rawInput: object) => request({ kind: "execute", title: "Run", rawInput });
const inProject = (name: string) => join(folders.cwd, name);
const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, line) => `${word} ${line}`).join("\n");

describe("a permission question shows", () => {
  it.each<[string, () => string[], readonly string[]]>([
    [
      "the agent's own options and the diff",
      () => ["edit"],
      [
        "node asks for permission: Edit a.txt [edit]",
        "+1 -1\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\n",
        "  1) Allow once [allow once]\n  2) Reject [reject once]\n  3) Always allow [allow always]\n",
      ],
    ],
    [
      "the kind of an option next to its name, which the agent may make up",
      () =>
        edit({}, [
          { ...once, name: "Reject" },
          { ...no, name: "Allow" },
        ]),
      ["  1) Reject [allow once]\n  2) Allow [reject once]\n"],
    ],
    [
      "every path that the grant covers, whatever the title says",
      () => edit({ title: "Edit README.md", rawInput: { path: ".git/hooks/post-checkout" } }),
      ["Edit README.md [edit]\n  path: .git/hooks/post-checkout\n"],
    ],
    [
      "where a link leads, and that it leaves the workspace",
      () => edit({ locations: [{ path: inProject("out/passwd") }] }),
      ["  path: out/passwd -> /etc/passwd (outside the workspace)\n"],
    ],
    ["the command", () => ["run"], ["Run it [execute]\n  $ npm test\n"]],
    [
      "the folder and the variables that a tool call names for its command",
      () => execute({ command: "make", cwd: "/tmp", env: { MAKEFLAGS: "-f evil" } }),
      ["  $ make\n  in /tmp (outside the workspace)\n  with MAKEFLAGS=-f evil\n"],
    ],
    [
      "a command as a whole",
      () => execute({ command: lines(60, "echo") }),
      ["  $ echo 0\n  > echo 1\n", "  > echo 59\n"],
    ],
    [
      "a write to a file as a diff",
      () => ["write", inProject("a.txt")],
      ["asks for permission: write a.txt", "  a.txt +1 -2\n  @@", "\n  -one\n  -two\n  +written\n"],
    ],
    [
      "that a file is new",
      () => ["write", inProject("fresh.txt")],
      ["asks for permission: create fresh.txt"],
    ],
  ])("%s", async (_what, argv, texts) => {
    const { asked, terminal } = await answer(argv(), "n\n");
    for (const text of texts) expect(asked).toContain(text);
    expect(terminal.closed).toBe(terminal.opened);
  });

  it("names of options broken between words, and fits into 80 columns", async () => {
    const name = "Yes, and always allow low impact commands (file edits and read-only commands)";
    const options = [once, no, { optionId: "always", name, kind: "allow_always" }];
    const content = [{ type: "diff", path: inProject("a.txt"), newText: "x" }];
    const { asked } = await answer(edit({ content }, options), "1\n");
    expect(asked).toContain(
      "  3) Yes, and always allow low impact commands (file edits and read-only\n     commands) [allow always]\n",
    );
    // The last column is for the answer.
    for (const line of asked.split("\n")) expect(line.length).toBeLessThan(80);
  });
  it("the variables of a command with their values, and its folder", async () => {
    const env = [
      { name: "BASH_ENV", value: "./evil.sh" },
      { name: "NO_COLOR", value: "1\u001b[2J" },
    ];
    const params = { command: "git", args: ["status"], env };
    const prompt = `requests ${JSON.stringify([{ method: "terminal/create", params }])}`;
    const { asked } = await answer([prompt], "n\n");
    expect(asked).toContain(`  $ git status\n  in ${folders.cwd}\n  with BASH_ENV=./evil.sh\n`);
    expect(asked).toContain("  with NO_COLOR=1");
    expect(asked).not.toContain("\u001b[2J");
  });
  it("a long diff in full on d, and then still waits for a choice", async () => {
    const content = [{ type: "diff", path: inProject("long.txt"), newText: lines(90, "line") }];
    const { out, asked } = await answer(edit({ content }), "d\ny\n");
    expect(out).toBe("once");
    const [before = "", after = ""] = asked.split("d: diff");
    expect(before).toContain("more lines");
    expect(before).not.toContain("+line 89");
    expect(after).toContain("+line 0\n");
    expect(after).toContain("+line 89\n");
  });
  it("a diff of texts that cannot be compared in full on d", async () => {
    const [oldText, newText] = [lines(1500, "old"), lines(1500, "new")];
    const content = [{ type: "diff", path: inProject("other.txt"), oldText, newText }];
    const { asked } = await answer(edit({ content }), "d\nn\n");
    expect(asked).toContain("-old 0\n");
    expect(asked).toContain("+new 1499\n");
  });
  it("no diff that is already on the terminal", async () => {
    const options = { stderrTty: true };
    const { err, asked } = await answer(["--color", "never", "edit"], "1\n", options);
    expect(err).toContain("[diff] a.txt +1 -1\n  @@");
    expect(asked).toContain("a.txt +1 -1, as shown above\n");
    expect(asked).not.toContain("@@");
  });
});

describe("a permission question", () => {
  it("is not asked if two options have the same id", async () => {
    const terminal = new FakeTerminal();
    const argv = [...withAgent(), ...edit({}, [no, { ...once, optionId: "no" }])];
    const { out } = await start(argv, { ...folders, terminal }).ended;
    expect([out, terminal.output.text]).toEqual(["cancelled", ""]);
  });
  it.each([
    ["edit", "y\n", "once"],
    ["edit", "n\n", "no"],
    ["edit", "3\n", "always"],
    ["edit", "what\n9\n1\n", "once"],
    // Only its number chooses a lasting option.
    ["always", "y\n1\n", "always"],
  ])("of %s takes %j as %s", async (prompt, typed, chosen) => {
    expect((await answer([prompt], typed)).out).toBe(chosen);
  });
  it("works while stdin and stdout are pipes, and leaves stdout clean", async () => {
    const { out } = await answer(["-o", "events"], "1\n", { stdin: "edit" });
    expect(events(out).find(({ type }) => type === "permission")).toMatchObject({
      outcome: "allowed",
      by: "user",
      optionId: "once",
    });
  });
  it("is cancelled with its turn by Ctrl-C", async () => {
    const { code, out } = await asking(["asking"], (_, signal) => signal());
    expect({ code, out }).toEqual({ code: 130, out: "got cancelled" });
  });
  it("is cancelled by Ctrl-D", async () => {
    const { out } = await asking(["edit"], ({ input }) => void input.end());
    expect(out).toBe("cancelled");
  });
});
