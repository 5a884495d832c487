import {
  CLIENT_METHODS,
  type EnvVariable,
  metaField,
  readCreateTerminalResult,
  reportingMeta,
} from "../../protocol/acp/index.ts";
import {
  AuthorReport,
  type ReportedTerminal,
  type TerminalReport,
} from "../v2/reported-terminal.ts";
import type { SessionWork } from "../v2/session-work.ts";
import {
  AuthorTerminal,
  releaseTerminal,
  type Terminal,
  type TerminalCommand,
} from "./terminal.ts";
import type { TurnScope } from "./turn-scope.ts";
import { LocalTerminal } from "../v2/local-terminal.ts";

/** The terminals of one turn. */
export class TurnTerminals {
  readonly #scope: TurnScope;
  readonly #work: SessionWork;
  /** The folder of the session. */
  readonly #cwd: string;
  readonly #open = new Set<Terminal>();
  readonly #reports = new Set<AuthorReport>();

  constructor(scope: TurnScope, work: SessionWork, cwd: string) {
    this.#scope = scope;
    this.#work = work;
    this.#cwd = cwd;
  }

  async create({ background = false, ...command }: TerminalCommand): Promise<Terminal> {
    this.#scope.assertCanAsk("terminal");
    const scope = background ? this.#scope.lasting(this.#work.signal) : this.#scope;
    const isV2 = scope.link.protocolVersion === 2;
    const terminal = await (isV2
      ? this.#startHere(scope, command)
      : this.#createOnClient(scope, command));
    if (!background) this.#open.add(terminal);
    else {
      const item = { type: "terminal", terminalId: terminal.id } as const;
      await this.#work.addBackground(item, () => terminal.release());
    }
    return terminal;
  }

  /** Reports a terminal whose output the author has. */
  async report(start: TerminalReport): Promise<ReportedTerminal> {
    this.#scope.assertCanAsk();
    const { background } = start;
    const scope = background === true ? this.#scope.lasting(this.#work.signal) : this.#scope;
    const terminal = new AuthorReport(scope, this.#work, start.terminalId);
    if (background !== true) this.#reports.add(terminal);
    await terminal.open(start, start.cwd ?? this.#cwd);
    return terminal;
  }

  /**
   * Releases all open terminals. Those of the client are released without awaiting the answers, so that a
   * silent client cannot hold the turn; the promise is for commands on this machine.
   */
  releaseAll(): Promise<void> | undefined {
    for (const terminal of this.#reports) void terminal.exit();
    this.#reports.clear();
    const released = [...this.#open].map((terminal) => terminal.release());
    this.#open.clear();
    if (released.length === 0 || this.#scope.link.protocolVersion === 1) return undefined;
    return Promise.allSettled(released).then(() => {});
  }

  /** A cancel during the start ends the command again. */
  async #startHere(scope: TurnScope, command: TerminalCommand): Promise<Terminal> {
    const { cwd = this.#cwd } = command;
    const terminal = await LocalTerminal.start(scope, this.#work, { ...command, cwd });
    if (!scope.signal.aborted) return terminal;
    await terminal.release();
    scope.assertCanAsk();
    return terminal;
  }

  async #createOnClient(scope: TurnScope, command: TerminalCommand): Promise<Terminal> {
    const { args, env, meta, onMeta, ...rest } = command;
    const params = {
      sessionId: scope.sessionId,
      ...rest,
      ...metaField(meta),
      ...(args === undefined ? {} : { args: [...args] }),
      ...(env === undefined ? {} : { env: variables(env) }),
    };
    // A cancel does not abort this request: the client may have started the command already, and
    // then we have to release the terminal.
    const created = scope.link.ask(
      CLIENT_METHODS.createTerminal,
      params,
      reportingMeta(readCreateTerminalResult, onMeta),
      undefined,
    );
    try {
      const terminalId = await scope.unlessCancelled(created);
      const item = { type: "terminal", terminalId } as const;
      return new AuthorTerminal(terminalId, scope, () => this.#work.ended(item));
    } catch (error) {
      if (scope.signal.aborted) {
        created.then(
          (id) => releaseTerminal(scope, id, {}),
          () => {},
        );
      }
      throw error;
    }
  }
}

function variables(env: Readonly<Record<string, string>>): EnvVariable[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
