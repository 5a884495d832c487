import { randomUUID } from "node:crypto";
import { ERROR_CODES, type ParamsOf, type TerminalExit } from "../../../acp/index.ts";
import { RpcError } from "../../../rpc/index.ts";
import { callSafely, log, type Logger, SpawnError, within } from "../../../wire/index.ts";
import {
  cancelledError,
  invalidParamsError,
  jailRpcError,
  unknownTerminalError,
} from "../errors.ts";
import { JailError } from "../jail/errors.ts";
import type { HeldFolder } from "../jail/jail.ts";
import type { GateScope, PermissionJudge } from "../permissions/judge.ts";
import { untilAborted } from "../until-aborted.ts";

/** A command to run. It has passed the jail and the policy. */
export interface TerminalRequest {
  readonly sessionId: string;
  readonly terminalId: string;
  /** With arguments a program, without any a whole command line. */
  readonly command: string;
  readonly args: readonly string[];
  /** The folder to run in, for showing. */
  readonly cwd: string;
  /** The same folder, for starting a process in it: valid until `create` has resolved. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the agent asks to be kept of the output. */
  readonly outputByteLimit: number | undefined;
  /** To be told what the command writes, as it comes. */
  readonly onOutput: (text: string) => void;
}

/** One running command, or one that has ended and is not released. */
export interface ProvidedTerminal {
  /** What was kept of the output so far; cut from the start, at whole characters. */
  output(): { output: string; truncated: boolean; exitStatus: TerminalExit | undefined };
  /** Resolves when the command has ended. */
  readonly exited: Promise<TerminalExit>;
  /** Ends the command with everything it started; the output stays. */
  kill(): Promise<void>;
  /** Ends it as well, and frees what it holds. */
  release(): Promise<void>;
}

/** Runs commands for agents. Without one, no terminal is advertised. */
export interface TerminalProvider {
  /** Starts a command and resolves once it runs; rejects if it cannot be started. */
  create(request: TerminalRequest): Promise<ProvidedTerminal>;
}

/** What happens to terminals, for a host that shows them. */
export type TerminalEvent = { readonly sessionId: string; readonly terminalId: string } & (
  | {
      readonly type: "created";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
    }
  | { readonly type: "output"; readonly text: string }
  | ({ readonly type: "exited" } & TerminalExit)
  | { readonly type: "released" }
);

export interface TerminalServiceOptions {
  readonly provider: TerminalProvider;
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  readonly logger?: Logger | undefined;
}

/** The terminals of one session. */
interface Shelf {
  readonly terminals: Map<string, ProvidedTerminal>;
  /** What is being started or ended at this moment. */
  readonly busy: Set<Promise<unknown>>;
  /** How many there are, with those about which somebody is being asked. */
  count: number;
  closed: boolean;
}

/** Last resort: a provider that never answers must not keep a client from closing. */
const HELD_UP_MS = 10_000;

/** An agent that forgets to release must not use up the machine. */
const MAX_TERMINALS = 64;

/** Answers `terminal/*`. Rejects with RpcError. */
export class TerminalService {
  readonly #judge: PermissionJudge;
  readonly #options: TerminalServiceOptions;
  readonly #shelves = new Map<string, Shelf>();

  constructor(judge: PermissionJudge, options: TerminalServiceOptions) {
    this.#judge = judge;
    this.#options = options;
  }

