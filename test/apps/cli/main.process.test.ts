import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { agentCommand } from "./support/bin.ts";
import { processEnv, spawnCli } from "./support/process.ts";
import { isAlive } from "./support/run.ts";
import { builtBin, foldersForAll } from "./commands/setup.ts";

const bin = builtBin();
const folders = foldersForAll();
/** Runs the real command without a terminal. */
const cli = (argv: readonly string[], stdin?: string) =>
  spawnCli(bin, folders, argv, stdin === undefined ? {} : { stdin }).ended;

describe("the dragoman command", () => {
  it("answers --version and -V", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, out: "9.8.7\n", err: "" });
    expect(await cli(["-V"])).toEqual({ code: 0, out: "9.8.7\n", err: "" });
  });

  it("starts stderr on its own line if stdout and stderr go to the same file", async () => {
    const line = '"$0" "$1" --agent-command "$2" --no-stdin --fail-on end_turn hello 2>&1; true';
    const argv = ["-c", line, process.execPath, bin.file, agentCommand()];
    const { stdout } = await promisify(execFile)("sh", argv, {
      cwd: folders.cwd,
      env: processEnv(folders),
    });
    expect(stdout).toBe("Hello, world\ndragoman: the turn stopped early: end_turn\n");
  });

  it("sends a prompt with its stdin, and exits with the right code", async () => {
    expect(await cli(["--agent-command", agentCommand(), "review"], "this\n")).toEqual({
      code: 0,
      out: "you said: review\n\nthis",
      err: "",
    });
    expect((await cli(["--agent-command", agentCommand(), "crash"])).code).toBe(8);
    expect(await cli(["--frob"])).toMatchObject({ code: 2, out: "" });
  });

  it("does not read a stdin that is neither a pipe nor a file", async () => {
    expect((await cli(["--agent-command", agentCommand(), "hello"])).out).toBe("Hello, world");
  });

  it("is quiet when the reader of its stdout exits, and leaves no process behind", async () => {
    const file = join(folders.cwd, "pid-head");
    const line = `node ${bin.file} --agent-command "${agentCommand(`pid-file=${file}`)}" lines < /dev/null | head -1; echo "\${PIPESTATUS[0]}"`;
    const run = promisify(execFile);
    const { stdout, stderr } = await run("setsid", ["-w", "bash", "-c", line], {
      cwd: folders.cwd,
      env: processEnv(folders),
    });
    expect({ stdout, stderr }).toEqual({ stdout: "line 0\n0\n", stderr: "" });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("exits with its own code on %s", async (name, code) => {
    const file = join(folders.cwd, `pid-${name}`);
    const argv = ["--agent-command", agentCommand(`pid-file=${file}`), "hang"];
    const { child, said, ended } = spawnCli(bin, folders, argv);
    await said("waiting");
    child.kill(name);
    expect(await ended).toMatchObject({ code });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it("ends the agent even if it is killed itself", async () => {
    const file = join(folders.cwd, "pid-kill");
    const argv = ["--agent-command", agentCommand(`pid-file=${file}`, "ignore-eof"), "deaf"];
    const { child, said } = spawnCli(bin, folders, argv);
    await said("waiting");
    child.kill("SIGKILL");
    await once(child, "exit");
    const pid = Number(await readFile(file, "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });
});
