import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Channel, CloseReason } from "../channel.ts";
import { LineReader, LineWriter } from "../lines/streams.ts";
import {
  callSafely,
  deferred,
  type ExitStatus,
  quiet,
  quietly,
  within,
  definedFields,
  OutputBuffer,
  type Overrides,
  DEFAULT_STAGES,
  type EndStages,
  ProcessTree,
  toSpawnError,
  type CommandLine,
} from "../../../base/index.ts";

/** A command, and how its process is treated. */
export interface ProcessOptions extends CommandLine {
  /** Longest line accepted, in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** How long each stage of ending the process may take. */
  readonly stages?: Overrides<EndStages> | undefined;
  /** Called with the process's stderr output as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** A channel to a process. Stdin and stdout carry the lines; stderr helps to explain the end. */
export interface ProcessChannel extends Channel {
  readonly pid: number;
}

/**
 * Starts a command and returns a channel to it. Rejects with a SpawnError that names the command.
 *
 * `close` ends the process in stages: it closes stdin, then sends SIGTERM to the whole process tree,
 * then SIGKILL. This includes processes that left the group. If this process itself is killed, the
 * tree is ended as well.
 */
export function openProcess(options: ProcessOptions): Promise<ProcessChannel> {
  return quietly(async () => {
    const tree = await ProcessTree.start(options, { stdio: ["pipe", "pipe", "pipe"] });
    const { stdin, stdout, stderr } = tree.child;
    if (!stdin || !stdout || !stderr) throw new Error("the started process has no pipes");
    return new ChildChannel(tree, { stdin, stdout, stderr }, options);
  });
}

interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Last resort: a process that escaped the tree may hold the stderr of an exited process open forever. */
const HELD_STDERR_MS = 1000;

/** How much of a process's stderr is kept to explain why it ended. */
const STDERR_TAIL_BYTES = 16 * 1024;

class ChildChannel implements ProcessChannel {
  readonly pid: number;
  readonly #closed = deferred<CloseReason>();
  readonly closed = this.#closed.promise;
  readonly #tree: ProcessTree;
  readonly #pipes: Pipes;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #tail = new OutputBuffer(STDERR_TAIL_BYTES);
  readonly #stages: EndStages;
  readonly #exit: Promise<ExitStatus>;
  readonly #stderrEnd: Promise<unknown>;
  /** Resolves when the process has exited and no process of its tree is left. */
  readonly #ended: Promise<void>;
  #treeEnd: Promise<void> | undefined;
  #exited = false;
  #closing: "closed" | "failed" | undefined;

  constructor(tree: ProcessTree, pipes: Pipes, options: ProcessOptions) {
    this.pid = tree.pid;
    this.#tree = tree;
    this.#pipes = pipes;
    this.#stages = { ...DEFAULT_STAGES, ...definedFields(options.stages) };
    this.#reader = new LineReader(pipes.stdout, options.maxLineBytes);
    this.#writer = new LineWriter(pipes.stdin, () => void this.#afterPipe("stdin"));
    this.#stderrEnd = once(pipes.stderr, "close").catch(() => {});
    this.#watchStderr(options.onStderr);
    this.#exit = this.#watchExit(tree.child, options);
    this.#ended = quiet(this.#exit.then((exit) => this.#afterExit(exit)));
  }

  open(receive: (line: string) => void): void {
    void this.#reader.open(receive).then((error) => {
      if (error) this.#fail(error);
      else void this.#afterPipe("stdout");
    });
  }

  send(line: string): Promise<void> {
    return this.#writer.send(line);
  }

  pause(): void {
    this.#reader.pause();
  }

  resume(): void {
    this.#reader.resume();
  }

  close(): Promise<CloseReason> {
    return quietly(async () => {
      this.#startClosing("closed");
      await this.#ended;
      return this.closed;
    });
  }

  #watchStderr(onStderr: ProcessOptions["onStderr"]): void {
    const decoder = new StringDecoder("utf8");
    this.#pipes.stderr.on("data", (chunk: Buffer) => {
      this.#tail.push(chunk);
      if (onStderr) callSafely(() => onStderr(decoder.write(chunk)));
    });
  }

  #watchExit(child: ChildProcess, line: CommandLine): Promise<ExitStatus> {
    // When a process exits, Node makes every stream in this list flow, even one that is paused or has
    // no listener yet, and its lines would be lost.
    Reflect.set(child.stdio, 1, null);
    return new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exited = true;
        resolve({ code, signal });
      });
      // On Windows, only the shell that runs the command notices that it does not exist.
      child.once("error", (cause) => {
        void toSpawnError(line, cause).then((error) => {
          this.#fail(error);
          resolve({ code: 1, signal: null });
        });
      });
    });
  }

  /** Lines that were written before the exit are still delivered, at the consumer's pace. */
  async #afterExit(exit: ExitStatus): Promise<void> {
    await this.#endTree();
    const [error] = await Promise.all([
      this.#reader.drained(),
      within(this.#stderrEnd, HELD_STDERR_MS),
    ]);
    this.#release();
    this.#tail.complete();
    const stderr = this.#tail.wholeLines();
    if (error && !this.#closing) this.#closed.resolve({ kind: "failed", error, stderr });
    else
      this.#closed.resolve({
        kind: this.#closing === "closed" ? "closed" : "exited",
        exit,
        stderr,
      });
  }

  /** A process that closed a pipe cannot be talked to anymore. It is ended unless it is already exiting. */
  async #afterPipe(pipe: "stdin" | "stdout"): Promise<void> {
    if (this.#closing || this.#exited) return;
    if (await within(this.#exit, this.#stages.eofMs)) return;
    this.#fail(new Error(`the process closed its ${pipe} but kept running`));
  }

  /** Settles `closed` at once, so that pending calls do not have to wait for the process to exit. */
  #fail(error: Error): void {
    if (this.#closing) return;
    this.#closed.resolve({ kind: "failed", error, stderr: this.#tail.wholeLines() });
    this.#startClosing("failed");
  }

  #startClosing(how: "closed" | "failed"): void {
    if (this.#closing) return;
    this.#closing = how;
    this.#reader.discard();
    void this.#writer.end();
    void within(this.#exit, this.#stages.eofMs).then((exitedByItself) => {
      if (!exitedByItself) void this.#endTree();
    });
  }

  /** Runs once per channel: after the process exited, or because it did not exit in time. */
  #endTree(): Promise<void> {
    this.#treeEnd ??= quiet(this.#tree.end(this.#stages.termMs));
    return this.#treeEnd;
  }

  #release(): void {
    this.#tree.release();
    this.#pipes.stdin.destroy();
    this.#pipes.stdout.destroy();
    this.#pipes.stderr.destroy();
  }
}
