import { execFileSync, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentCommand } from "../support/bin.ts";
import { type CliProcessOptions, spawnCli } from "../support/process.ts";
import { isAlive } from "../support/run.ts";
import { builtBin, foldersForAll } from "../commands/setup.ts";

const bin = builtBin();
const folders = foldersForAll();
beforeAll(async () => {
  execFileSync("mkfifo", [join(folders.home, "stuck")]);
  await writeFile(join(folders.home, "echo.mjs"), ECHO);
  await writeFile(join(folders.home, "hang.mjs"), ECHO + HANG);
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Reports each signal, so that the next one is not sent before this one has arrived. */
const ECHO = `
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(name, () => console.error(name, "arrived"));
`;

/**
 * A file system that does not answer: every open of a file blocks a thread, as the open of a pipe
 * without a writer does.
 */
const HANG = `
  import fs from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const { open } = fs;
  fs.open = () => {
    console.error("hanging");
    return open(process.env.HOME + "/stuck");
  };
  syncBuiltinESMExports();
`;

function cli(module: string, argv: readonly string[], stdio?: CliProcessOptions["stdio"]) {
  const node = ["--import", join(folders.home, module)];
  const running = spawnCli(bin, folders, argv, { node, ...(stdio === undefined ? {} : { stdio }) });
  started.push(running.child);
  return running;
}

describe.runIf(process.platform !== "win32")("a second signal", () => {
  it.each([
    ["SIGINT", "SIGINT"],
    ["SIGINT", "SIGTERM"],
  ] as const)(
    "ends the program although a file hangs before the agent runs (%s, %s)",
    async (first, second) => {
      const argv = ["--agent-command", agentCommand(), "hello"];
      const { child, ended, said } = cli("hang.mjs", argv);
      await said("hanging");
      child.kill(first);
      await said("SIGINT arrived");
      child.kill(second);
      expect(await ended).toMatchObject({ code: first });
    },
  );

  it("ends the agent, and a third one the program, if something hangs after that", async () => {
    const pidFile = join(folders.cwd, "pid");
    const pipe = join(folders.cwd, "recording");
    execFileSync("mkfifo", [pipe]);
    // The pipe has a reader, this process, that never reads: the recording cannot be written.
    const fd = openSync(pipe, "r+");
    onTestFinished(() => closeSync(fd));
    const agent = agentCommand(`pid-file=${pidFile}`);
    const argv = ["--agent-command", agent, "--record", "/dev/fd/3", "lines"];
    const { child, ended, said } = cli("echo.mjs", argv, ["ignore", "pipe", "pipe", fd]);
    await expect
      .poll(() => readFile(pidFile, "utf8").catch(() => ""), { timeout: 10_000 })
      .not.toBe("");
    const pid = Number(await readFile(pidFile, "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    child.kill("SIGINT");
    await said("SIGINT arrived");
    child.kill("SIGTERM");
    await said("SIGTERM arrived");
    child.kill("SIGHUP");
    expect(await ended).toMatchObject({ code: "SIGINT" });
  });
});

describe("a signal", () => {
  it("ends a run that waits for stdin", async () => {
    const argv = ["--agent-command", agentCommand(), "hi"];
    const { child, ended, said } = cli("echo.mjs", argv, ["pipe", "pipe", "pipe"]);
    await said("waiting for stdin");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130 });
  });

  it.runIf(process.platform !== "win32")("is not needed for settings that are a pipe", async () => {
    const folder = join(folders.cwd, ".dragoman");
    await mkdir(folder);
    execFileSync("mkfifo", [join(folder, "settings.json")]);
    const argv = ["--agent-command", agentCommand(), "hello"];
    const { ended, said } = cli("echo.mjs", argv);
    await said(".dragoman/settings.json is ignored: it is a pipe, not a file");
    expect(await ended).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
  });
});
