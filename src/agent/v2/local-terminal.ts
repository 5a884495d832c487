import type {
  MetaOptions,
  RequestOptions,
  TerminalExit,
  TerminalOutput,
  ToolCallContent,
} from "../../protocol/acp/index.ts";
import {
  deferred,
  quietly,
  unlessAborted,
  type ExitStatus,
  type RunningCommand,
  startCommand,
} from "../../base/index.ts";
import type { Terminal, TerminalCommand } from "../turn/terminal.ts";
import type { TurnScope } from "../turn/turn-scope.ts";
import { AuthorReport } from "./reported-terminal.ts";
import type { SessionWork } from "./session-work.ts";

/** How many bytes at the end of the output are kept, unless the author says otherwise. */
const OUTPUT_BYTES = 1024 * 1024;

/**
 * A terminal of the agent: v2 has no terminals of the client. The command runs on this machine, and is
 * reported like any other terminal.
 */
export class LocalTerminal implements Terminal {
  readonly id: string;
  readonly content: ToolCallContent;
  readonly #scope: TurnScope;
  readonly #command: RunningCommand;
  /** Resolves once the client knows that the command has ended. */
  readonly #reported: Promise<void>;

  /** Starts a command and reports it to the client. Rejects with SpawnError. */
  static async start(
    scope: TurnScope,
    work: SessionWork,
    { command, args = [], env, cwd, outputByteLimit }: TerminalCommand & { readonly cwd: string },
  ): Promise<LocalTerminal> {
    const report = new AuthorReport(scope, work);
    const announced = deferred();
    const running = await startCommand({
      command,
      args,
      cwd,
      env,
      outputBytes: outputByteLimit ?? OUTPUT_BYTES,
      onOutput: async (bytes) => {
        await announced.promise;
        await report.write(bytes);
      },
    });
    const terminal = new LocalTerminal(scope, running, report);
    const sent = report.open({ command: [command, ...args].join(" "), canCancel: true }, cwd);
    announced.resolve();
    // It fails if the client is gone, or the session is closed.
    await sent.catch(() => {});
    return terminal;
  }

  private constructor(scope: TurnScope, command: RunningCommand, report: AuthorReport) {
    this.id = report.id;
    this.content = report.content;
    this.#scope = scope;
    this.#command = command;
    report.cancelled.addEventListener("abort", () => void command.kill());
    this.#reported = command.exited.then((exit) => report.exit(terminalExit(exit)).catch(() => {}));
  }

  output(options?: RequestOptions): Promise<TerminalOutput> {
    return this.#inTurn(options, async () => {
      const { exit } = this.#command;
      return { ...this.#command.output(), exitStatus: exit && terminalExit(exit) };
    });
  }

  waitForExit(options?: RequestOptions): Promise<TerminalExit> {
    return this.#inTurn(options, async () => terminalExit(await this.#command.exited));
  }

  kill(options?: RequestOptions): Promise<void> {
    return this.#inTurn(options, () => this.#command.kill());
  }

  release(_options?: MetaOptions): Promise<void> {
    return quietly(async () => {
      await this.#command.release();
      await this.#reported;
    });
  }

  #inTurn<T>({ signal }: RequestOptions = {}, work: () => Promise<T>): Promise<T> {
    return quietly(async () => {
      this.#scope.assertCanAsk();
      const done = this.#scope.unlessCancelled(work());
      return await (signal ? unlessAborted(done, signal) : done);
    });
  }
}

function terminalExit({ code, signal }: ExitStatus): TerminalExit {
  return { exitCode: code, signal };
}
