import { endTreeOnWindows, signalAll, type Tree } from "./process-list.ts";
import { pause, POLL_MS, TreeWatcher } from "./tree-watcher.ts";

/** How long each stage of ending a process may take, in milliseconds. */
export interface EndStages {
  /** After its stdin is closed. */
  readonly eofMs: number;
  /** After SIGTERM. */
  readonly termMs: number;
}

/** The default for ending a process: one second after the end of its stdin, one after SIGTERM. */
export const DEFAULT_STAGES: EndStages = { eofMs: 1000, termMs: 1000 };

/** A process may start between listing and killing, so both are repeated, at most this many times. */
const MAX_KILL_ROUNDS = 50;

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
    const left = await watcher.stopped();
    if (left.length === 0) return;
    signalAll(left, "SIGKILL");
    await pause(POLL_MS);
  }
}
