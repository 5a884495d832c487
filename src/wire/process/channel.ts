import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Channel, CloseReason, ExitStatus } from "../channel.ts";
import { callSafely } from "../logger.ts";
import { LineReader } from "../reader.ts";
import { LineWriter } from "../writer.ts";
import { DEFAULT_STAGES, endTree, within, type EndStages } from "./end.ts";
import { attachLifeline, type CutLifeline } from "./lifeline.ts";
import { startProcess, type CommandLine } from "./spawn.ts";
import { StderrTail } from "./stderr-tail.ts";
import { TREE_MARK, type Tree } from "./tree.ts";

export interface ProcessOptions extends CommandLine {
  /** Longest line accepted, in bytes; 64 MiB unless told. */
  readonly maxLineBytes?: number;
  /** How long each stage of ending may take. */
  readonly stages?: Partial<EndStages>;
  /** Sees what the process writes to stderr, as it comes. */
  readonly onStderr?: (text: string) => void;
}

/** A channel to a process: its stdin and stdout carry the lines, its stderr explains its end. */
export interface ProcessChannel extends Channel {
  readonly pid: number;
}

/**
 * Starts a command and returns the channel to it, or rejects with a SpawnError that names it.
 *
 * `close` ends it in stages: stdin is closed, then the whole tree gets SIGTERM, then SIGKILL; what
 * left the process group is ended too, and if this very process is killed, so is the tree.
 */
export async function openProcess(options: ProcessOptions): Promise<ProcessChannel> {
  const mark = randomUUID();
  const child = await startProcess(options, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { [TREE_MARK]: mark },
  });
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || !stdin || !stdout || !stderr)
    throw new Error("a started process lacks its pipes");
  return new ChildChannel(child, { pid, mark }, { stdin, stdout, stderr }, options);
}

interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Last resort: a daemon that escaped the tree may hold the pipes of a dead process open for ever.
 * What was in the pipe has long been read by then.
 */
const HELD_PIPE_MS = 1000;

class ChildChannel implements ProcessChannel {
  readonly pid: number;
  readonly closed: Promise<CloseReason>;
  readonly #tree: Tree;
  readonly #pipes: Pipes;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #tail = new StderrTail();
  readonly #stages: EndStages;
  readonly #exit: Promise<ExitStatus>;
  readonly #stderrEnd: Promise<unknown>;
  readonly #cutLifeline: CutLifeline;
  /** Resolves when the process is gone and nothing of its tree is left. */
  readonly #gone: Promise<void>;
  #treeEnd: Promise<void> | undefined;
  #stdoutEnd: Promise<unknown> = Promise.resolve();
  #exited = false;
  #paused = false;
  #settle: (reason: CloseReason) => void = () => {};
  #givenUp: "closed" | "failed" | undefined;

  constructor(child: ChildProcess, tree: Tree, pipes: Pipes, options: ProcessOptions) {
    this.pid = tree.pid;
    this.#tree = tree;
    this.#pipes = pipes;
    this.#stages = { ...DEFAULT_STAGES, ...options.stages };
    this.#reader = new LineReader(pipes.stdout, options.maxLineBytes);
    this.#writer = new LineWriter(pipes.stdin);
    this.#stderrEnd = once(pipes.stderr, "close").catch(() => {});
    pipes.stderr.on("data", (chunk: Buffer) => {
      this.#tail.push(chunk);
      const { onStderr } = options;
      if (onStderr) callSafely(() => onStderr(chunk.toString("utf8")));
    });
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#cutLifeline = attachLifeline(tree);
    this.#exit = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exited = true;
        resolve({ code, signal });
      });
    });
    this.#gone = this.#exit.then((exit) => this.#afterExit(exit));
  }

  open(receive: (line: string) => void): void {
    const ended = this.#reader.open((line) => {
      if (!this.#givenUp) receive(line);
    });
    this.#stdoutEnd = ended;
    void ended.then((error) => this.#afterStdout(error));
  }

  send(line: string): Promise<void> {
    return this.#writer.send(line);
  }

  pause(): void {
    this.#paused = true;
    this.#reader.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#reader.resume();
  }

  async close(): Promise<CloseReason> {
    this.#giveUp("closed");
    await this.#gone;
    return this.closed;
  }

  /** Lines that were written before the end are still handed over, at the reader's pace. */
  async #afterExit(exit: ExitStatus): Promise<void> {
    await this.#endTree();
    const drained = Promise.all([this.#stdoutEnd, this.#stderrEnd]);
    while (!(await within(drained, HELD_PIPE_MS)) && this.#paused && !this.#givenUp);
    this.#release();
    const stderr = this.#tail.text();
    this.#settle({ kind: this.#givenUp === "closed" ? "closed" : "exited", exit, stderr });
  }

  /** A process that has closed its stdout can say nothing more: it is ended, unless it is ending. */
  async #afterStdout(error: Error | undefined): Promise<void> {
    if (this.#givenUp || this.#exited) return;
    if (!error && (await within(this.#exit, this.#stages.eofMs))) return;
    const failure = error ?? new Error("the process closed its stdout but went on running");
    // Told at once: whoever waits for an answer need not wait for the process to be gone.
    this.#settle({ kind: "failed", error: failure, stderr: this.#tail.text() });
    this.#giveUp("failed");
  }

  #giveUp(how: "closed" | "failed"): void {
    if (this.#givenUp) return;
    this.#givenUp = how;
    this.#reader.discard();
    void this.#writer.end();
    void within(this.#exit, this.#stages.eofMs).then((wentByItself) => {
      if (!wentByItself) void this.#endTree();
    });
  }

  /** Once for a channel, either because the process exited or because it did not. */
  #endTree(): Promise<void> {
    this.#treeEnd ??= endTree(this.#tree, this.#stages.termMs);
    return this.#treeEnd;
  }

  #release(): void {
    this.#cutLifeline();
    this.#pipes.stdin.destroy();
    this.#pipes.stdout.destroy();
    this.#pipes.stderr.destroy();
  }
}
