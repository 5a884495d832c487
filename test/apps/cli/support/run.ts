import { mkdtemp, mkdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../../../src/apps/cli/main.ts";
import { agentCommand } from "./bin.ts";
import { fakeIo, type FakeIo, type FakeIoOptions } from "./io.ts";

/** A home folder and a project folder for a test. */
export interface Scratch {
  readonly home: string;
  readonly cwd: string;
  remove(): Promise<void>;
}

/** Creates empty folders. The caller removes them. */
export async function scratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-cli-")));
  const home = join(folder, "home");
  const cwd = join(folder, "project");
  await mkdir(home);
  await mkdir(cwd);
  // A process that was just killed may still be writing its last file.
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return { home, cwd, remove };
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The last line of stderr, without the name of the program. */
  readonly last: string;
}

export interface Running {
  readonly io: FakeIo;
  readonly ended: Promise<Ended>;
}

/** Starts a run inside the test process. */
export function start(argv: readonly string[], options: FakeIoOptions = {}): Running {
  const io = fakeIo(options);
  const ended = main(argv, io).then((code) => {
    const err = io.err.text;
    const last = err.trimEnd().split("\n").at(-1) ?? "";
    return { code, out: io.out.text, err, last: last.replace(/^dragoman: /, "") };
  });
  return { io, ended };
}

/** Starts a run and waits until it has ended. */
export function run(argv: readonly string[], options: FakeIoOptions = {}): Promise<Ended> {
  return start(argv, options).ended;
}

/** The arguments that choose the scripted agent with these switches. */
export function withAgent(...switches: readonly string[]): string[] {
  return ["--agent-command", agentCommand(...switches)];
}

/** Whether a process is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The events of an `-o events` run. */
export function events(out: string): Record<string, unknown>[] {
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
