import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { deferred, quietly, within } from "../async.ts";
import type { ExitStatus, EnvOverlay } from "./command.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { ProcessTree, DEFAULT_STAGES } from "./process-tree.ts";
import type { CommandWords, Shell } from "./spawn.ts";
import { windowsShellCommand, posixShell, shellCommand, withMergedOutput } from "./shell.ts";

/** A command to run on this machine. */
export interface CommandStart {
  /** A program if there are arguments, otherwise a whole command line for the shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: EnvOverlay | undefined;
  /** Runs command lines. Default: `bash -lc` if available, else `sh -c`; on Windows `cmd.exe /C`. */
  readonly shell?: Shell | undefined;
  /** How many bytes at the end of the output are kept. */
  readonly outputBytes: number;
  /** How long the command may take to end after SIGTERM, in milliseconds. */
  readonly termMs?: number | undefined;
  /** Gets the output as it arrives. Reading pauses until a returned promise has settled. */
  readonly onOutput?: ((bytes: Uint8Array) => void | Promise<void>) | undefined;
}

/** The output of a command that is kept. */
export interface KeptOutput {
  /** The text, stdout and stderr together. */
  readonly output: string;
  /** Whether the beginning of the output was dropped. */
  readonly truncated: boolean;
}

/** A command that runs, or that has ended but is not released. */
export interface RunningCommand {
  /** Resolves when the command has ended and its output was read. Never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** How it ended; undefined while it runs. */
  readonly exit: ExitStatus | undefined;
  output(): KeptOutput;
  /** Ends the command and everything it started. The output stays. */
  kill(): Promise<void>;
  /** Ends the command too, and frees its resources. */
  release(): Promise<void>;
}

let defaultShell: Promise<Shell> | undefined;

/**
 * Starts a command. It leads its own process group and is ended with everything it started, even if
 * this process is killed (POSIX). Rejects with SpawnError.
 */
export function startCommand(start: CommandStart): Promise<RunningCommand> {
  return quietly(async () => {
    const { command, args, cwd, env } = start;
    const words = args.length > 0 ? { command, args } : await lineWords(start);
    const isWindows = process.platform === "win32";
    const merged = isWindows ? words : withMergedOutput(words);
    const tree = await ProcessTree.start(
      { command: merged.command, args: merged.args, cwd, env },
      {
        stdio: ["ignore", "pipe", isWindows ? "pipe" : "ignore"],
        windowsVerbatimArguments: words.verbatim === true,
      },
    );
    return new CommandProcess(tree, start);
  });
}

async function lineWords({ command, shell }: CommandStart): Promise<CommandWords> {
  if (process.platform === "win32" && !shell) return windowsShellCommand(command);
  defaultShell ??= posixShell();
  return shellCommand(shell ?? (await defaultShell), command);
}

/** Last resort: a background process that the command left behind may hold its output open forever. */
const DRAIN_TIMEOUT_MS = 200;

class CommandProcess implements RunningCommand {
  readonly #exited = deferred<ExitStatus>();
  readonly exited = this.#exited.promise;
  readonly #tree: ProcessTree;
  readonly #termMs: number;
  readonly #buffer: OutputBuffer;
  readonly #onOutput: CommandStart["onOutput"];
  #exit: ExitStatus | undefined;
  /** Output that its receiver has not taken yet. */
  #untaken: Promise<void> | undefined;
  /** True once no process of the tree is left. From then on, its pid may belong to another process. */
  #gone = false;
  #released = false;
  #ending: Promise<void> | undefined;
  /** Resolves once it is known whether the command left any process behind. */
  #checked: Promise<void> = Promise.resolve();

  constructor(tree: ProcessTree, { termMs, outputBytes, onOutput }: CommandStart) {
    this.#tree = tree;
    this.#termMs = termMs ?? DEFAULT_STAGES.termMs;
    this.#buffer = new OutputBuffer(outputBytes);
    this.#onOutput = onOutput;
    const { child } = tree;
    const closed = Promise.all([this.#listen(child.stdout), this.#listen(child.stderr)]);
    child.once("exit", (code, signal) => {
      void this.#afterExit({ code, signal }, closed).then(this.#exited.resolve);
    });
  }

  get exit(): ExitStatus | undefined {
    return this.#exit;
  }

  output(): KeptOutput {
    const output = this.#buffer.text();
    return { output, truncated: this.#buffer.truncated };
  }

  kill(): Promise<void> {
    return quietly(async () => {
      await this.#checked;
      if (!this.#gone) {
        this.#ending ??= this.#tree.end(this.#termMs).finally(() => {
          this.#ending = undefined;
        });
        await this.#ending;
      }
      await this.exited;
      this.#releaseTree();
    });
  }

  release(): Promise<void> {
    return quietly(async () => {
      this.#released = true;
      await this.kill();
      this.#tree.child.stdout?.destroy();
      this.#tree.child.stderr?.destroy();
    });
  }

  async #listen(stream: ChildProcess["stdout"]): Promise<void> {
    if (!stream) return;
    stream.on("data", (chunk: Buffer) => {
      this.#buffer.push(chunk);
      const taken = this.#give(chunk);
      if (!taken) return;
      stream.pause();
      const resume = (): void => {
        this.#untaken = undefined;
        stream.resume();
      };
      this.#untaken = taken.then(resume, resume);
    });
    await once(stream, "close").catch(() => {});
  }

  /** The promise of a receiver that takes its time. */
  #give(chunk: Buffer): Promise<void> | undefined {
    try {
      return this.#onOutput?.(chunk) ?? undefined;
    } catch {
      // The receiver that failed is the only one that could act on the error.
      return undefined;
    }
  }

  async #afterExit(exit: ExitStatus, closed: Promise<unknown>): Promise<ExitStatus> {
    if (await this.#isRead(closed)) this.#buffer.complete();
    this.#exit = exit;
    this.#checked = this.#checkTree();
    return exit;
  }

  /** Resolves with false if something else holds the output open. A slow receiver may take its time. */
  async #isRead(closed: Promise<unknown>): Promise<boolean> {
    for (;;) {
      if (await within(closed, DRAIN_TIMEOUT_MS)) return true;
      if (!this.#untaken || this.#released) return false;
      await this.#untaken;
    }
  }

  /** Releases the tree if no process of it outlived its leader. */
  async #checkTree(): Promise<void> {
    try {
      if (await this.#tree.isEmpty()) this.#releaseTree();
    } catch {
      // Processes cannot be listed here. Releasing the command ends the rest.
    }
  }

  #releaseTree(): void {
    this.#gone = true;
    this.#tree.release();
  }
}
