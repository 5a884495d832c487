import {
  carrying,
  endTreeOnWindows,
  groupLives,
  inGroup,
  listProcesses,
  signalAll,
  withDescendants,
  type ProcessRow,
  type Tree,
} from "./tree.ts";

/** How long each stage of ending a process may take, in milliseconds. */
export interface EndStages {
  /** After its stdin was closed. */
  readonly eofMs: number;
  /** After SIGTERM. */
  readonly termMs: number;
}

export const DEFAULT_STAGES: EndStages = { eofMs: 1000, termMs: 1000 };

/** Processes that are not our own children cannot be awaited, only looked for. */
const POLL_MS = 20;

/** A process may be born between the look and the kill; such a chase ends after this many rounds. */
const MAX_KILL_ROUNDS = 50;

/** A process that has no environment at all looks like one that is being replaced, but for ever. */
const MAX_UNSURE_LOOKS = 25;

/**
 * Ends a tree, or what is left of it: first by asking, then by force. Resolves when nothing is left.
 * On POSIX it does not matter whether the leader still lives.
 */
export async function endTree(tree: Tree, termMs: number): Promise<void> {
  if (process.platform === "win32") return endTreeOnWindows(tree.pid);
  const lookout = new Lookout(tree);
  const asked = await lookout.living();
  if (asked.length === 0) return;
  signalAll(asked, "SIGTERM");
  const deadline = Date.now() + termMs;
  while (Date.now() < deadline) {
    await pause(POLL_MS);
    if ((await lookout.living()).length === 0) return;
  }
  for (let round = 0; round < MAX_KILL_ROUNDS; round++) {
    const left = await lookout.living();
    if (left.length === 0) return;
    signalAll(left, "SIGKILL");
    await pause(POLL_MS);
  }
}

/** What one look found. */
export interface ProcessSnapshot {
  readonly pids: readonly number[];
  /** A process may belong to the tree, but does not show it at this moment. */
  readonly isUnsure: boolean;
}

/**
 * Asks until an answer can be believed. That nothing lives is believed only the second time: a
 * process may have started another and died while the list was read, and neither is in it then.
 */
export async function believed(look: () => Promise<ProcessSnapshot>): Promise<readonly number[]> {
  let found = await look();
  for (let again = 0; found.pids.length === 0 && again < MAX_UNSURE_LOOKS; again++) {
    if (again > 0 && !found.isUnsure) break;
    if (found.isUnsure) await pause(POLL_MS);
    found = await look();
  }
  return found.pids;
}

/** The pids of a tree's processes: its group, and those that carry its mark. Rejects if unlistable. */
export function livingIn(tree: Tree): Promise<readonly number[]> {
  return believed(async () => {
    const rows = await listProcesses();
    const marked = carrying(tree, rows);
    const found = [...inGroup(tree.pid, rows), ...marked.rows];
    return { pids: found.map((row) => row.pid), isUnsure: marked.isUnsure };
  });
}

/** Looks for the processes of one tree, again and again. */
class Lookout {
  readonly #tree: Tree;
  /** What was once seen in the tree stays part of it, although its parent may have died since. */
  readonly #seen = new Set<string>();
  /** The pid of a group that is empty may be given to a stranger. */
  #groupIsGone = false;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** What lives, as pids to be signalled. */
  living(): Promise<readonly number[]> {
    return believed(() => this.#look());
  }

  /** Where processes cannot be listed it is the group alone. */
  async #look(): Promise<ProcessSnapshot> {
    const { pid } = this.#tree;
    try {
      const rows = await listProcesses();
      const group = this.#groupIsGone ? [] : inGroup(pid, rows);
      this.#groupIsGone ||= group.length === 0;
      const marked = carrying(this.#tree, rows);
      const roots = new Set([...group, ...marked.rows]);
      for (const row of withDescendants(roots, rows)) this.#seen.add(identity(row));
      const living = rows.filter((row) => this.#seen.has(identity(row)));
      return { pids: living.map((row) => row.pid), isUnsure: marked.isUnsure };
    } catch {
      return { pids: groupLives(pid) ? [-pid] : [], isUnsure: false };
    }
  }
}

/** Tells a process from a later one with the same pid. */
function identity({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
