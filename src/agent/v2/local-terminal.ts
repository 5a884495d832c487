import type {
  MetaOptions,
  RequestOptions,
  TerminalExit,
  TerminalOutput,
  ToolCallContent,
} from "../../acp/index.ts";
import {
  base64Of,
  deferred,
  type ExitStatus,
  quietly,
  randomId,
  type RunningCommand,
  startCommand,
  unlessAborted,
} from "../../wire/index.ts";
import type { Terminal, TerminalCommand } from "../turn/terminal.ts";
import type { TurnScope } from "../turn/turn-scope.ts";
import type { SessionWork } from "./session-work.ts";

/** How many bytes at the end of the output are kept, unless the author says otherwise. */
const OUTPUT_BYTES = 1024 * 1024;

/** A terminal of the agent: v2 has no terminals of the client. The command runs on this machine. */
export class LocalTerminal implements Terminal {
  readonly id: string;
  readonly #scope: TurnScope;
  readonly #command: RunningCommand;
  /** Resolves once the client knows that the command has ended. */
  readonly #reported: Promise<void>;

  /** Starts a command and reports it to the client. Rejects with SpawnError. */
  static async start(
    scope: TurnScope,
    work: SessionWork,
    {
      command,
      args = [],
      env,
      outputByteLimit,
      ...start
    }: TerminalCommand & { readonly cwd: string },
  ): Promise<LocalTerminal> {
    const id = `term_${randomId()}`;
    const { cwd } = start;
    const announced = deferred();
    const running = await startCommand({
      command,
      args,
      cwd,
      env,
      outputBytes: outputByteLimit ?? OUTPUT_BYTES,
      onOutput: async (bytes) => {
        await announced.promise;
        const data = base64Of(bytes);
        await scope.send({ sessionUpdate: "terminal_output_chunk", terminalId: id, data });
      },
    });
    const terminal = new LocalTerminal(id, scope, running, work);
    work.allowCancel(terminal.item, () => void terminal.#command.kill());
    const line = [command, ...args].join(" ");
    const sent = scope.send({
      sessionUpdate: "terminal_update",
      terminalId: id,
      command: line,
      cwd,
      capabilities: { cancel: {} },
    });
    announced.resolve();
    await sent.catch(() => {});
    return terminal;
  }

  private constructor(id: string, scope: TurnScope, command: RunningCommand, work: SessionWork) {
    this.id = id;
    this.#scope = scope;
    this.#command = command;
    this.#reported = command.exited.then(async (exit) => {
      await this.#reportExit(exit);
      work.ended(this.item);
    });
  }

  get item(): { readonly type: "terminal"; readonly terminalId: string } {
    return { type: "terminal", terminalId: this.id };
  }

  get content(): ToolCallContent {
    return { type: "terminal", terminalId: this.id };
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

  async #reportExit(exit: ExitStatus): Promise<void> {
    try {
      await this.#scope.send({
        sessionUpdate: "terminal_update",
        terminalId: this.id,
        exitStatus: terminalExit(exit),
        capabilities: null,
      });
    } catch {
      // The client is gone, or the session is closed.
    }
  }
}

function terminalExit({ code, signal }: ExitStatus): TerminalExit {
  return { exitCode: code, signal };
}
