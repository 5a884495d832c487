import {
  ERROR_CODES,
  metaField,
  type ParamsOf,
  type TerminalExit,
} from "../../../protocol/acp/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { callSafely, log, type Logger, SpawnError, within, randomId } from "../../../base/index.ts";
import {
  cancelledError,
  invalidParamsError,
  jailRpcError,
  unknownTerminalError,
} from "../rpc-errors.ts";
import { JailError } from "../jail/errors.ts";
import type { GateScope, PermissionJudge } from "../permissions/judge.ts";
import type {
  ProvidedTerminal,
  RequestMeta,
  TerminalEvent,
  TerminalProvider,
  TerminalRequest,
} from "./provider.ts";
import { untilAborted } from "../async.ts";
import type { OpenedFolder } from "../workspace/virtual-workspace.ts";

interface TerminalServiceOptions {
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  readonly logger?: Logger | undefined;
}

interface SessionTerminals {
  readonly terminals: Map<string, ProvidedTerminal>;
  /** Starts and releases that are under way. */
  readonly pending: Set<Promise<unknown>>;
  /** The number of terminals, including those that wait for permission. */
  count: number;
  closed: boolean;
}

/** Last resort: a provider that never answers must not keep a client from closing. */
const CLOSE_TIMEOUT_MS = 10_000;

/** An agent that forgets to release terminals must not exhaust the machine. */
const MAX_TERMINALS = 64;

/** Answers `terminal/*`. Rejects with RpcError. */
export class TerminalService {
  readonly #judge: PermissionJudge;
  readonly #options: TerminalServiceOptions;
  readonly #sessions = new Map<string, SessionTerminals>();

  constructor(judge: PermissionJudge, options: TerminalServiceOptions) {
    this.#judge = judge;
    this.#options = options;
  }

