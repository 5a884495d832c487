import { StringDecoder } from "node:string_decoder";
import {
  callSafely,
  type EnvOverlay,
  quietly,
  type Shell,
  type ExitStatus,
  type RunningCommand,
  startCommand,
} from "../../../base/index.ts";
import type { TerminalExit } from "../../../protocol/acp/index.ts";
import type { ProvidedTerminal, TerminalProvider } from "./provider.ts";

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
  const { shell, env, termMs, outputBytes, maxOutputBytes } = options;
  return {
    usesDisk: true,
    create: (request) =>
      quietly(async () => {
        const { command, args, entry, onOutput } = request;
        const decoder = new StringDecoder("utf8");
        const report = (text: string): void => {
          if (text !== "") callSafely(() => onOutput(text));
        };
        const running = await startCommand({
          command,
          args,
          cwd: entry,
          env: { ...env, ...request.env },
          shell,
          termMs,
          outputBytes: Math.min(
            request.outputByteLimit ?? outputBytes ?? DEFAULT_OUTPUT_BYTES,
            maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
          ),
          onOutput: (bytes) =>
            report(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))),
        });
        return new LocalTerminal(running, () => report(decoder.end()));
      }),
  };
}

class LocalTerminal implements ProvidedTerminal {
  readonly exited: Promise<TerminalExit>;
  readonly #command: RunningCommand;

  constructor(command: RunningCommand, complete: () => void) {
    this.#command = command;
    this.exited = command.exited.then((exit) => {
      complete();
      return terminalExit(exit);
    });
  }

  output(): { output: string; truncated: boolean; exitStatus: TerminalExit | undefined } {
    const { exit } = this.#command;
    return { ...this.#command.output(), exitStatus: exit && terminalExit(exit) };
  }

  kill(): Promise<void> {
    return this.#command.kill();
  }

  release(): Promise<void> {
    return this.#command.release();
  }
}

function terminalExit({ code, signal }: ExitStatus): TerminalExit {
  return { exitCode: code, signal };
}
