import {
  withMark,
  endTreeOnWindows,
  groupExists,
  inGroup,
  listProcesses,
  signalAll,
  withDescendants,
  type ProcessRow,
  type Tree,
} from "./process-list.ts";

/** How long each stage of ending a process may take, in milliseconds. */
export interface EndStages {
  /** After its stdin is closed. */
  readonly eofMs: number;
  /** After SIGTERM. */
  readonly termMs: number;
}

export const DEFAULT_STAGES: EndStages = { eofMs: 1000, termMs: 1000 };

/** Processes that are not our own children cannot be awaited, so they are polled. */
const POLL_MS = 20;

/** A process may start between listing and killing, so both are repeated, at most this many times. */
const MAX_KILL_ROUNDS = 50;

/** A process with an empty environment always looks as if `exec` were replacing it. */
const MAX_UNSURE_LOOKS = 25;

/**
 * Ends the processes of a tree: first with SIGTERM, then with SIGKILL. Resolves when none is left.
 * On POSIX this works even after the leader has exited.
 */
export async function endTree(tree: Tree, termMs: number): Promise<void> {
  if (process.platform === "win32") return endTreeOnWindows(tree.pid);
  const watcher = new TreeWatcher(tree);
  const running = await watcher.running();
  if (running.length === 0) return;
  signalAll(running, "SIGTERM");
  const deadline = Date.now() + termMs;
  while (Date.now() < deadline) {
    await pause(POLL_MS);
    if ((await watcher.running()).length === 0) return;
  }
  for (let round = 0; round < MAX_KILL_ROUNDS; round++) {
    const left = await watcher.running();
    if (left.length === 0) return;
    signalAll(left, "SIGKILL");
    await pause(POLL_MS);
  }
}

/** The result of looking for processes once. */
export interface ProcessSnapshot {
  readonly pids: readonly number[];
  /** True if some process may belong to the tree, but does not show its mark at the moment. */
  readonly isUnsure: boolean;
}

/**
 * Looks for processes until the result is reliable. An empty result has to be confirmed by a second
 * look: a process may start another and exit while the list is read, and then neither is in it.
 */
export async function confirmedPids(
  look: () => Promise<ProcessSnapshot>,
): Promise<readonly number[]> {
  let found = await look();
  for (let again = 0; found.pids.length === 0 && again < MAX_UNSURE_LOOKS; again++) {
    if (again > 0 && !found.isUnsure) break;
    if (found.isUnsure) await pause(POLL_MS);
    found = await look();
  }
  return found.pids;
}

/** The pids of the group and of the processes with the tree's mark. Rejects if listing fails. */
export function pidsIn(tree: Tree): Promise<readonly number[]> {
  return confirmedPids(async () => {
    const rows = await listProcesses();
    const marked = withMark(tree, rows);
    const found = [...inGroup(tree.pid, rows), ...marked.rows];
    return { pids: found.map((row) => row.pid), isUnsure: marked.isUnsure };
  });
}

/** Looks repeatedly for the processes of one tree. */
class TreeWatcher {
  readonly #tree: Tree;
  /** A process that was once seen in the tree stays part of it, even after its parent exits. */
  readonly #seen = new Set<string>();
  /** The system may give the pid of an empty group to an unrelated process. */
  #isGroupEmpty = false;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** The pids to signal: of running processes, or of the group (negative). */
  running(): Promise<readonly number[]> {
    return confirmedPids(() => this.#look());
  }

  /** If processes cannot be listed, it looks only for the group. */
  async #look(): Promise<ProcessSnapshot> {
    const { pid } = this.#tree;
    try {
      const rows = await listProcesses();
      const group = this.#isGroupEmpty ? [] : inGroup(pid, rows);
      this.#isGroupEmpty ||= group.length === 0;
      const marked = withMark(this.#tree, rows);
      const roots = new Set([...group, ...marked.rows]);
      for (const row of withDescendants(roots, rows)) this.#seen.add(identity(row));
      const running = rows.filter((row) => this.#seen.has(identity(row)));
      return { pids: running.map((row) => row.pid), isUnsure: marked.isUnsure };
    } catch {
      return { pids: groupExists(pid) ? [-pid] : [], isUnsure: false };
    }
  }
}

/** Distinguishes a process from a later one with the same pid. */
function identity({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
