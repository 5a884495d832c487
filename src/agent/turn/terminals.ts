import {
  CLIENT_METHODS,
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
} from "../../protocol/acp/index.ts";
import {
  base64Of,
  deferred,
  type ExitStatus,
  quiet,
  quietly,
  randomId,
  type RunningCommand,
  startCommand,
  unlessAborted,
} from "../../base/index.ts";
import type { SessionWork } from "../v2/session-work.ts";
import type { ExitOnWire } from "../v2/updates.ts";
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

/** A terminal whose output the agent has or gets from elsewhere. */
export interface TerminalReport {
  /** The command line. */
  readonly command: string;
  /** The folder it runs in, an absolute path. Default: the session's folder. */
  readonly cwd?: string | undefined;
  /** Default: a random id. It must be new in the session. */
  readonly terminalId?: string | undefined;
  /** Whether it goes on after the turn. Clients of v2 see it in the list of background work. */
  readonly background?: boolean | undefined;
  /** Whether the client may cancel it; its `signal` is then aborted. Clients of v1 cannot. */
  readonly canCancel?: boolean | undefined;
}

/** How a reported command ended. Without fields, it is not known. */
export interface ReportedExit {
  /** The exit code. */
  readonly exitCode?: number | null | undefined;
  /** The name of the signal that ended the command. */
  readonly signal?: string | null | undefined;
}

/**
 * A terminal that the agent reports. Clients of v2 get its bytes as they are; clients of v1 get its text
 * as content of a tool call, whenever the text has doubled and at its end.
 *
 * Methods resolve when the client can take more, and reject like those of the turn. Unless it is
 * background work, it ends with the turn.
 */
export interface ReportedTerminal {
  readonly id: string;
  /** The terminal as tool call content: a terminal on v2, its text so far on v1. */
  readonly content: ToolCallContent;
  /** Aborted when the client cancels the terminal, when the turn is cancelled or the session closes. */
  readonly signal: AbortSignal;
  /** Appends output. */
  write(data: string | Uint8Array): Promise<void>;
  /** Replaces all of the output so far. */
  replace(data: string | Uint8Array): Promise<void>;
  /** Reports that the command has ended. A second call does nothing. */
  exit(status?: ReportedExit): Promise<void>;
}

export class TurnTerminals {
  readonly #scope: TurnScope;
  readonly #work: SessionWork;
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
      await this.#work.addBackground(itemOf(terminal.id), () => terminal.release());
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

