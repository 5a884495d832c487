import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AGENT } from "../../support/bin.ts";
import { events, isAlive, run, start } from "../../support/run.ts";
import { expectRefused, foldersForEach } from "../setup.ts";

const folders = foldersForEach();
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd: folders.cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folders.home },
  });
const settings = () => join(folders.home, "agents.json");
const pidFile = (name: string) => join(folders.home, `${name}.pid`);
beforeEach(async () => {
  const agent = (who: string, ...more: string[]) => ({
    command: process.execPath,
    args: [AGENT, `who=${who}`, `pid-file=${pidFile(who)}`, ...more],
  });
  const agents = {
    one: agent("one"),
    two: agent("two"),
    broken: agent("broken", "die-in-initialize"),
    remote: { url: "ws://127.0.0.1:1/acp" },
  };
  await writeFile(settings(), JSON.stringify({ agent_servers: agents }));
  git("init", "-q", "-b", "main");
  await writeFile(join(folders.cwd, "a.txt"), "first\n");
  await mkdir(join(folders.cwd, "sub"));
  await writeFile(join(folders.cwd, "sub", "b.txt"), "b\n");
  await writeFile(join(folders.cwd, ".gitignore"), "ignored\n");
  git("add", "-A");
  git("commit", "-qm", "first");
});

const argvOf = (agents: string, ...words: string[]) =>
  ["compare", "-a", agents, "--settings", settings()].concat(words);
const compare = (agents: string, ...words: string[]) => run(argvOf(agents, ...words), folders);
const keep = (...words: string[]) => run(["compare", "--keep", ...words], folders);
const worktrees = () => git("worktree", "list", "--porcelain").match(/^worktree /gm)?.length;
const running = () =>
  readdir(join(folders.home, ".local/state/dragoman/compare/running")).catch(() => []);
const file = (name: string) => readFile(join(folders.cwd, name), "utf8");

/** Nothing of the comparison is left, and the user's files are as they were. */
async function expectUntouched(): Promise<void> {
  expect(worktrees()).toBe(1);
  expect(await running()).toEqual([]);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("branch", "--list").trim()).toBe("* main");
}