  async create(
    scope: GateScope,
    params: ParamsOf["terminal/create"],
  ): Promise<{ terminalId: string }> {
    const shelf = this.#shelfOf(scope.session.id);
    if (shelf.count >= MAX_TERMINALS) {
      throw new RpcError(ERROR_CODES.internalError, "Too many terminals: release some first");
    }
    shelf.count++;
    try {
      return { terminalId: await this.#start(scope, params, shelf) };
    } catch (error) {
      shelf.count--;
      if (error instanceof JailError) throw jailRpcError(error);
      if (error instanceof SpawnError) throw spawnRpcError(error);
      throw error;
    }
  }

  output(params: ParamsOf["terminal/output"]): Record<string, unknown> {
    const { output, truncated, exitStatus } = this.#get(params).output();
    return { output, truncated, ...(exitStatus ? { exitStatus: wireExit(exitStatus) } : {}) };
  }

  /** Waits for the command's end, or until the agent gives up waiting. */
  async waitForExit(
    params: ParamsOf["terminal/wait_for_exit"],
    signal: AbortSignal,
  ): Promise<TerminalExit> {
    const terminal = this.#get(params);
    const waited = await untilAborted([signal], () => terminal.exited);
    if (waited.aborted) throw cancelledError();
    return wireExit(waited.value);
  }

  async kill(params: ParamsOf["terminal/kill"]): Promise<Record<string, never>> {
    await this.#get(params).kill();
    return {};
  }

  async release(params: ParamsOf["terminal/release"]): Promise<Record<string, never>> {
    const terminal = this.#get(params);
    const shelf = this.#shelfOf(params.sessionId);
    if (shelf.terminals.delete(params.terminalId)) shelf.count--;
    await track(shelf, this.#free(params.sessionId, params.terminalId, terminal));
    return {};
  }

  /** Releases what a session has, also what is being started or ended at this moment. */
  async closeSession(sessionId: string): Promise<void> {
    const shelf = this.#shelves.get(sessionId);
    if (!shelf) return;
    shelf.closed = true;
    this.#shelves.delete(sessionId);
    const freed = [...shelf.terminals].map(([id, terminal]) => this.#free(sessionId, id, terminal));
    shelf.terminals.clear();
    const all = Promise.all([...freed, ...shelf.busy]);
    if (await within(all, HELD_UP_MS)) return;
    log(this.#options.logger, "error", "a terminal provider does not let go", { sessionId });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shelves.keys()].map((id) => this.closeSession(id)));
  }

  async #start(
    scope: GateScope,
    params: ParamsOf["terminal/create"],
    shelf: Shelf,
  ): Promise<string> {
    const { session, jail } = scope;
    const { command } = params;
    const args = params.args ?? [];
    const env = readEnv(params);
    const asked = params.cwd ?? session.roots[0] ?? "";
    const cwd = await jail.locate(asked, "read");
    await this.#judge.permit(scope, { type: "terminal", command, args, cwd, env });
    const folder = await jail.folder(asked, cwd);
    const ids = { sessionId: session.id, terminalId: `term_${randomUUID()}` };
    const request: TerminalRequest = {
      ...ids,
      command,
      args,
      cwd,
      entry: folder.entry,
      env,
      outputByteLimit: params.outputByteLimit ?? undefined,
      onOutput: (text) => this.#tell({ type: "output", ...ids, text }),
    };
    await track(shelf, this.#launch(shelf, request, folder));
    return ids.terminalId;
  }

  /** The session may be closed while a command is being started: then the command is ended. */
  async #launch(shelf: Shelf, request: TerminalRequest, folder: HeldFolder): Promise<void> {
    try {
      if (shelf.closed) throw cancelledError();
      const terminal = await this.#options.provider.create(request);
      if (shelf.closed) {
        await terminal.release();
        throw cancelledError();
      }
      shelf.terminals.set(request.terminalId, terminal);
      this.#announce(request, terminal);
    } finally {
      await folder.release();
    }
  }

  #announce(request: TerminalRequest, terminal: ProvidedTerminal): void {
    const { sessionId, terminalId, command, args, cwd } = request;
    this.#tell({ type: "created", sessionId, terminalId, command, args, cwd });
    terminal.exited.then(
      (exit) => this.#tell({ type: "exited", sessionId, terminalId, ...wireExit(exit) }),
      (error: unknown) => log(this.#options.logger, "error", "a terminal was lost", { error }),
    );
  }

  #get({ sessionId, terminalId }: { sessionId: string; terminalId: string }): ProvidedTerminal {
    const terminal = this.#shelves.get(sessionId)?.terminals.get(terminalId);
    if (!terminal) throw unknownTerminalError(terminalId);
    return terminal;
  }

  #shelfOf(sessionId: string): Shelf {
    const shelf = this.#shelves.get(sessionId) ?? {
      terminals: new Map<string, ProvidedTerminal>(),
      busy: new Set<Promise<unknown>>(),
      count: 0,
      closed: false,
    };
    this.#shelves.set(sessionId, shelf);
    return shelf;
  }

  async #free(sessionId: string, terminalId: string, terminal: ProvidedTerminal): Promise<void> {
    try {
      await terminal.release();
    } catch (error) {
      log(this.#options.logger, "error", "a terminal could not be released", { terminalId, error });
    }
    this.#tell({ type: "released", sessionId, terminalId });
  }

  #tell(event: TerminalEvent): void {
    const { onTerminal } = this.#options;
    if (onTerminal) callSafely(() => onTerminal(event));
  }
}

/** Notes work that closing the session has to wait for. */
function track(shelf: Shelf, work: Promise<void>): Promise<void> {
  const settled = work.catch(() => {}).finally(() => shelf.busy.delete(settled));
  shelf.busy.add(settled);
  return work;
}

function readEnv({ env }: ParamsOf["terminal/create"]): Readonly<Record<string, string>> {
  const entries = env ?? [];
  const index = entries.findIndex(
    ({ name, value }) => name === "" || /[=\0]/.test(name) || value.includes("\0"),
  );
  if (index !== -1) {
    const fault = { path: `env[${index}]`, message: "cannot be an environment variable" };
    throw invalidParamsError("terminal/create", [fault]);
  }
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

function spawnRpcError(error: SpawnError): RpcError {
  return new RpcError(ERROR_CODES.internalError, error.message, { reason: error.failure });
}

function wireExit({ exitCode, signal }: TerminalExit): TerminalExit {
  return { exitCode, signal };
}
