import { endTreeOnWindows, listProcesses, membersOf, signalAll, type Tree } from "./tree.ts";

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
  const seen = new Set<number>();
  if (await signalLiving(tree, seen, "SIGTERM")) return;
  const deadline = Date.now() + termMs;
  while (Date.now() < deadline) {
    await pause(POLL_MS);
    if (await noneLiving(tree, seen)) return;
  }
  for (let round = 0; round < MAX_KILL_ROUNDS; round++) {
    if (await signalLiving(tree, seen, "SIGKILL")) return;
    await pause(POLL_MS);
  }
}

/** Tells whether a promise settled in time. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(() => true);
  return Promise.race([settled, expired]).finally(() => clearTimeout(timer));
}

/** Signals what lives; true if nothing did. */
async function signalLiving(
  tree: Tree,
  seen: Set<number>,
  signal: NodeJS.Signals,
): Promise<boolean> {
  const living = await livingOf(tree, seen);
  signalAll(living, signal);
  return living.length === 0;
}

async function noneLiving(tree: Tree, seen: Set<number>): Promise<boolean> {
  return (await livingOf(tree, seen)).length === 0;
}

/** What was once seen in the tree stays part of it, although its parent may have died since. */
async function livingOf(tree: Tree, seen: Set<number>): Promise<readonly number[]> {
  const rows = await listProcesses();
  for (const pid of await membersOf(tree, rows)) seen.add(pid);
  return rows.map((row) => row.pid).filter((pid) => seen.has(pid));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