describe("dragoman compare", () => {
  it("shows the answer, the numbers and the changes of each agent", async () => {
    const { code, out, last } = await compare("one,two", "change");
    expect(code).toBe(0);
    expect(out.replace(/\d+\.\d s/g, "0.1 s").replace(/index \w+\.\.\w+/g, "index")).toBe(
      `${[
        "AGENT  RESULT  TIME   TOKENS  COST  TOOLS  FILES  LINES",
        "one    done    0.1 s  -       -     0      2      +2 -1",
        "two    done    0.1 s  -       -     0      2      +2 -1",
        "",
        "== one: answer",
        "changed by one",
        "",
        "== two: answer",
        "changed by two",
        "",
        ...["one", "two"].flatMap((who) => [
          `== ${who}: changes`,
          "a.txt (+1 -1)",
          "new file.txt (+1 -0)",
          "",
          "diff --git a/a.txt b/a.txt",
          "index 100644",
          "--- a/a.txt",
          "+++ b/a.txt",
          "@@ -1 +1 @@",
          "-first",
          `+${who} was here`,
          "diff --git a/new file.txt b/new file.txt",
          "new file mode 100644",
          "index",
          "--- /dev/null",
          "+++ b/new file.txt\t",
          "@@ -0,0 +1 @@",
          "+new",
          ...(who === "one" ? [""] : []),
        ]),
      ].join("\n")}\n`,
    );
    expect(last).toBe("your files are unchanged; apply one result with compare --keep NAME");
    await expectUntouched();
  });

  it("keeps the changes of one agent afterwards", async () => {
    await compare("one,two", "change");
    expect(await keep("two")).toMatchObject({
      code: 0,
      out: "a.txt\nnew file.txt\n",
      last: "applied the changes of two to 2 files",
    });
    expect(await file("a.txt")).toBe("two was here\n");
    expect(await file("new file.txt")).toBe("new\n");
  });

  it("escapes file names on a terminal", async () => {
    await compare("one,two", "name");
    const { out } = await run(["compare", "--keep", "one"], { ...folders, stdoutTty: true });
    expect(out).toBe("a␛[2J<U+202E>b c.txt\n");
  });

  it("keeps nothing if the user's files have changed since", async () => {
    await compare("one,two", "change");
    await writeFile(join(folders.cwd, "a.txt"), "my own change\n");
    await expectRefused(
      keep("one"),
      "do not fit your files anymore, and nothing was changed: patch failed: a.txt",
    );
    expect(await file("a.txt")).toBe("my own change\n");
    expect(await readdir(folders.cwd)).not.toContain("new file.txt");
  });

  it("works in a subfolder, with links to files of the worktree", async () => {
    const argv = argvOf("one,two", "-o", "result", "blocks", "@b.txt");
    const { out } = await run(argv, { ...folders, cwd: join(folders.cwd, "sub") });
    const [result] = events(out);
    const { compared } = result as { compared: { text: string }[] };
    expect(compared).toHaveLength(2);
    for (const { text } of compared) {
      const [, link] = JSON.parse(text) as { uri: string }[];
      expect(link?.uri).toMatch(/compare\/running\/.*\/tree-\d\/sub\/b\.txt$/);
    }
    await expectUntouched();
  });

  it("prints events, or one result", async () => {
    const all = events((await compare("one,two", "-o", "events", "change")).out);
    expect(all.map(({ type }) => type)).toEqual(["compared", "compared", "result"]);
    expect(all.find(({ agent }) => agent === "one")).toMatchObject({
      ok: true,
      exitCode: 0,
      text: "changed by one",
      stopReason: "end_turn",
      usage: null,
      toolCalls: 0,
      files: [
        { path: "a.txt", added: 1, removed: 1 },
        { path: "new file.txt", added: 1, removed: 0 },
      ],
      diff: expect.stringContaining("+one was here"),
      error: null,
    });
    const [result, ...none] = events((await compare("two,one", "-o", "result", "story")).out);
    expect(none).toEqual([]);
    expect(result).toMatchObject({
      type: "result",
      ok: true,
      compared: [
        { agent: "two", usage: { used: 120, cost: { amount: 0.5 } }, toolCalls: 1, files: [] },
        { agent: "one" },
      ],
    });
  });

  it("shows the others if one agent fails, and exits with its code", async () => {
    const { code, out, last } = await compare("one,broken", "change");
    expect(code).toBe(7);
    expect(out).toMatch(/^one +done/m);
    expect(out).toMatch(/^broken +cannot start/m);
    expect(out).toContain("== broken: answer\nfailed: broken died while starting");
    expect(last).toContain("broken died while starting");
    await expectUntouched();
    expect((await keep("one")).code).toBe(0);
  });

  it("leaves no worktree and no process behind on Ctrl-C, and keeps nothing", async () => {
    const { io: fake, ended } = start(argvOf("one,two", "hang"), { ...folders, stderrTty: true });
    await fake.err.waitFor("one: answering, two: answering");
    expect(worktrees()).toBe(3);
    fake.signal("SIGINT");
    const { code, out } = await ended;
    expect({ code, out }).toEqual({ code: 130, out: "" });
    for (const name of ["one", "two"]) expect(isAlive(await pid(name))).toBe(false);
    expect(fake.endedBy).toEqual([]);
    await expectUntouched();
    expect((await keep("one")).last).toContain("there is no comparison in");
  });

  it("removes what a run that was killed has left behind", async () => {
    const left = join(folders.home, ".local/state/dragoman/compare/running/999999999.1.x");
    await mkdir(left, { recursive: true });
    git("worktree", "add", "-q", "--detach", join(left, "tree-0"));
    await compare("one,two", "hello");
    await expectUntouched();
  });

  it("collects the changes of an agent that damages its worktree, and removes it", async () => {
    const { code } = await compare("one,two", "damage");
    expect(code).toBe(0);
    await expectUntouched();
  });

  it("never runs an agent's commands, not even through a user's filter", async () => {
    git("config", "filter.script.clean", "sh ./filter.sh");
    const mark = join(folders.home, "mark");
    const { code, out } = await compare("one,two", `tamper ${mark}`);
    expect(code).toBe(0);
    expect(out).toContain("+tampered");
    expect(await readdir(folders.home)).not.toContain("mark");
    await expectUntouched();
  });

  it("runs no hooks and obeys no variables of a hook", async () => {
    const hook = join(folders.cwd, ".git/hooks/post-checkout");
    await writeFile(hook, "#!/bin/sh\ntouch hooked\n");
    await chmod(hook, 0o755);
    const env = { GIT_DIR: join(folders.cwd, ".git"), GIT_WORK_TREE: folders.cwd };
    const { code, err } = await run(argvOf("one,two", "change"), { ...folders, env });
    expect(code, err).toBe(0);
    await expectUntouched();
    expect(await readdir(folders.cwd)).not.toContain("hooked");
  });

  it("reports denied permissions with the agent's name", async () => {
    const { err } = await compare("one,two", "edit");
    expect(err).toMatch(/^\[one\] dragoman: denied: .*--write would allow it/m);
    expect(err).toMatch(/^\[two\] dragoman: denied: /m);
  });

  it("stops an agent at its budget", async () => {
    await expectRefused(
      compare("one,two", "--max-tool-calls", "1", "tools 50"),
      /^one: the run made 2 tool calls, more than --max-tool-calls 1/,
      12,
    );
  });

  it("accepts files that git ignores, but none that are not committed", async () => {
    await writeFile(join(folders.cwd, "ignored"), "");
    expect((await compare("one,two", "hello")).code).toBe(0);
    await writeFile(join(folders.cwd, "mine.txt"), "");
    await writeFile(join(folders.cwd, "a.txt"), "changed");
    const { code, last } = await compare("one,two", "hello");
    expect(code).toBe(2);
    expect(last).toBe(
      "compare needs a committed tree; uncommitted: a.txt, mine.txt; try: git commit, or git stash -u",
    );
  });

  it.each([
    [["-a", "one", "hi"], "compare needs at least two agents"],
    [["hi"], "compare needs at least two agents"],
    [["-a", "one,one", "hi"], "compare needs different agents, and one is named twice"],
    [["-a", "one,two"], "there is no prompt"],
    [["-a", "one,nosuch", "hi"], 'unknown agent "nosuch"'],
    [["-a", "one,remote", "hi"], "remote is on a server, where it cannot have a worktree"],
    [["-a", "one,two", "-o", "jsonl", "hi"], "compare has no raw frames of several agents"],
    [["--keep", "one"], "there is no comparison in"],
    [["--keep", "one", "hi"], "--keep takes neither a prompt nor agents"],
    [["-a", "one,two", "--resume", "x", "hi"], "--resume does not apply to compare"],
  ])("%j is a usage error", (argv, message) =>
    expectRefused(run(["compare", "--settings", settings(), ...argv], folders), message),
  );

  it("names the agents of the last comparison if --keep names another", async () => {
    await compare("one,two", "hello");
    const named = '"tow" was not in the last comparison, only one, two; try: --keep two';
    await expectRefused(keep("tow"), named);
    expect(await keep("one")).toMatchObject({ code: 0, out: "", last: "one changed nothing" });
  });

  it("needs a repository with a commit", async () => {
    await rm(join(folders.cwd, ".git"), { recursive: true });
    expect((await compare("one,two", "hi")).last).toContain("compare needs a git repository");
    git("init", "-q");
    expect((await compare("one,two", "hi")).last).toContain("compare needs a commit");
  });

  async function pid(name: string): Promise<number> {
    return Number(await readFile(pidFile(name), "utf8").catch(() => "0"));
  }
});
