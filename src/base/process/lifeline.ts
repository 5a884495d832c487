import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Words, isExecutable } from "./spawn.ts";

/**
 * Waits on a pipe that only the host holds open. When the host ends, even if it is killed, the pipe
 * ends, and the script ends the tree: its group and, on Linux, every process that carries one of its
 * marks.
 *
 * - The id of the group comes through the pipe, because this script starts before the tree.
 * - If the host is itself in a tree, the script takes off the limit that marks that tree, because it
 *   has to outlive the host. Shells differ in the name of the option.
 * - A process that keeps starting itself again is gone before `all` signals it. `chase` stops the
 *   newest process of the machine if it is one of the tree, and starts none itself.
 * - The second SIGKILL is for a process that was being forked, or replaced by `exec`, during the
 *   first.
 */
const SCRIPT = `
mark=$1
limit=\${2:-$mark}
ulimit -S -w unlimited || ulimit -S -x unlimited
read -r group && read -r _
all() {
  [ -n "$group" ] && kill -"$1" -"$group" 2>/dev/null
  for file in $(grep -las -e "$mark=" -e " $limit " /proc/[0-9]*/environ /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -"$1" "\${pid%/*}" 2>/dev/null
  done
}
chase() {
  left=500
  while [ "$left" -gt 0 ] && read -r _ _ _ _ newest </proc/loadavg; do
    left=$((left - 1))
    [ -r "/proc/$newest/limits" ] && while read -r line; do
      case $line in *" $limit "*) kill -STOP "$newest" ;; esac
    done <"/proc/$newest/limits"
  done
}
all TERM
sleep 1
chase 2>/dev/null
all KILL
sleep 1
all KILL
`;

/** Guards a tree. It is opened before the tree exists, so the tree is never without a guard. */
export interface Lifeline {
  /** Passes the process group of the tree to the guard. */
  watch(group: number): void;
  cut(): void;
}

/** Ends a tree when this process ends, even if that gets SIGKILL. POSIX only. */
export function openLifeline(mark: string, limit: string | undefined): Lifeline {
  if (process.platform === "win32") return { watch: () => {}, cut: () => {} };
  const guard = spawn("/bin/sh", ["-c", SCRIPT, "lifeline", mark, limit ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  // Without a shell there is no lifeline, but the channel still works.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
  return {
    watch: (group) => void guard.stdin.write(`${group}\n`),
    cut: () => {
      guard.kill("SIGKILL");
      guard.stdin.destroy();
    },
  };
}

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
