import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { agentCommand, buildBin, type BuiltBin } from "./bin.ts";
import type { FakeIoOptions } from "./io.ts";
import { type CliProcess, spawnCli } from "./process.ts";
import { events, type Running, scratch, type Scratch, start } from "./run.ts";

type Env = Readonly<Record<string, string>>;

/** The command in the version of runs inside the test process, so that those can start its hub. */
export function buildWarmBin(): Promise<BuiltBin> {
  return buildBin("dragoman", "1.2.3");
}

/** The arguments of a run with the scripted agent, kept warm. */
export function warm(...argv: readonly string[]): readonly string[] {
  return ["--warm", "1m", "--agent-command", agentCommand(), ...argv];
}

/** A user of the command, with a home and a runtime folder of their own. */
export interface WarmUser {
  readonly folders: Scratch;
  readonly runtime: string;
  /** Starts a run inside the test process. Its hub and its agents are real processes. */
  start(argv: readonly string[], env?: Env, options?: FakeIoOptions): Running;
  run(argv: readonly string[], env?: Env): Running["ended"];
  /** Starts the real command. */
  spawn(argv: readonly string[], used?: BuiltBin): CliProcess;
  /** The output of `hub status -o events`, without the result. */
  hubs(): Promise<Record<string, unknown>[]>;
  /** The records in the runtime folder. */
  records(): Promise<Record<string, unknown>[]>;
  /** Ends the hubs and removes the folders. */
  remove(): Promise<void>;
}

export async function warmUser(bin: BuiltBin): Promise<WarmUser> {
  const folders = await scratch();
  const runtime = join(folders.home, "run");
  await mkdir(runtime, { mode: 0o700 });
  const own = { XDG_RUNTIME_DIR: runtime, TMPDIR: runtime };
  const user: WarmUser = {
    folders,
    runtime,
    start: (argv, env = {}, options = {}) => {
      const { home, cwd } = folders;
      return start(argv, { home, cwd, dragoman: bin.file, ...options, env: { ...own, ...env } });
    },
    run: (argv, env) => user.start(argv, env).ended,
    spawn: (argv, used = bin) => spawnCli(used, folders, argv, { env: own }),
    hubs: async () => {
      const { out } = await user.run(["hub", "status", "-o", "events"]);
      return events(out).filter(({ type }) => type === "hub");
    },
    records: async () => {
      const folder = join(runtime, "dragoman");
      const names = await readdir(folder).catch(() => []);
      const files = names.filter((name) => name.endsWith(".json"));
      const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
      return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
    },
    remove: async () => {
      for (const { pid } of await user.records()) if (typeof pid === "number") kill(pid);
      // A hub that found another one in its place has no record, and may still write to its log.
      await vi.waitUntil(async () => {
        const left = await processesWith(runtime);
        for (const pid of left) kill(pid);
        return left.length === 0;
      }, ENDING);
      await folders.remove();
    },
  };
  return user;
}

/** How long killed processes may take to disappear. */
const ENDING = { timeout: 10_000, interval: 10 } as const;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited already.
  }
}

/** The processes with a text in their environment. Linux only: elsewhere there are none. */
async function processesWith(text: string): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")),
  );
  return pids.filter((_, index) => environments[index]?.includes(text)).map(Number);
}