  /** Ends the command if the turn is canceled while it starts. */
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
      ...(args && { args: [...args] }),
      ...(env && { env: Object.entries(env).map(([name, value]) => ({ name, value })) }),
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
      return new ClientTerminal(await scope.unlessCancelled(created), scope, this.#work);
    } catch (error) {
      if (scope.signal.aborted) {
        void quiet(created.then((id) => new ClientTerminal(id, scope, this.#work).release()));
      }
      throw error;
    }
  }
}

class ClientTerminal implements Terminal {
  readonly id: string;
  readonly #scope: TurnScope;
  readonly #work: SessionWork;
  #released = false;

  constructor(id: string, scope: TurnScope, work: SessionWork) {
    this.id = id;
    this.#scope = scope;
    this.#work = work;
  }

  get content(): ToolCallContent {
    return itemOf(this.id);
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

  release({ meta, onMeta }: MetaOptions = {}): Promise<void> {
    if (this.#released) return Promise.resolve();
    this.#released = true;
    this.#work.ended(itemOf(this.id));
    const { sessionId, link } = this.#scope;
    const params = { sessionId, terminalId: this.id, ...metaField(meta) };
    const accept = reportingMeta(ignoreResult, onMeta);
    return link.ask(CLIENT_METHODS.releaseTerminal, params, accept, undefined);
  }

  #ask<T>(
    method: string,
    accept: (result: unknown) => T,
    options: RequestOptions | undefined,
  ): Promise<T> {
    return this.#scope.ask(method, { terminalId: this.id }, accept, "terminal", options);
  }
}

function ignoreResult(result: unknown): void {
  readEmptyResult("terminal", result);
}

/** How many bytes at the end of the output are kept, unless the author says otherwise. */
const OUTPUT_BYTES = 1024 * 1024;

/**
 * A terminal on the agent's side: v2 clients have none. The command runs on this machine, and is
 * reported like any other terminal.
 */
class LocalTerminal implements Terminal {
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

/** How much of the text is kept for clients of v1: the end of it. */
const KEPT_TEXT = 256 * 1024;
/** v1 clients get the text each time it doubles, first at twice this length, so traffic stays linear. */
const FIRST_TEXT = 256;

export class AuthorReport implements ReportedTerminal {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly #scope: TurnScope;
  readonly #work: SessionWork;
  readonly #isV2: boolean;
  /** Sends the content of the tool call that shows it, for clients of v1. */
  readonly #refresh: (() => Promise<void>) | undefined;
  readonly #controller = new AbortController();
  /** Aborted only when the client cancels the terminal. */
  readonly cancelled: AbortSignal = this.#controller.signal;
  #decoder = new TextDecoder();
  #text = "";
  /** The length of the text when a client of v1 last got it. */
  #shown = 0;
  #isOver = false;

  constructor(scope: TurnScope, work: SessionWork, id?: string, refresh?: () => Promise<void>) {
    this.id = id ?? `term_${randomId()}`;
    this.#scope = scope;
    this.#work = work;
    this.#isV2 = scope.link.protocolVersion === 2;
    this.#refresh = refresh;
    this.signal = AbortSignal.any([scope.signal, this.cancelled]);
  }

  get content(): ToolCallContent {
    if (this.#isV2) return itemOf(this.id);
    return { type: "content", content: { type: "text", text: this.#text } };
  }

  async open({ command, canCancel, background }: TerminalReport, cwd: string): Promise<void> {
    if (canCancel === true) this.#work.allowCancel(itemOf(this.id), () => this.#controller.abort());
    if (this.#isV2) {
      await this.#scope.send({
        sessionUpdate: "terminal_update",
        terminalId: this.id,
        command,
        cwd,
        ...(canCancel === true ? { capabilities: { cancel: {} } } : {}),
      });
    }
    if (background === true) await this.#work.addBackground(itemOf(this.id), () => this.exit());
  }

  write(data: string | Uint8Array): Promise<void> {
    const bytes = bytesFrom(data);
    if (this.#isV2) {
      const chunk = { terminalId: this.id, data: base64Of(bytes) };
      return this.#scope.send({ sessionUpdate: "terminal_output_chunk", ...chunk });
    }
    const text = this.#text + this.#decoder.decode(bytes, { stream: true });
    this.#text = text.length > 2 * KEPT_TEXT ? text.slice(-KEPT_TEXT) : text;
    return this.#show(this.#text.length >= 2 * Math.max(this.#shown, FIRST_TEXT));
  }

  replace(data: string | Uint8Array): Promise<void> {
    const bytes = bytesFrom(data);
    if (this.#isV2) {
      const output = { data: base64Of(bytes) };
      return this.#scope.send({ sessionUpdate: "terminal_update", terminalId: this.id, output });
    }
    this.#decoder = new TextDecoder();
    this.#text = this.#decoder.decode(bytes, { stream: true }).slice(-KEPT_TEXT);
    return this.#show(true);
  }

  exit({ exitCode, signal }: ReportedExit = {}): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#isOver = true;
    return quietly(async () => {
      const exitStatus: ExitOnWire = {
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
      };
      try {
        if (this.#isV2) {
          const update = { terminalId: this.id, exitStatus, capabilities: null };
          await this.#scope.send({ sessionUpdate: "terminal_update", ...update });
        } else await this.#show(true);
      } finally {
        this.#work.ended(itemOf(this.id));
      }
    });
  }

  #show(isDue: boolean): Promise<void> {
    if (!isDue || !this.#refresh) return this.#scope.stillOpen();
    this.#shown = this.#text.length;
    return this.#refresh();
  }
}

function terminalExit({ code, signal }: ExitStatus): TerminalExit {
  return { exitCode: code, signal };
}

function bytesFrom(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

function itemOf(terminalId: string): { readonly type: "terminal"; readonly terminalId: string } {
  return { type: "terminal", terminalId };
}
