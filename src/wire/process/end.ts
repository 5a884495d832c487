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

  /** What lives, as pids to be signalled. Where processes cannot be listed it is the group alone. */
  async living(): Promise<readonly number[]> {
    const { pid, mark } = this.#tree;
    try {
      const rows = await listProcesses();
      const group = this.#groupIsGone ? [] : inGroup(pid, rows);
      this.#groupIsGone ||= group.length === 0;
      const roots = new Set([...group, ...(await carrying(mark, rows))]);
      for (const row of withDescendants(roots, rows)) this.#seen.add(identity(row));
      return rows.filter((row) => this.#seen.has(identity(row))).map((row) => row.pid);
    } catch {
      return groupLives(pid) ? [-pid] : [];
    }
  }
}

function identity({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
