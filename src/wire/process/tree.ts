import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** What identifies one tree of processes. */
export interface Tree {
  /** The leader: its pid is the group's id. */
  readonly pid: number;
  /**
   * The name of a variable that only this tree has in its environment. A name, not a value, so that
   * the processes of a tree within a tree carry the marks of both.
   */
  readonly mark: string;
  /** When the leader started, in the measure of {@link ProcessRow.startedAt}: nothing of it is older. */
  readonly startedAt: number;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In ticks since the machine started; 0 where the system does not say. */
  readonly startedAt: number;
}

/** The processes that carry a mark, and whether there are some of which it could not be told yet. */
export interface Marked {
  readonly rows: readonly ProcessRow[];
  readonly isUnsure: boolean;
}

const run = promisify(execFile);

export function newTreeMark(): string {
  return `DRAGOMAN_TREE_${randomUUID().replaceAll("-", "")}`;
}

/** Pure: the processes of a group. */
export function inGroup(group: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  return rows.filter((row) => row.pid === group || row.group === group);
}

/**
 * The processes that carry the mark of a tree, also when they have left their group and parent.
 * Linux only. A process that is just being replaced (`exec`) shows no environment for a moment.
 */
export function carrying(tree: Tree, rows: readonly ProcessRow[]): Marked {
  if (process.platform !== "linux") return { rows: [], isUnsure: false };
  const young = rows.filter(
    ({ pid, parent, startedAt }) =>
      startedAt >= tree.startedAt && pid !== process.pid && parent !== KERNEL_THREADS,
  );
  const environments = young.map(({ pid }) => environmentOf(pid));
  return {
    rows: young.filter((_, index) => environments[index]?.includes(`${tree.mark}=`)),
    isUnsure: environments.includes(""),
  };
}

/** When a process started; 0 where the system does not say. */
export function startOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  try {
    return startTime(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return 0;
  }
}

/** Pure: the given processes and everything below them. */
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

/** Sends a signal to each process, or group if negative; one that is gone already is fine. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone, or not ours any more.
    }
  }
}

/** Whether anything is in a group, for systems that do not list their processes. */
export function groupLives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Pure: how Windows is told to end a process with all its children. */
export function taskkillArgs(pid: number): readonly string[] {
  return ["/pid", String(pid), "/T", "/F"];
}

/** Ends a whole tree on Windows, which knows no groups and no signals. */
export async function endTreeOnWindows(pid: number): Promise<void> {
  await run("taskkill", [...taskkillArgs(pid)]).catch(() => {
    // taskkill fails when the process is gone already, which is what was wanted.
  });
}

/** The living processes of this machine, zombies not among them. Rejects if they cannot be listed. */
export async function listProcesses(): Promise<readonly ProcessRow[]> {
  if (process.platform === "linux") return listFromProc();
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="]);
  return parsePs(stdout);
}

/** Read at once: these files are no disk's, and each by way of the thread pool costs five times as much. */
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
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Pure: one line of `/proc/PID/stat`; undefined for a zombie, which only waits to be reaped. */
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

/** From the state on. The name before it stands in parentheses and may itself hold some. */
function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startTime(stat: string): number {
  return Number(statFields(stat)[START_TIME_FIELD] ?? 0);
}

/** Field 22 of the manual's list, in which the state is the third. */
const START_TIME_FIELD = 22 - 3;

/** The parent of all kernel threads, which have no environment. */
const KERNEL_THREADS = 2;

/** Pure: what `ps -A -o pid=,ppid=,pgid=,stat=` prints. */
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
    // Gone, or somebody else's.
    return undefined;
  }
}

function isGone(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")
  );
}
