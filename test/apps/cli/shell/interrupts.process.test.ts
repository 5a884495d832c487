import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { agentCommand } from "../support/bin.ts";
import { processEnv } from "../support/process.ts";
import { isAlive } from "../support/run.ts";
import { builtBin, foldersForAll } from "../commands/setup.ts";

const bin = builtBin();
const folders = foldersForAll();
beforeAll(async () => {
  execFileSync("mkfifo", [join(folders.home, "stuck")]);
  await writeFile(join(folders.home, "echo.mjs"), ECHO);
  await writeFile(join(folders.home, "hang.mjs"), ECHO + HANG);
}, 60_000);

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

/** Starts the real command, in a session of its own. */
function cli(
  module: string,
  argv: readonly string[],
  stdio: readonly ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "pipe"],
) {
  const node = ["--import", join(folders.home, module), bin.file];
  const child = spawn(process.execPath, [...node, ...argv], {
    cwd: folders.cwd,
    env: processEnv(folders),
    detached: true,
    stdio: [...stdio],
  });
  started.push(child);
  const closed = once(child, "close");
  return { child, closed, waitFor: waiter(child) };
}

/** Waits until stderr has this text, and rejects if the process ends before. */
function waiter(child: ChildProcess): (text: string) => Promise<void> {
  let shown = "";
  let check = (): void => {};
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    shown += chunk;
    check();
  });
  return (text) =>
    new Promise((resolve, reject) => {
      child.once("close", () => reject(new Error(`ended before "${text}": ${shown}`)));
      check = () => {
        if (shown.includes(text)) resolve();
      };
      check();
    });
}

describe.runIf(process.platform !== "win32")("a second signal", () => {
  it.each([
    ["SIGINT", "SIGINT"],
    ["SIGINT", "SIGTERM"],
  ] as const)(
    "ends the program although a file hangs before the agent runs (%s, %s)",
    async (first, second) => {
      const argv = ["--agent-command", agentCommand(), "hello"];
      const { child, closed, waitFor } = cli("hang.mjs", argv);
      await waitFor("hanging");
      child.kill(first);
      await waitFor("SIGINT arrived");
      child.kill(second);
      expect(await closed).toEqual([null, first]);
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
    const { child, closed, waitFor } = cli("echo.mjs", argv, ["ignore", "pipe", "pipe", fd]);
    await expect
      .poll(() => readFile(pidFile, "utf8").catch(() => ""), { timeout: 10_000 })
      .not.toBe("");
    const pid = Number(await readFile(pidFile, "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    child.kill("SIGINT");
    await waitFor("SIGINT arrived");
    child.kill("SIGTERM");
    await waitFor("SIGTERM arrived");
    child.kill("SIGHUP");
    expect(await closed).toEqual([null, "SIGINT"]);
  });
});

describe("a signal", () => {
  it("ends a run that waits for stdin", async () => {
    const argv = ["--agent-command", agentCommand(), "hi"];
    const { child, closed, waitFor } = cli("echo.mjs", argv, ["pipe", "pipe", "pipe"]);
    await waitFor("waiting for stdin");
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
  });

  it.runIf(process.platform !== "win32")("is not needed for settings that are a pipe", async () => {
    const folder = join(folders.cwd, ".dragoman");
    await mkdir(folder);
    execFileSync("mkfifo", [join(folder, "settings.json")]);
    const argv = ["--agent-command", agentCommand(), "hello"];
    const { closed, waitFor } = cli("echo.mjs", argv);
    await waitFor(".dragoman/settings.json is ignored: it is a pipe, not a file");
    expect(await closed).toEqual([0, null]);
    await rm(folder, { recursive: true });
  });
});
