import {
  CLIENT_METHODS,
  metaField,
  type MetaOptions,
  readEmptyResult,
  readExitResult,
  readTerminalOutputResult,
  reportingMeta,
  type RequestOptions,
  type TerminalExit,
  type TerminalOutput,
  type ToolCallContent,
} from "../../protocol/acp/index.ts";
import type { TurnScope } from "./turn-scope.ts";

/** A command to run in a terminal: of the client on v1, on the agent's machine on v2. */
export interface TerminalCommand extends MetaOptions {
  /** A program if there are arguments, otherwise a whole command line. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Variables for the command, on top of the environment of the side that runs it. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An absolute path. Default: the session's folder. */
  readonly cwd?: string | undefined;
  /** How much output is kept for `output`. The oldest output is dropped first. */
  readonly outputByteLimit?: number | undefined;
  /**
   * Whether it goes on after the turn, until it is released or the session closes. A cancelled turn does
   * not end it. Clients of v2 see it in the list of background work. Default: false.
   */
  readonly background?: boolean | undefined;
}

/**
 * A command that runs in a terminal: of the client on v1, on the agent's machine on v2. Unless it is
 * background work, it is released at the end of the turn at the latest.
 */
export interface Terminal {
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
  readonly #onReleased: () => void;
  #released = false;

  constructor(id: string, scope: TurnScope, onReleased: () => void) {
    this.id = id;
    this.#scope = scope;
    this.#onReleased = onReleased;
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
    this.#onReleased();
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

/** Releases a terminal of the client. */
export function releaseTerminal(
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
