// Signing in with --auth, through the agent or with a command in the terminal.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../../../support/pty.ts";
import { run } from "../support/run.ts";
import { builtBin, foldersForAll } from "../commands/setup.ts";

const agent = fileURLToPath(new URL("../../../support/agents/login-agent.mjs", import.meta.url));

const bin = builtBin();
const folders = foldersForAll();
const store = () => join(folders.home, "login");
beforeEach(() => rm(store(), { force: true }));
const command = () => `node ${agent} ${store()}`;

describe("--auth without a terminal", () => {
  const login = (id: string, env: Record<string, string> = {}) =>
    run(["--agent-command", command(), "--auth", id, "hello"], {
      ...folders,
      env,
    });
  it("does not tell the agent that it could run a login in the terminal", async () => {
    expect(await login("browser")).toMatchObject({
      code: 2,
      last: 'the agent does not offer the login "browser"; it offers: key',
    });
  });
  it("prints the command of a terminal login that the agent offers anyway", async () => {
    expect(await login("browser", { OFFER_ALWAYS: "1" })).toMatchObject({
      code: 6,
      last: `the login "browser" needs a terminal, and there is none; try: ${command()} --login in a terminal`,
    });
  });
  it("exits with 6 if the agent denies the login", async () => {
    expect(await login("key")).toMatchObject({
      code: 6,
      last: "node denied the login: the key has expired",
    });
  });
});

const noPty = hasPty ? "" : " (skipped: Python is needed to open a terminal)";
describe.runIf(hasPty)(`--auth in a terminal${noPty}`, () => {
  const shell = (line: string): Pty =>
    openPty(["bash", "--norc", "-c", line], {
      cwd: folders.cwd,
      env: { PATH: process.env["PATH"], HOME: folders.home, TERM: "xterm", LANG: "C.UTF-8" },
    });
  const dragoman = (rest: string) =>
    `node ${bin.file} --agent-command "${command()}" --auth browser ${rest}`;
  const answer = () => readFile(join(folders.cwd, "answer"), "utf8");

  it("runs the agent's own command and restarts the agent", async () => {
    const pty = shell(dragoman("hello"));
    await pty.waitFor('running the login "browser"');
    await pty.reply("Your name (browser): ", "Ann\n");
    await pty.waitFor("welcome, Ann");
    await pty.waitFor("signed in as Ann");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
  });
  it("gives the login the terminal while stdin and stdout are pipes", async () => {
    const pty = shell(`echo hello | ${dragoman("")} | cat > answer`);
    await pty.reply("Your name", "Bob\n");
    expect(await pty.ended).toEqual({ code: 0, restored: true });
    expect(await answer()).toBe("signed in as Bob");
  });
  it("prints the line about the agent once, although the agent is started twice", async () => {
    const pty = shell(dragoman("-j hello > answer"));
    await pty.reply("Your name", "Cy\n");
    await pty.ended;
    const frames = (await answer()).trimEnd().split("\n");
    expect(frames.filter((frame) => frame.includes("client/selected_agent"))).toEqual([frames[0]]);
    expect(frames.filter((frame) => frame.includes('"initialize"'))).toHaveLength(2);
  });
  it("exits with 6 if the login fails", async () => {
    const pty = shell(dragoman("hello"));
    await pty.reply("Your name", "\n");
    await pty.waitFor('the login "browser" failed: the command exited with code 3');
    expect(await pty.ended).toEqual({ code: 6, restored: true });
  });
  it("counts as interrupted if the login died of Ctrl-C first", async () => {
    const pty = shell(dragoman("hello"));
    await pty.reply("Your name", "^C\n");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
  });
  it("exits on Ctrl-C at the login, without opening a session", async () => {
    const pty = shell(dragoman("-j hello > answer"));
    await pty.reply("Your name", "\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
    expect(await answer()).not.toContain("session/new");
  });
});
