import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Words, isExecutable } from "./spawn.ts";

/**
 * A resource limit as the mark of a tree, on Linux. Every process inherits its limits, and keeps them
 * when it clears its environment, leaves its group or loses its parent. The limit on file locks has
 * had no effect since Linux 2.4.25, and the value is close to the largest one anyway.
 *
 * Node cannot set limits, so `prlimit` of util-linux does. It then replaces itself with the command,
 * which keeps its pid, pipes, working folder and exit code. Without `prlimit`, or where it may not set
 * the limit, there is no such mark.
 */
const PRLIMITS = ["/usr/bin/prlimit", "/bin/prlimit"];

let found: Promise<string | undefined> | undefined;

/** A value that only one tree has, between 2^61 and 2^62. */
export function newLimitMark(): string {
  return (2n ** 61n + (randomBytes(8).readBigUInt64BE() >> 3n)).toString();
}

/** The words that start a command with this mark; undefined if this machine cannot mark trees. */
export async function limitWords(mark: string): Promise<Words | undefined> {
  found ??= process.platform === "linux" ? findPrlimit() : Promise.resolve(undefined);
  const prlimit = await found;
  return prlimit === undefined ? undefined : [prlimit, limitArg(mark), "--"];
}

/**
 * Tries it out where the system may deny it: in a sandbox, or below another limit. Elsewhere a trial
 * would only delay the start of the command.
 */
async function findPrlimit(): Promise<string | undefined> {
  const isFree = maySetLimit();
  for (const path of PRLIMITS) {
    if (await (isFree ? isExecutable(path) : canSetLimit(path))) return path;
  }
  return undefined;
}

/** Whether this process may certainly lower its limit: no filter for system calls, and no limit yet. */
function maySetLimit(): boolean {
  try {
    const hasNoFilter = /^Seccomp:\s*0$/m.test(readFileSync("/proc/self/status", "latin1"));
    const limits = readFileSync("/proc/self/limits", "latin1");
    return hasNoFilter && /^Max file locks\s+\S+\s+unlimited\s/m.test(limits);
  } catch {
    return false;
  }
}

async function canSetLimit(prlimit: string): Promise<boolean> {
  try {
    const trial = spawn(prlimit, [limitArg(newLimitMark())], { stdio: "ignore" });
    const [code] = await once(trial, "exit");
    return code === 0;
  } catch {
    // It is not installed there.
    return false;
  }
}

/** With a colon, only the soft limit changes. */
function limitArg(mark: string): string {
  return `--locks=${mark}:`;
}

/** Whether a process carries this mark. False if it has exited. */
export function hasLimitMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/limits`, "latin1").includes(` ${mark} `);
  } catch {
    return false;
  }
}
