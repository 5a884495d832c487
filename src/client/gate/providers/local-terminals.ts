import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import {
  believed,
  callSafely,
  carrying,
  DEFAULT_STAGES,
  endTree,
  type EnvOverlay,
  inGroup,
  type Lifeline,
  listProcesses,
  type ProcessSnapshot,
  newTreeMark,
  openLifeline,
  startOf,
  startProcess,
  type Tree,
  within,
} from "../../../wire/index.ts";
import type { TerminalExit } from "../../../acp/index.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { inOrder, posixShell, throughCmd, throughShell, type Shell, type Words } from "./shell.ts";
import type { ProvidedTerminal, TerminalProvider, TerminalRequest } from "./terminal.ts";

export interface LocalTerminalsOptions {
  /** What runs a command line without arguments: `bash -lc`, else `sh -c`; on Windows `cmd.exe /C`. */
  readonly shell?: Shell;
  /** Laid over this process's environment, below what the agent sets; `undefined` takes a name away. */
  readonly env?: EnvOverlay;
  /** How much output is kept when the agent gives no limit; 1 MiB unless told. */
  readonly outputBytes?: number;
  /** The most an agent may ask to be kept; 16 MiB unless told. */
  readonly maxOutputBytes?: number;
  /** How long a command may take to end after SIGTERM, in milliseconds. */
  readonly termMs?: number;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs commands as processes of this machine. Each leads a group of its own and is ended with
 * everything it started, also when this process is killed (POSIX).
 */
export function localTerminals(options: LocalTerminalsOptions = {}): TerminalProvider {
  let shell: Promise<Shell> | undefined;
  return {
    async create(request) {
      shell ??= options.shell ? Promise.resolve(options.shell) : posixShell();
      const given = { command: request.command, args: request.args };
      const words =
        request.args.length > 0 ? given : await lineWords(request.command, options, shell);
      return LocalTerminal.start(words, request, options);
    },
  };
}

async function lineWords(
  line: string,
  options: LocalTerminalsOptions,
  shell: Promise<Shell>,
): Promise<Words> {
  if (process.platform === "win32" && !options.shell) return throughCmd(line);
  return throughShell(await shell, line);
}

/** Last resort: what a command left behind in the background may hold its output open for ever. */
const HELD_PIPE_MS = 200;

class LocalTerminal implements ProvidedTerminal {
  readonly exited: Promise<TerminalExit>;
  readonly #child: ChildProcess;
  readonly #tree: Tree;
  readonly #termMs: number;
  readonly #buffer: OutputBuffer;
  readonly #lifeline: Lifeline;
  #exit: TerminalExit | undefined;
  /** True when nothing of the tree is left: its number may by then be another process's. */
  #gone = false;
  #ending: Promise<void> | undefined;
  /** Done when it is known whether the command left anything behind. */
  #checked: Promise<void> = Promise.resolve();

  /** Starts a command. Rejects with SpawnError. */
  static async start(
    words: Words,
    request: TerminalRequest,
    options: LocalTerminalsOptions,
  ): Promise<LocalTerminal> {
    const mark = newTreeMark();
    const isWindows = process.platform === "win32";
    const { command, args } = isWindows ? words : inOrder(words);
    const lifeline = openLifeline(mark);
    try {
      const child = await startProcess(
        { command, args, cwd: request.entry, env: { ...options.env, ...request.env } },
        {
          stdio: ["ignore", "pipe", isWindows ? "pipe" : "ignore"],
          env: { [mark]: "1" },
          windowsVerbatimArguments: words.verbatim === true,
        },
      );
      const { pid } = child;
      if (pid === undefined) throw new Error("a started process has no number");
      lifeline.watch(pid);
      return new LocalTerminal(
        child,
        { pid, mark, startedAt: startOf(pid) },
        lifeline,
        request,
        options,
      );
    } catch (error) {
      lifeline.cut();
      throw error;
    }
  }

  private constructor(
    child: ChildProcess,
    tree: Tree,
    lifeline: Lifeline,
    request: TerminalRequest,
    options: LocalTerminalsOptions,
  ) {
    this.#child = child;
    this.#tree = tree;
    this.#termMs = options.termMs ?? DEFAULT_STAGES.termMs;
    this.#buffer = new OutputBuffer(
      Math.min(
        request.outputByteLimit ?? options.outputBytes ?? DEFAULT_OUTPUT_BYTES,
        options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      ),
    );
    const drained = Promise.all([
      this.#listen(child.stdout, request),
      this.#listen(child.stderr, request),
    ]);
    this.#lifeline = lifeline;
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => {
        void this.#afterExit({ exitCode, signal }, drained).then(resolve);
      });
    });
  }

  output(): { output: string; truncated: boolean; exitStatus: TerminalExit | undefined } {
    const output = this.#buffer.text();
    return { output, truncated: this.#buffer.truncated, exitStatus: this.#exit };
  }

  async kill(): Promise<void> {
    await this.#checked;
    if (!this.#gone) {
      this.#ending ??= endTree(this.#tree, this.#termMs).finally(() => {
        this.#ending = undefined;
      });
      await this.#ending;
    }
    await this.exited;
    this.#letGo();
  }

  async release(): Promise<void> {
    await this.kill();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  async #listen(stream: ChildProcess["stdout"], { onOutput }: TerminalRequest): Promise<void> {
    if (!stream) return;
    const decoder = new StringDecoder("utf8");
    stream.on("data", (chunk: Buffer) => {
      this.#buffer.push(chunk);
      const text = decoder.write(chunk);
      if (text !== "") callSafely(() => onOutput(text));
    });
    await once(stream, "close").catch(() => {});
    const rest = decoder.end();
    if (rest !== "") callSafely(() => onOutput(rest));
  }

  async #afterExit(exit: TerminalExit, drained: Promise<unknown>): Promise<TerminalExit> {
    if (await within(drained, HELD_PIPE_MS)) this.#buffer.complete();
    this.#exit = exit;
    this.#checked = this.#checkTree();
    return exit;
  }

  /** Lets go of a tree of which nothing is left after its leader. */
  async #checkTree(): Promise<void> {
    if (process.platform === "win32") return this.#letGo();
    try {
      const living = await believed(() => this.#look());
      if (living.length === 0) this.#letGo();
    } catch {
      // Where processes cannot be listed, releasing the terminal finds out.
    }
  }

  async #look(): Promise<ProcessSnapshot> {
    const rows = await listProcesses();
    const { rows: marked, isUnsure } = carrying(this.#tree, rows);
    const found = [...inGroup(this.#tree.pid, rows), ...marked];
    return { pids: found.map((row) => row.pid), isUnsure };
  }

  #letGo(): void {
    this.#gone = true;
    this.#lifeline.cut();
  }
}
