import type { ChildProcess, SpawnOptions } from "node:child_process";
import { pause } from "../async.ts";
import { openLifeline, type Lifeline } from "./lifeline.ts";
import { limitWords, newLimitMark } from "./limit-mark.ts";
import { startProcess } from "./spawn.ts";
import type { CommandLine } from "./command.ts";
import {
  newTreeMark,
  type Tree,
  startTimeOf,
  type Marked,
  type ProcessRow,
  groupExists,
  inGroup,
  listBornAfter,
  listProcesses,
  newestPid,
  signalAll,
  withDescendants,
  withMark,
  endTreeOnWindows,
} from "./process-list.ts";

/**
 * A started command together with everything it starts. The tree is ended as a whole, and does not
 * outlive this process even if this process is killed (POSIX).
 */
export class ProcessTree {
  readonly child: ChildProcess;
  /** The pid of the command, which is also the id of its process group. */
  readonly pid: number;
  readonly #tree: Tree;
  readonly #lifeline: Lifeline;

  private constructor(child: ChildProcess, tree: Tree, lifeline: Lifeline) {
    this.child = child;
    this.pid = tree.pid;
    this.#tree = tree;
    this.#lifeline = lifeline;
  }

  /** Starts a command and resolves once it runs. Rejects with SpawnError. */
  static async start(
    line: CommandLine,
    options: Pick<SpawnOptions, "stdio" | "windowsVerbatimArguments">,
  ): Promise<ProcessTree> {
    const mark = newTreeMark();
    const limit = newLimitMark();
    const words = limitWords(limit);
    const lifeline = openLifeline(mark, limit);
    try {
      const before = await words;
      const child = await startProcess(line, { ...options, env: { [mark]: "1" }, before });
      const { pid } = child;
      if (pid === undefined) throw new Error("the started process has no pid");
      lifeline.watch(pid);
      const tree: Tree = {
        pid,
        mark,
        limit: before && limit,
        startedAt: startTimeOf(pid),
      };
      return new ProcessTree(child, tree, lifeline);
    } catch (error) {
      lifeline.cut();
      throw error;
    }
  }

  /** Ends every process of the tree: with SIGTERM, and after `termMs` with SIGKILL. */
  end(termMs: number): Promise<void> {
    return endTree(this.#tree, termMs);
  }

  /**
   * Whether no process of the tree is left. Rejects if processes cannot be listed. Windows has no
   * process groups, so there the tree counts as empty.
   */
  async isEmpty(): Promise<boolean> {
    return (await this.pids()).length === 0;
  }

  /** The pids of the processes that are left, with the same limits as {@link isEmpty}. */
  async pids(): Promise<readonly number[]> {
    if (process.platform === "win32") return [];
    return new TreeWatcher(this.#tree).listed();
  }

  /** Stops guarding the tree. Call it once the tree is empty. */
  release(): void {
    this.#lifeline.cut();
  }
}

/** The result of looking for processes once. */
export interface ProcessSnapshot {
  readonly pids: readonly number[];
  /** True if some process may belong to the tree, but was not seen for long enough to know. */
  readonly isUnsure: boolean;
}

/** Processes that are not our own children cannot be awaited, so they are polled. */
const POLL_MS = 20;

/** A process with an empty environment always looks as if `exec` were replacing it. */
const MAX_UNSURE_LOOKS = 25;

/** How often a look follows processes that were started, and exited, while it lasted. */
const MAX_BIRTH_STEPS = 1000;

/** Processes may start while others are stopped. Stopping ends after this many looks. */
const MAX_STOP_LOOKS = 20;

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

  /** The pids of the running processes. Rejects if processes cannot be listed. */
  listed(): Promise<readonly number[]> {
    return confirmedPids(() => this.#look(() => {}));
  }

  /** The pids to signal: of the running processes, or of the group (negative). */
  running(): Promise<readonly number[]> {
    return this.#found(() => {});
  }

  /**
   * Stops every process the moment it is found, until a look finds none that still runs. A stopped
   * process starts no other, and its children keep it as their parent. Returns the pids as `running`
   * does.
   */
  async stopped(): Promise<readonly number[]> {
    const stop = (pids: readonly number[]): void => signalAll(pids, "SIGSTOP");
    const before = new Set<number>();
    let found = await this.#found(stop);
    for (let look = 0; found.some((pid) => !before.has(pid)) && look < MAX_STOP_LOOKS; look++) {
      for (const pid of found) before.add(pid);
      found = await this.#found(stop);
    }
    return found;
  }

  /** If processes cannot be listed, it looks only for the group. */
  #found(meet: Meet): Promise<readonly number[]> {
    const { pid } = this.#tree;
    return confirmedPids(async () => {
      try {
        return await this.#look(meet);
      } catch {
        const pids = groupExists(pid) ? [-pid] : [];
        meet(pids);
        return { pids, isUnsure: false };
      }
    });
  }

  /**
   * Reading the list takes longer than a process may live. So a look ends only when every process
   * that was started in the meantime was seen: one that was gone too soon may have started another.
   */
  async #look(meet: Meet): Promise<ProcessSnapshot> {
    let newest = newestPid();
    const rows = await listProcesses();
    const members = this.#membersOf(rows, []);
    const found = [...members.rows];
    this.#meet(found, meet);
    let { isUnsure } = members;
    let isMissing = newest !== undefined;
    for (let step = 0; isMissing && newest !== undefined && step < MAX_BIRTH_STEPS; step++) {
      const born = listBornAfter(newest);
      const more = this.#membersOf(born.rows, found);
      this.#meet(more.rows, meet);
      found.push(...more.rows);
      isUnsure ||= more.isUnsure;
      isMissing = born.isMissing;
      newest = born.newest;
    }
    isUnsure ||= isMissing;
    this.#isGroupEmpty ||= !isUnsure && inGroup(this.#tree.pid, found).length === 0;
    return { pids: found.map((row) => row.pid), isUnsure };
  }

  /** A signal to the group also reaches a member that is being forked at this moment. */
  #meet(rows: readonly ProcessRow[], meet: Meet): void {
    const { pid } = this.#tree;
    const pids = rows.map((row) => row.pid);
    if (pids.length > 0) meet(inGroup(pid, rows).length > 0 ? [-pid, ...pids] : pids);
  }

  #membersOf(rows: readonly ProcessRow[], parents: readonly ProcessRow[]): Marked {
    const group = this.#isGroupEmpty ? [] : inGroup(this.#tree.pid, rows);
    const marked = withMark(this.#tree, rows);
    const roots = new Set([...parents, ...group, ...marked.rows]);
    for (const row of withDescendants(roots, rows)) this.#seen.add(identity(row));
    const running = rows.filter((row) => this.#seen.has(identity(row)));
    return { rows: running, isUnsure: marked.isUnsure };
  }
}

/** Receives the pids of a tree, or of its group (negative), the moment they are found. */
type Meet = (pids: readonly number[]) => void;

/** Distinguishes a process from a later one with the same pid. */
function identity({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}

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
async function endTree(tree: Tree, termMs: number): Promise<void> {
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
