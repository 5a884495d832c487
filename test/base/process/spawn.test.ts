import type { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openProcess } from "../../../src/transport/wire/process/channel.ts";
import { overlayEnv, startProcess } from "../../../src/base/process/spawn.ts";
import { SpawnError, type CommandLine } from "../../../src/base/process/command.ts";

const crossSpawn = vi.hoisted(() => vi.fn());
vi.mock("cross-spawn", async (original) => {
  const { default: real } = await original<{ default: typeof spawn }>();
  crossSpawn.mockImplementation(real);
  return { default: crossSpawn };
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-spawn-"));
  await writeFile(join(folder, "plain.txt"), "not a program");
  await writeFile(join(folder, "orphan"), "#!/nowhere/interpreter\n");
  await chmod(join(folder, "orphan"), 0o755);
  await writeFile(join(folder, "hello"), "#!/bin/sh\necho hello from $PWD\n");
  await chmod(join(folder, "hello"), 0o755);
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin", "listed"), "no execute bit");
});
afterAll(() => rm(folder, { recursive: true }));

describe("a command that cannot be started", () => {
  it.each([
    {
      what: "is not on the PATH",
      line: { command: "no-such-command-at-all" },
      failure: "not-found",
    },
    {
      what: "does not exist at its path",
      line: { command: "/nowhere/agent" },
      failure: "not-found",
    },
    {
      what: "is not executable",
      line: { command: "./plain.txt", cwd: "." },
      failure: "not-executable",
    },
    { what: "is a folder", line: { command: "./bin", cwd: "." }, failure: "not-executable" },
    {
      what: "lacks its interpreter",
      line: { command: "./orphan", cwd: "." },
      failure: "not-executable",
    },
    {
      what: "has a working folder that does not exist",
      line: { command: "cat", cwd: "gone" },
      failure: "bad-cwd",
    },
    {
      what: "has a file as its working folder",
      line: { command: "cat", cwd: "plain.txt" },
      failure: "bad-cwd",
    },
    { what: "is empty", line: { command: "" }, failure: "other" },
    {
      what: "has an invalid argument",
      line: { command: "cat", args: ["a\0b"] },
      failure: "other",
    },
  ] as const)(
    "because it $what rejects with a SpawnError that names it",
    async ({ line, failure }) => {
      const inFolder: CommandLine = "cwd" in line ? { ...line, cwd: join(folder, line.cwd) } : line;
      const error: unknown = await openProcess(inFolder).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(SpawnError);
      expect(error).toMatchObject({
        name: "SpawnError",
        failure,
        command: line.command,
        cwd: inFolder.cwd,
        message: expect.stringContaining(`"${line.command}"`) as string,
        cause: expect.any(Error) as Error,
      });
      if (failure === "bad-cwd") expect((error as Error).message).toContain(inFolder.cwd);
    },
  );

  it("because it is on the PATH without its execute bit is reported as not executable", async () => {
    const env = { PATH: join(folder, "bin") };
    await expect(openProcess({ command: "listed", env })).rejects.toMatchObject({
      failure: "not-executable",
    });
  });

  it("leaves no process running", async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;
    await expect(openProcess({ command: "no-such-command-at-all" })).rejects.toThrow();
    // The lifeline was cut. It disappears as soon as it is reaped.
    const deadline = Date.now() + 5000;
    const processes = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;
    while (processes() > before) {
      expect(Date.now()).toBeLessThan(deadline);
      await new Promise(setImmediate);
    }
  });
});

describe("a command that starts", () => {
  const outputOf = async (line: CommandLine): Promise<string> => {
    const child = await startProcess(line, { stdio: ["ignore", "pipe", "inherit"] });
    return (await text(child.stdout!)).trim();
  };

  it("runs in its working folder, where a relative command is found", async () => {
    expect(await outputOf({ command: "./hello", cwd: folder })).toBe(`hello from ${folder}`);
  });

  it("receives its arguments unchanged", async () => {
    const args = ["-c", 'printf "%s|" "$@"', "sh", "a b", "", "$HOME", "*", "é😀"];
    expect(await outputOf({ command: "sh", args })).toBe("a b||$HOME|*|é😀|");
  });

  it("leads a process group of its own", async () => {
    const child = await startProcess({ command: "cat" }, { stdio: ["pipe", "ignore", "inherit"] });
    expect(process.kill(-child.pid!, 0)).toBe(true);
    child.kill("SIGKILL");
  });
});

describe("the environment of a command", () => {
  it("is that of this process plus the overlay, and does not change this process", async () => {
    process.env["DRAGOMAN_TEST_KEPT"] = "kept";
    process.env["DRAGOMAN_TEST_CHANGED"] = "before";
    process.env["DRAGOMAN_TEST_REMOVED"] = "before";
    const before = { ...process.env };
    const env = {
      DRAGOMAN_TEST_CHANGED: "after",
      DRAGOMAN_TEST_REMOVED: undefined,
      DRAGOMAN_TEST_NEW: "new",
    };
    const script =
      "echo $DRAGOMAN_TEST_KEPT-$DRAGOMAN_TEST_CHANGED-${DRAGOMAN_TEST_REMOVED-gone}-$DRAGOMAN_TEST_NEW";
    const channel = await openProcess({ command: "sh", args: ["-c", script], env });
    const line = await new Promise<string>((resolve) => channel.open(resolve));
    await channel.close();
    expect(line).toBe("kept-after-gone-new");
    expect({ ...process.env }).toEqual(before);
    expect(Object.keys(env)).toHaveLength(3);
  });

  it("applies several overlays, where later ones win", () => {
    const env = overlayEnv({ A: "1", B: "1", C: "1" }, undefined, { B: "2", C: undefined });
    expect(env).toMatchObject({ A: "1", B: "2" });
    expect(env).not.toHaveProperty("C");
  });
});

describe("on Windows", () => {
  beforeEach(() => {
    crossSpawn.mockClear();
  });

  it("commands start through cross-spawn, which handles .cmd shims, and without a process group", async () => {
    const line = { command: "sh", args: ["-c", "exit 3"], cwd: folder, env: { A: "1" } };
    const child = await startProcess(line, { stdio: "ignore" }, "win32");
    expect(crossSpawn).toHaveBeenCalledExactlyOnceWith(
      "sh",
      ["-c", "exit 3"],
      expect.objectContaining({
        cwd: folder,
        detached: false,
        windowsHide: true,
        env: expect.objectContaining({ A: "1" }) as unknown,
      }),
    );
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(3);
  });

  it("a failed start rejects with the same SpawnError", async () => {
    await expect(
      startProcess({ command: "no-such-command-at-all" }, { stdio: "ignore" }, "win32"),
    ).rejects.toMatchObject({ name: "SpawnError", failure: "not-found" });
  });

  it("cross-spawn is not used on other systems", async () => {
    const child = await startProcess({ command: "true" }, { stdio: "ignore" }, "linux");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(crossSpawn).not.toHaveBeenCalled();
  });
});