  async create(
    scope: GateScope,
    params: ParamsOf["terminal/create"],
  ): Promise<{ terminalId: string }> {
    const provider = scope.session.access.terminal;
    if (!provider) throw RpcError.methodNotFound("terminal/create");
    const owner = this.#terminalsOf(scope.session.id);
    if (owner.count >= MAX_TERMINALS) {
      throw new RpcError(ERROR_CODES.internalError, "Too many terminals: release some first");
    }
    owner.count++;
    try {
      return { terminalId: await this.#start(scope, params, owner, provider) };
    } catch (error) {
      owner.count--;
      if (error instanceof JailError) throw jailRpcError(error);
      if (error instanceof SpawnError) throw spawnRpcError(error);
      throw error;
    }
  }

  output(params: ParamsOf["terminal/output"], request: RequestMeta): Record<string, unknown> {
    const { output, truncated, exitStatus } = this.#get(params).output(request);
    return { output, truncated, ...(exitStatus ? { exitStatus: wireExit(exitStatus) } : {}) };
  }

  /** Waits until the command ends, or until the agent stops waiting. */
  async waitForExit(
    params: ParamsOf["terminal/wait_for_exit"],
    request: RequestMeta,
    signal: AbortSignal,
  ): Promise<object> {
    const terminal = this.#get(params);
    callSafely(() => terminal.waiting?.(request));
    const waited = await untilAborted([signal], () => terminal.exited);
    if (waited.aborted) throw cancelledError();
    return wireExit(waited.value);
  }

  async kill(
    params: ParamsOf["terminal/kill"],
    request: RequestMeta,
  ): Promise<Record<string, never>> {
    await this.#get(params).kill(request);
    return {};
  }

  async release(
    params: ParamsOf["terminal/release"],
    request: RequestMeta,
  ): Promise<Record<string, never>> {
    const terminal = this.#get(params);
    const owner = this.#terminalsOf(params.sessionId);
    if (owner.terminals.delete(params.terminalId)) owner.count--;
    const { sessionId, terminalId } = params;
    await track(owner, this.#releaseOne(sessionId, terminalId, terminal, request));
    return {};
  }

  /** Releases all terminals of a session, including those that are just being started or released. */
  async closeSession(sessionId: string): Promise<void> {
    const owner = this.#sessions.get(sessionId);
    if (!owner) return;
    owner.closed = true;
    this.#sessions.delete(sessionId);
    const releases = [...owner.terminals].map(([id, terminal]) =>
      this.#releaseOne(sessionId, id, terminal),
    );
    owner.terminals.clear();
    const all = Promise.all([...releases, ...owner.pending]);
    if (await within(all, CLOSE_TIMEOUT_MS)) return;
    const message = "the terminal provider did not release all terminals in time";
    log(this.#options.logger, "error", message, { sessionId });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.closeSession(id)));
  }

  async #start(
    scope: GateScope,
    params: ParamsOf["terminal/create"],
    owner: SessionTerminals,
    provider: TerminalProvider,
  ): Promise<string> {
    const { session, signals } = scope;
    const { workspace } = session.access;
    const { command } = params;
    const args = params.args ?? [];
    const env = readEnv(params);
    const requestedCwd = params.cwd ?? session.roots[0] ?? "";
    const cwd = await workspace.locate(requestedCwd, "read", signals);
    await this.#judge.permit(scope, { type: "terminal", command, args, cwd, env });
    const folder = await workspace.folder(requestedCwd, cwd, signals);
    const ids = { sessionId: session.id, terminalId: `term_${randomId()}` };
    const request: TerminalRequest = {
      ...ids,
      command,
      args,
      cwd,
      entry: folder.entry,
      env,
      outputByteLimit: params.outputByteLimit ?? undefined,
      ...scope.meta,
      onOutput: (text) => this.#emit({ type: "output", ...ids, text }),
    };
    await track(owner, this.#launch(owner, provider, request, folder));
    return ids.terminalId;
  }

  /** Ends the command again if the session was closed while the command was being started. */
  async #launch(
    owner: SessionTerminals,
    provider: TerminalProvider,
    request: TerminalRequest,
    folder: OpenedFolder,
  ): Promise<void> {
    try {
      if (owner.closed) throw cancelledError();
      const terminal = await provider.create(request);
      if (owner.closed) {
        await terminal.release();
        throw cancelledError();
      }
      owner.terminals.set(request.terminalId, terminal);
      this.#emitCreatedAndExited(request, terminal);
    } finally {
      await folder.release();
    }
  }

  #emitCreatedAndExited(request: TerminalRequest, terminal: ProvidedTerminal): void {
    const { sessionId, terminalId, command, args, cwd } = request;
    this.#emit({ type: "created", sessionId, terminalId, command, args, cwd });
    terminal.exited.then(
      ({ exitCode, signal }) =>
        this.#emit({ type: "exited", sessionId, terminalId, exitCode, signal }),
      (error: unknown) =>
        log(this.#options.logger, "error", "the terminal provider lost a terminal", { error }),
    );
  }

  #get({ sessionId, terminalId }: { sessionId: string; terminalId: string }): ProvidedTerminal {
    const terminal = this.#sessions.get(sessionId)?.terminals.get(terminalId);
    if (!terminal) throw unknownTerminalError(terminalId);
    return terminal;
  }

  #terminalsOf(sessionId: string): SessionTerminals {
    const owner = this.#sessions.get(sessionId) ?? {
      terminals: new Map<string, ProvidedTerminal>(),
      pending: new Set<Promise<unknown>>(),
      count: 0,
      closed: false,
    };
    this.#sessions.set(sessionId, owner);
    return owner;
  }

  async #releaseOne(
    sessionId: string,
    terminalId: string,
    terminal: ProvidedTerminal,
    request?: RequestMeta,
  ): Promise<void> {
    try {
      await terminal.release(request);
    } catch (error) {
      log(this.#options.logger, "error", "could not release a terminal", { terminalId, error });
    }
    this.#emit({ type: "released", sessionId, terminalId });
  }

  #emit(event: TerminalEvent): void {
    const { onTerminal } = this.#options;
    if (onTerminal) callSafely(() => onTerminal(event));
  }
}

/** Makes the closing of the session wait for this work. */
function track({ pending }: SessionTerminals, work: Promise<void>): Promise<void> {
  const settled = work.catch(() => {}).finally(() => pending.delete(settled));
  pending.add(settled);
  return work;
}

function readEnv({ env }: ParamsOf["terminal/create"]): Readonly<Record<string, string>> {
  const entries = env ?? [];
  const index = entries.findIndex(
    ({ name, value }) => name === "" || /[=\0]/.test(name) || value.includes("\0"),
  );
  if (index !== -1) {
    const fault = { path: `env[${index}]`, message: "is not a valid environment variable" };
    throw invalidParamsError("terminal/create", [fault]);
  }
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

function spawnRpcError(error: SpawnError): RpcError {
  return new RpcError(ERROR_CODES.internalError, error.message, { reason: error.failure });
}

function wireExit({ exitCode, signal, meta }: TerminalExit): object {
  return { exitCode, signal, ...metaField(meta) };
}
