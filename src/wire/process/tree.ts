import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Marks every process of one tree through its environment, also those that left group and parent. */
export const TREE_MARK = "DRAGOMAN_TREE";

/** What identifies one tree of processes. */
export interface Tree {
  /** The leader: its pid is the group's id. */
  readonly pid: number;
  /** The value of {@link TREE_MARK} in its environment. */
  readonly mark: string;
}

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

const run = promisify(execFile);

/**
 * Which of the living processes belong to a tree: its group, whatever carries its mark (on Linux),
 * and all their descendants. To be asked before a kill: the children of a dead process are nobody's.
 */
export async function membersOf(
  tree: Tree,
  rows: readonly ProcessRow[],
): Promise<readonly number[]> {
  const roots = new Set<number>();
  const others: number[] = [];
  for (const { pid, group } of rows) {
    if (pid === tree.pid || group === tree.pid) roots.add(pid);
    else if (pid !== process.pid) others.push(pid);
  }
  if (process.platform === "linux") {
    const marked = await Promise.all(others.map((pid) => carriesMark(pid, tree.mark)));
    for (const [index, pid] of others.entries()) if (marked[index]) roots.add(pid);
  }
  return withDescendants(roots, rows);
}

/** Pure: the given processes and everything below them. */
export function withDescendants(
  roots: ReadonlySet<number>,
  rows: readonly { readonly pid: number; readonly parent: number }[],
): readonly number[] {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of rows) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  const found = new Set(roots);
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
}

/** Sends a signal to each process; one that is gone already is fine. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone, or not ours any more.
    }
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

/** The living processes of this machine; zombies are not among them. */
export async function listProcesses(): Promise<readonly ProcessRow[]> {
  return process.platform === "linux" ? listFromProc() : listFromPs();
}

async function listFromProc(): Promise<readonly ProcessRow[]> {
  const names = await readdir("/proc");
  const pids = names.filter((name) => /^\d+$/.test(name));
  const rows = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").then(parseStat, () => undefined)),
  );
  return rows.filter((row) => row !== undefined);
}

/** Pure: one line of `/proc/PID/stat`. The name in parentheses may itself hold spaces and parentheses. */
export function parseStat(stat: string): ProcessRow | undefined {
  const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie is dead: it only waits to be reaped.
  if (state === "Z" || state === "X") return undefined;
  return { pid: Number.parseInt(stat, 10), parent: Number(parent), group: Number(group) };
}

async function listFromPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="]).catch(() => ({
    stdout: "",
  }));
  return parsePs(stdout);
}

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
    }));
}

async function carriesMark(pid: number, mark: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, "latin1")).includes(`${TREE_MARK}=${mark}`);
  } catch {
    return false;
  }
}
