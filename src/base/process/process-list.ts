import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { hasLimitMark } from "./limit-mark.ts";
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

const run = promisify(execFile);

export function newTreeMark(): string {
  return `DRAGOMAN_TREE_${randomUUID().replaceAll("-", "")}`;
}

export function inGroup(group: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  return rows.filter((row) => row.pid === group || row.group === group);
}

/**
 * The processes that carry a mark of a tree, even if they have left its group and their parent.
 * Linux only. A process that is being replaced by `exec` shows no environment for a moment.
 */
export function withMark(tree: Tree, rows: readonly ProcessRow[]): Marked {
  if (process.platform !== "linux") return { rows: [], isUnsure: false };
  const young = rows.filter(
    ({ pid, parent, startedAt }) =>
      startedAt >= tree.startedAt && pid !== process.pid && parent !== KERNEL_THREADS,
  );
  const environments = young.map(({ pid }) => environmentOf(pid));
  return {
    rows: young.filter(
      ({ pid }, index) =>
        environments[index]?.includes(`${tree.mark}=`) === true ||
        (tree.limit !== undefined && hasLimitMark(pid, tree.limit)),
    ),
    isUnsure: environments.includes(""),
  };
}

/** When a process started, in clock ticks; undefined if it is not running, or if the system hides it. */
export function runningSince(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))?.startedAt;
  } catch {
    return undefined;
  }
}

/** The given processes and all their descendants. Pure. */
export function withDescendants<Row extends Pick<ProcessRow, "pid" | "parent">>(
  roots: Iterable<Row>,
  rows: readonly Row[],
): readonly Row[] {
  const children = new Map<number, Row[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  const found = new Set(roots);
  for (const { pid } of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
}

/** Sends a signal to each process, or group if negative. Ignores those that have already exited. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has exited, or its pid now belongs to another user.
    }
  }
}

/** Whether a group has any process, for systems that cannot list processes. */
export function groupExists(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** The `taskkill` arguments that end a process with all its children. Pure. */
export function taskkillArgs(pid: number): readonly string[] {
  return ["/pid", String(pid), "/T", "/F"];
}

/** Ends a whole tree on Windows, which has no process groups and no signals. */
export async function endTreeOnWindows(pid: number): Promise<void> {
  await run("taskkill", [...taskkillArgs(pid)]).catch(() => {
    // taskkill fails if the process has already exited, which is fine.
  });
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

/** The parent of all kernel threads, which have no environment. */
const KERNEL_THREADS = 2;

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

function environmentOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It has exited, or it belongs to another user.
    return undefined;
  }
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
