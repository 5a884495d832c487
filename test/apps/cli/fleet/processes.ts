// The commands of a fleet as real processes.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { deferred } from "../../../../src/base/index.ts";
import { processEnv } from "../support/process.ts";
import type { Scratch } from "../support/run.ts";

/** How a process ended. */
interface FleetExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running command. */
export interface FleetProcess {
  readonly pid: number;
  /** The port of `--port-file`. */
  readonly port: number;
  readonly exit: Promise<FleetExit>;
  /** Everything on stderr. */
  err(): string;
  out(): string;
  kill(signal: NodeJS.Signals): Promise<FleetExit>;
}

/** Where and how the processes of a test run. */
export interface FleetSetup {
  readonly bin: string;
  readonly folders: Scratch;
  readonly nats: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const READY = { timeout: 60_000, interval: 20 };
let started = 0;

/** Starts a command without waiting for anything. */
export function startCommand(setup: FleetSetup, args: readonly string[]): FleetProcess {
  const { bin, folders, env } = setup;
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
    cwd: folders.cwd,
    env: { ...processEnv(folders), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [err, out] = ["", ""];
  child.stderr?.on("data", (text) => (err += String(text)));
  child.stdout?.on("data", (text) => (out += String(text)));
  const ended = deferred<FleetExit>();
  child.once("close", (code, signal) => ended.resolve({ code, signal }));
  return {
    pid: child.pid ?? 0,
    port: 0,
    exit: ended.promise,
    err: () => err,
    out: () => out,
    kill: (signal) => {
      child.kill(signal);
      return ended.promise;
    },
  };
}

/** Starts a worker or a gateway, and waits until it is ready. */
export async function startFleetProcess(
  setup: FleetSetup,
  command: "worker" | "gateway",
  args: readonly string[],
): Promise<FleetProcess> {
  const file = join(setup.folders.home, `port-${++started}`);
  const nats = setup.nats.flatMap((url) => ["--nats", url]);
  const listen = ["--listen", "0", "--port-file", file];
  const running = startCommand(setup, [command, ...nats, ...listen, ...args]);
  let hasEnded = false;
  void running.exit.then(() => (hasEnded = true));
  await vi.waitUntil(() => {
    if (hasEnded) throw new Error(`${command} ended: ${running.err()}`);
    return existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
  }, READY);
  return { ...running, port: Number(readFileSync(file, "utf8")) };
}
