import type { ChildProcess, SpawnOptions } from "node:child_process";
import { endTree, TreeWatcher } from "./tree-watcher.ts";
import { limitWords, newLimitMark, openLifeline, type Lifeline } from "./lifeline.ts";
import { startProcess } from "./spawn.ts";
import { type CommandLine } from "./spawn-error.ts";
import { newTreeMark, type Tree, startTimeOf } from "./process-list.ts";

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

  /**
   * Ends every process of the tree: with SIGTERM first, and after `termMs` with SIGKILL. Resolves
   * when none is left.
   */
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
