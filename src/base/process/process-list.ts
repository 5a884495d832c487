import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { hasCode } from "../errors.ts";

export interface Tree {
  /** The pid of the leader, which is also the id of its process group. */
  readonly pid: number;
  /**
   * The name of an environment variable that only this tree has. It is a name and not a value, so
   * that a process in a nested tree carries the marks of both trees.
   */
  readonly mark: string;
  /** The mark from `newLimitMark`, if this machine can mark trees by a limit. */
  readonly limit: string | undefined;
  /**
   * When the leader started, in the unit of {@link ProcessRow.startedAt}. No process of the tree is
   * older.
   */
  readonly startedAt: number;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In clock ticks since the machine started; 0 if the system does not report it. */
  readonly startedAt: number;
}

/** The processes that carry a mark. `isUnsure` is true if some process may yet show it. */
export interface Marked {
  readonly rows: readonly ProcessRow[];
  readonly isUnsure: boolean;
}

export const run = promisify(execFile);

/** When a process started, in clock ticks; undefined if it is not running, or if the system hides it. */
export function runningSince(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))?.startedAt;
  } catch {
    return undefined;
  }
}

/** The running processes of this machine, without zombies. Rejects if they cannot be listed. */
export async function listProcesses(): Promise<readonly ProcessRow[]> {
  if (process.platform === "linux") return listFromProc();
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="]);
  return parsePs(stdout);
}

/** The processes that were started after another one. */
export interface Born {
  readonly rows: readonly ProcessRow[];
  /** The last pid that the system gave to a process, or a thread, when this list was read. */
  readonly newest: number | undefined;
  /** True if some had exited before they could be looked at. */
  readonly isMissing: boolean;
}

/** The last pid that the system gave to a process or a thread. Undefined if it does not say. */
export function newestPid(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1)) || undefined;
  } catch {
    return undefined;
  }
}

/** The processes with pids that were given after this one. Linux only. */
export function listBornAfter(pid: number): Born {
  const newest = newestPid();
  if (newest === undefined) return { rows: [], newest, isMissing: false };
  const pids = pidsAfter(pid, newest);
  const rows = pids.map((born) => statOf(String(born))).filter((row) => row !== undefined);
  return { rows, newest, isMissing: rows.length < pids.length };
}

/** At most this many of the newest pids. The system starts over with low pids at its limit. */
const MAX_BORN = 1000;

/** The pids after `pid`, up to `newest`. Pure. */
export function pidsAfter(pid: number, newest: number): readonly number[] {
  const first = newest >= pid ? pid + 1 : 1;
  const count = Math.min(newest - first + 1, MAX_BORN);
  return Array.from({ length: count }, (_, index) => newest - index);
}

/** Synchronous: these files are not on a disk, and the thread pool is five times slower. */
function listFromProc(): readonly ProcessRow[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(pid))
    .filter((row) => row !== undefined);
}

function statOf(pid: string): ProcessRow | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ESRCH")) return undefined;
    throw error;
  }
}

/** Parses `/proc/PID/stat`. Returns undefined for a zombie, which only waits to be reaped. Pure. */
export function parseStat(stat: string): ProcessRow | undefined {
  const [state, parent, group] = statFields(stat);
  if (state === "Z" || state === "X") return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    startedAt: startTime(stat),
  };
}

/** Parses the output of `ps -A -o pid=,ppid=,pgid=,stat=`. Pure. */
export function parsePs(output: string): readonly ProcessRow[] {
  return output
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 4 && !fields[3]?.startsWith("Z"))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startedAt: 0,
    }));
}

/** When a process started; 0 if the system does not report it. */
export function startTimeOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  try {
    return startTime(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return 0;
  }
}

/** The fields of `/proc/PID/stat` from the state on. The name before it is in parentheses and may contain some itself. */
function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The start time in `/proc/PID/stat`, in clock ticks since the machine started. Pure. */
function startTime(stat: string): number {
  return Number(statFields(stat)[START_TIME_FIELD] ?? 0);
}

/** Field 22 in proc(5), where the state is field 3. */
const START_TIME_FIELD = 22 - 3;

/** Whether a process with this id exists. That of another user counts, although no signal reaches it. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
