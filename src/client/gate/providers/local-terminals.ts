import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import {
  callSafely,
  DEFAULT_STAGES,
  deferred,
  type EnvOverlay,
  ProcessTree,
  quietly,
  within,
} from "../../../wire/index.ts";
import type { TerminalExit } from "../../../acp/index.ts";
import { OutputBuffer } from "./output-buffer.ts";
import {
  cmdCommand,
  type CommandWords,
  posixShell,
  type Shell,
  shellCommand,
  withMergedOutput,
} from "./shell.ts";
import type { ProvidedTerminal, TerminalProvider, TerminalRequest } from "./terminal.ts";

/** Options for running commands on this machine. */
export interface LocalTerminalsOptions {
  /** Runs command lines. Default: `bash -lc` if available, else `sh -c`; on Windows `cmd.exe /C`. */
  readonly shell?: Shell | undefined;
  /**
   * Overrides this process's environment. `undefined` removes a name. Variables from the agent override
   * both.
   */
  readonly env?: EnvOverlay | undefined;
  /** How many bytes of output to keep if the agent gives no limit. Default: 1 MiB. */
  readonly outputBytes?: number | undefined;
  /** The most bytes of output an agent may ask to keep. Default: 16 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** How long a command may take to end after SIGTERM, in milliseconds. */
  readonly termMs?: number | undefined;
}

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const DEFAULT_MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Runs commands as processes on this machine. Each command leads its own process group and is ended
 * with everything it started, even if this process is killed (POSIX).
 */
export function localTerminals(options: LocalTerminalsOptions = {}): TerminalProvider {
  let shell: Promise<Shell> | undefined;
  return {
    usesDisk: true,
    create: (request) =>
      quietly(async () => {
        shell ??= options.shell ? Promise.resolve(options.shell) : posixShell();
        const { command, args } = request;
        const words =
          args.length > 0 ? { command, args } : await lineWords(command, options, shell);
        return LocalTerminal.start(words, request, options);
      }),
  };
}

async function lineWords(
  line: string,
  options: LocalTerminalsOptions,
  shell: Promise<Shell>,
): Promise<CommandWords> {
  if (process.platform === "win32" && !options.shell) return cmdCommand(line);
  return shellCommand(await shell, line);
}

/** Last resort: a background process that the command left behind may hold its output open forever. */
const DRAIN_TIMEOUT_MS = 200;

class LocalTerminal implements ProvidedTerminal {
  readonly #exited = deferred<TerminalExit>();
  readonly #tree: ProcessTree;
  readonly #termMs: number;
  readonly #buffer: OutputBuffer;
  #exit: TerminalExit | undefined;
  /** True once no process of the tree is left. From then on, its pid may belong to another process. */
  #gone = false;
  #ending: Promise<void> | undefined;
  /** Resolves once it is known whether the command left any process behind. */
  #checked: Promise<void> = Promise.resolve();

  /** Starts a command. Rejects with SpawnError. */
  static async start(
    words: CommandWords,
    request: TerminalRequest,
    options: LocalTerminalsOptions,
  ): Promise<LocalTerminal> {
    const isWindows = process.platform === "win32";
    const { command, args } = isWindows ? words : withMergedOutput(words);
    const tree = await ProcessTree.start(
      { command, args, cwd: request.entry, env: { ...options.env, ...request.env } },
      {
        stdio: ["ignore", "pipe", isWindows ? "pipe" : "ignore"],
        windowsVerbatimArguments: words.verbatim === true,
      },
    );
    return new LocalTerminal(tree, request, options);
  }

  private constructor(tree: ProcessTree, request: TerminalRequest, options: LocalTerminalsOptions) {
    this.#tree = tree;
    this.#termMs = options.termMs ?? DEFAULT_STAGES.termMs;
    this.#buffer = new OutputBuffer(
      Math.min(
        request.outputByteLimit ?? options.outputBytes ?? DEFAULT_OUTPUT_BYTES,
        options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      ),
    );
    const { child } = tree;
    const drained = Promise.all([
      this.#listen(child.stdout, request),
      this.#listen(child.stderr, request),
    ]);
    child.once("exit", (exitCode, signal) => {
      void this.#afterExit({ exitCode, signal }, drained).then(this.#exited.resolve);
    });
  }

  get exited(): Promise<TerminalExit> {
    return this.#exited.promise;
  }

  output(): { output: string; truncated: boolean; exitStatus: TerminalExit | undefined } {
    const output = this.#buffer.text();
    return { output, truncated: this.#buffer.truncated, exitStatus: this.#exit };
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
      await this.kill();
      this.#tree.child.stdout?.destroy();
      this.#tree.child.stderr?.destroy();
    });
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
    if (await within(drained, DRAIN_TIMEOUT_MS)) this.#buffer.complete();
    this.#exit = exit;
    this.#checked = this.#checkTree();
    return exit;
  }

  /** Releases the tree if no process of it outlived its leader. */
  async #checkTree(): Promise<void> {
    try {
      if (await this.#tree.isEmpty()) this.#releaseTree();
    } catch {
      // Processes cannot be listed here. Releasing the terminal ends whatever is left.
    }
  }

  #releaseTree(): void {
    this.#gone = true;
    this.#tree.release();
  }
}
