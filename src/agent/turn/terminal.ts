import {
  CLIENT_METHODS,
  type EnvVariable,
  metaField,
  type MetaOptions,
  readCreateTerminalResult,
  readEmptyResult,
  readExitResult,
  readTerminalOutputResult,
  reportingMeta,
  type RequestOptions,
  type TerminalExit,
  type TerminalOutput,
  type ToolCallContent,
} from "../../acp/index.ts";
import type { TurnScope } from "./turn-scope.ts";

/** A command to run in a terminal of the client. */
export interface TerminalCommand extends MetaOptions {
  /** The command. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Variables for the command, on top of the client's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An absolute path. Default: the session's folder. */
  readonly cwd?: string | undefined;
  /** How much output the client keeps. It drops the oldest output first. */
  readonly outputByteLimit?: number | undefined;
}

/** A command that runs in the client's terminal. It is released at the end of the turn at the latest. */
export interface Terminal {
  /** The id of the terminal. */
  readonly id: string;
  /** The terminal as tool call content, so that the client shows it live. */
  readonly content: ToolCallContent;
  /** The output so far. Rejects with TurnCancelledError, RemoteError or ConnectionError. */
  output(options?: RequestOptions): Promise<TerminalOutput>;
  /** Waits until the command exits. Rejects with TurnCancelledError, RemoteError or ConnectionError. */
  waitForExit(options?: RequestOptions): Promise<TerminalExit>;
  /** Kills the command. Its output stays readable. Rejects like {@link Terminal.output}. */
  kill(options?: RequestOptions): Promise<void>;
  /**
   * Kills the command and frees the terminal, even after a cancel. A second call does nothing.
   * Rejects with RemoteError or ConnectionError.
   */
  release(options?: MetaOptions): Promise<void>;
}

/** The class behind `Terminal`. */
export class AuthorTerminal implements Terminal {
  readonly id: string;
  readonly #scope: TurnScope;
  #released = false;

  constructor(id: string, scope: TurnScope) {
    this.id = id;
    this.#scope = scope;
  }

  get content(): ToolCallContent {
    return { type: "terminal", terminalId: this.id };
  }

  output(options?: RequestOptions): Promise<TerminalOutput> {
    return this.#ask(CLIENT_METHODS.terminalOutput, readTerminalOutputResult, options);
  }

  waitForExit(options?: RequestOptions): Promise<TerminalExit> {
    return this.#ask(CLIENT_METHODS.waitForTerminalExit, readExitResult, options);
  }

  kill(options?: RequestOptions): Promise<void> {
    return this.#ask(CLIENT_METHODS.killTerminal, ignoreResult, options);
  }

  release(options: MetaOptions = {}): Promise<void> {
    if (this.#released) return Promise.resolve();
    this.#released = true;
    return releaseTerminal(this.#scope, this.id, options);
  }

  #ask<T>(
    method: string,
    accept: (result: unknown) => T,
    options: RequestOptions | undefined,
  ): Promise<T> {
    return this.#scope.ask(method, { terminalId: this.id }, accept, "terminal", options);
  }
}

/** The terminals of one turn. */
export class TurnTerminals {
  readonly #scope: TurnScope;
  readonly #open = new Set<Terminal>();

  constructor(scope: TurnScope) {
    this.#scope = scope;
  }

  async create(command: TerminalCommand): Promise<Terminal> {
    const scope = this.#scope;
    scope.assertCanAsk("terminal");
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
      const terminal = new AuthorTerminal(await scope.unlessCancelled(created), scope);
      this.#open.add(terminal);
      return terminal;
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

  /** Releases all open terminals without awaiting the answers, so that a silent client cannot hold the turn. */
  releaseAll(): void {
    for (const terminal of this.#open) void terminal.release();
    this.#open.clear();
  }
}

function releaseTerminal(
  scope: TurnScope,
  terminalId: string,
  { meta, onMeta }: MetaOptions,
): Promise<void> {
  const params = { sessionId: scope.sessionId, terminalId, ...metaField(meta) };
  const accept = reportingMeta(ignoreResult, onMeta);
  return scope.link.ask(CLIENT_METHODS.releaseTerminal, params, accept, undefined);
}

function ignoreResult(result: unknown): void {
  readEmptyResult("terminal", result);
}

function variables(env: Readonly<Record<string, string>>): EnvVariable[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
