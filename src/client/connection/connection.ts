import {
  AGENT_METHODS,
  type AuthMethod,
  type AuthStatus,
  CLIENT_METHODS,
  ERROR_CODES,
  type Meta,
  metaField,
  metaOf,
  readAuthStatus,
  readNewSessionResult,
  readSetupResult,
  reportingMeta,
  UNSTABLE_METHODS,
  type RequestOptions,
} from "../../protocol/acp/index.ts";
import {
  CallCancelledError,
  ConnectionError,
  Peer,
  RemoteError,
  type RequestContext,
  type Rewriter,
} from "../../transport/rpc/index.ts";
import { callSafely, isJsonObject, log, type Logger, RestartableTimer } from "../../base/index.ts";
import type { Channel, CloseReason, LifecycleState } from "../../transport/wire/index.ts";
import {
  AuthRequiredError,
  InvalidArgumentError,
  SessionError,
  TimeoutError,
  type TimeoutKind,
} from "../errors.ts";
import { type ExtensionOptions, Extensions } from "./extensions.ts";
import { Flow } from "./flow.ts";
import type { SessionAccess } from "../gate/access.ts";
import type { AgentGate } from "../gate/gate.ts";
import { SessionImpl, type SessionRoots } from "../session/session-impl.ts";
import type { HostCallOptions, HostedSession, SessionHost } from "../session/session-host.ts";
import type {
  LoadSessionOptions,
  SessionOptions,
  SetupParams,
  UnstableConfig,
} from "../session/session-options.ts";
import type { WhenBusy } from "../session/session.ts";
import { McpServers } from "../unstable/mcp.ts";
import { isSubagent, Subagents } from "../unstable/subagents.ts";
import { type Deadline, Deadlines, type ResolvedTimeouts } from "./timeouts.ts";
import type { BufferLimits } from "../turn/update-stream.ts";

/** What ends when an agent ignores the cancel of a turn. */
type OnCancelIgnored = "session" | "client";

interface AgentConnectionOptions {
  readonly gate: AgentGate;
  readonly rewriter: Rewriter;
  readonly timeouts: ResolvedTimeouts;
  readonly limits: BufferLimits;
  readonly whenBusy: WhenBusy;
  readonly onCancelIgnored: OnCancelIgnored | undefined;
  readonly logger: Logger | undefined;
  readonly extensions: ExtensionOptions;
  readonly unstable: UnstableConfig;
  /** Gets the lines that are not messages. */
  readonly onSkipped: (text: string) => void;
}

/** The connection to one agent: calls to it, its sessions, and its requests to this side. */
export class AgentConnection implements SessionHost {
  /** Resolves when the connection has closed and nothing that belongs to the agent runs here anymore. */
  readonly closed: Promise<CloseReason>;
  readonly flow: Flow;
  readonly timeouts: ResolvedTimeouts;
  readonly limits: BufferLimits;
  readonly whenBusy: WhenBusy;
  readonly logger: Logger | undefined;
  /** Set after `initialize`, like `protocolVersion` and `authMethods`. */
  capabilities: unknown = {};
  protocolVersion = 1;
  isRemote = false;
  authMethods: readonly AuthMethod[] = [];
  /** Whether the unstable protocol is used. If not, its parts below stay empty. */
  readonly unstable: boolean;
  readonly mcp: McpServers;
  readonly subagents: Subagents;
  /** The last sign-in state that the agent reported. */
  authStatus: AuthStatus | undefined;
  readonly #onAuthStatus: UnstableConfig["onAuthStatus"];
  readonly #onCancelIgnored: OnCancelIgnored | undefined;
  readonly gate: AgentGate;
  readonly #peer: Peer;
  readonly #sessions = new Map<string, SessionImpl>();
  readonly #strays: StrayUpdates;
  readonly #extensions: Extensions;
  readonly #callLimits = new Deadlines();
  /** Consecutive updates are often for one session, and comparing one id is cheaper than a lookup. */
  #lastUpdated: SessionImpl | undefined;
  #opening = 0;
  #waitingForSession: (() => void)[] = [];
  #gateClosed: Promise<void> | undefined;
  #state: LifecycleState = "open";

  constructor(channel: Channel, options: AgentConnectionOptions) {
    this.timeouts = options.timeouts;
    this.limits = options.limits;
    this.whenBusy = options.whenBusy;
    this.logger = options.logger;
    this.#onCancelIgnored = options.onCancelIgnored;
    this.unstable = options.unstable.unstable === true;
    this.#onAuthStatus = options.unstable.onAuthStatus;
    this.mcp = new McpServers(this);
    this.subagents = new Subagents(this, this.#sessions);
    this.gate = options.gate;
    this.#strays = new StrayUpdates(options.limits);
    this.#extensions = new Extensions(options.extensions);
    this.#peer = new Peer(channel, {
      rewriter: options.rewriter,
      logger: options.logger,
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params, size) => this.#notification(method, params, size),
        skipped: options.onSkipped,
      },
    });
    this.flow = new Flow(
      () => this.#peer.hold(),
      () => {
        for (const session of this.#sessions.values()) session.readingResumed();
      },
    );
    this.closed = this.#peer.closed.then(async (reason) => {
      this.#endSessions(new ConnectionError(reason), "throw");
      await this.#closeGate();
      this.#state = "closed";
      return reason;
    });
  }

  /** Whether the agent has sent any message. */
  get hasReceived(): boolean {
    return this.#peer.hasReceived;
  }

  get state(): LifecycleState {
    return this.#state === "open" && this.#peer.closeReason ? "closing" : this.#state;
  }

  /** The open sessions, without those of subagents. */
  get sessions(): readonly SessionImpl[] {
    return [...this.#sessions.values()].filter((session) => !isSubagent(session));
  }

  /** The open session with this id. Throws SessionError if there is none. */
  session(id: string): SessionImpl {
    const session = this.#sessions.get(id);
    if (!session || isSubagent(session)) throw new SessionError("session_not_found", id);
    return session;
  }

  async call<T>(
    method: string,
    params: unknown,
    accept: (result: unknown) => T,
    options: HostCallOptions = {},
  ): Promise<T> {
    const { meta } = options;
    const sent = meta && isJsonObject(params) ? { ...params, ...metaField(meta) } : params;
    const read = reportingMeta(accept, options.onMeta);
    const controller = new AbortController();
    const abort = (): void => controller.abort(options.signal?.reason);
    if (options.signal?.aborted) abort();
    else options.signal?.addEventListener("abort", abort, { once: true });
    const deadline = this.#startLimit(options.limit, (kind, ms) =>
      controller.abort(new TimeoutError(kind, ms, method)),
    );
    this.flow.enter();
    try {
      return await this.#peer.call(method, sent, { accept: read, signal: controller.signal });
    } catch (error) {
      throw toCallError(error, this.authMethods);
    } finally {
      this.flow.leave();
      this.#callLimits.stop(deadline);
      options.signal?.removeEventListener("abort", abort);
    }
  }

  prompt(
    params: unknown,
    accept: (result: unknown) => void,
    fail: (error: unknown) => void,
    signal: AbortSignal,
  ): void {
    const options = {
      accept,
      signal,
      refused: (error: unknown) => fail(toCallError(error, this.authMethods)),
    };
    this.#peer.call(AGENT_METHODS.prompt, params, options).catch(() => {});
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#peer.notify(method, params);
  }

  pauseCallLimits(paused: boolean): void {
    if (paused) this.#callLimits.pause();
    else this.#callLimits.resume();
  }

  /** Calls a method that creates a session (`session/new`, `session/fork`). */
  async open(method: string, params: SetupParams, options: SessionOptions): Promise<SessionImpl> {
    this.#opening++;
    try {
      const roots = rootsOf(params);
      const access = this.gate.access(roots, options);
      await this.pin(access, options.signal);
      return await this.call(
        method,
        params,
        (result) => {
          const setup = readNewSessionResult(method, result);
          const session = new SessionImpl(this, setup.sessionId, roots, access);
          this.register(session);
          this.#strays.deliver(session);
          session.setUp(setup);
          this.#wakeWaiting();
          return session;
        },
        requestOptions(options),
      );
    } finally {
      if (--this.#opening === 0) this.#strays.clear();
      this.#wakeWaiting();
    }
  }

  /** Calls a method that opens a stored session (`session/load`, `session/resume`). */
  async reopen(
    method: string,
    params: SetupParams,
    options: LoadSessionOptions,
  ): Promise<SessionImpl> {
    const { sessionId, signal, onReplay, replaySilenceMs } = options;
    const roots = rootsOf(params);
    const access = this.gate.access(roots, options);
    const session = new SessionImpl(this, sessionId, roots, access);
    this.register(session);
    const silence = replaySilenceMs === undefined ? undefined : new Silence(replaySilenceMs);
    session.onReplay = (update) => {
      silence?.restart();
      onReplay?.(update);
    };
    try {
      await this.pin(access, signal);
      await this.call(
        method,
        { sessionId, ...params },
        (result) => {
          session.setUp(readSetupResult(method, result));
          if (silence === undefined) session.onReplay = undefined;
        },
        requestOptions(options),
      );
      await silence?.elapsed(signal);
      session.onReplay = undefined;
      return session;
    } catch (error) {
      session.end(new SessionError("closed", sessionId, { cause: error }), "end");
      await this.forget(session);
      throw error;
    }
  }

  async forget(session: HostedSession): Promise<void> {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    this.mcp.closeSession(session.id);
    await this.subagents.endOf(session.id);
    await this.gate.closeSession(session.id).catch((error: unknown) => {
      log(this.logger, "error", "could not end what a session had open", { error });
    });
    session.finish();
  }

  cancelIgnored(session: HostedSession): boolean {
    const isShared = this.sessions.some((other) => other !== session);
    const end = this.#onCancelIgnored ?? (isShared ? "session" : "client");
    if (end === "client") void this.close();
    return end === "client";
  }

  /** Ends everything: turns, sessions, what they have open on this side, and the agent. */
  close(): Promise<CloseReason> {
    if (this.#state === "open") this.#state = "closing";
    for (const session of this.#sessions.values()) {
      if (session.hasTurn) void this.notify(AGENT_METHODS.cancel, { sessionId: session.id });
    }
    this.#endSessions(new ConnectionError({ kind: "closed" }), "end");
    void this.#peer.close();
    return this.closed;
  }

  #startLimit(
    limit: HostCallOptions["limit"],
    expire: (kind: TimeoutKind, ms: number) => void,
  ): Deadline | undefined {
    if (limit === "none") return undefined;
    const { kind, ms, left = ms } = limit ?? { kind: "requestMs", ms: this.timeouts.requestMs };
    return this.#callLimits.start(left, () => expire(kind, ms));
  }

  /** Gives everything about a session to it from now on. Throws SessionError if it is open already. */
  register(session: SessionImpl): void {
    if (this.#sessions.has(session.id)) throw new SessionError("session_open", session.id);
    this.#sessions.set(session.id, session);
  }

  /** Done before the agent learns the roots: it could replace one while it opens the session. */
  async pin({ workspace }: SessionAccess, signal: AbortSignal | undefined): Promise<void> {
    try {
      await workspace.pin(signal ? [signal] : []);
    } catch (error) {
      if (error instanceof InvalidArgumentError) throw error;
      log(this.logger, "warn", "could not inspect the roots of a session", { error });
    }
  }

  #notification(method: string, params: unknown, size: number): void {
    if (method === CLIENT_METHODS.update) return this.#update(params, size);
    if (this.gate.notification(method, params)) return;
    if (this.unstable && method === UNSTABLE_METHODS.authStatusUpdate) {
      return this.#noteAuthStatus(readAuthStatus(method, params));
    }
    if (this.#extensions.notification(method, params, this.#named(params), size)) return;
    log(this.logger, "debug", "received an unknown notification", { method });
  }

  #noteAuthStatus(status: AuthStatus): void {
    this.authStatus = status;
    callSafely(() => this.#onAuthStatus?.(status));
  }

  #named(params: unknown): SessionImpl | undefined {
    const id = isJsonObject(params) ? params["sessionId"] : undefined;
    return typeof id === "string" ? this.#sessions.get(id) : undefined;
  }

  #update(params: unknown, size: number): void {
    if (!isJsonObject(params)) return;
    const id = params["sessionId"];
    if (typeof id !== "string") return;
    const last = this.#lastUpdated;
    const session = last?.id === id && !last.ended ? last : this.#sessions.get(id);
    this.#lastUpdated = session;
    const meta = params["_meta"] === undefined ? undefined : metaOf(params);
    if (session) session.receive(params["update"], size, meta);
    else if (this.#opening > 0) this.#strays.keep(id, params["update"], size, meta);
    else log(this.logger, "debug", "ignored an update for an unknown session", { sessionId: id });
  }

  /** Calls the gate synchronously where possible, so that it sees requests in wire order. */
  #request(method: string, params: unknown, context: RequestContext): Promise<unknown> {
    if (this.unstable && method === UNSTABLE_METHODS.mcpMessage) {
      return this.mcp.request(params, context);
    }
    const id = isJsonObject(params) ? params["sessionId"] : undefined;
    if (typeof id !== "string") return this.#serve(method, params, context, undefined);
    const session = this.#sessions.get(id);
    if (session || this.#opening === 0) return this.#serve(method, params, context, session);
    return this.#sessionOrNone(id).then((opened) => this.#serve(method, params, context, opened));
  }

  /** An agent may send a request for a new session before it has answered with the session's id. */
  async #sessionOrNone(id: string): Promise<SessionImpl | undefined> {
    while (!this.#sessions.has(id) && this.#opening > 0) {
      await new Promise<void>((resolve) => this.#waitingForSession.push(resolve));
    }
    return this.#sessions.get(id);
  }

  #wakeWaiting(): void {
    for (const resolve of this.#waitingForSession.splice(0)) resolve();
  }

  async #serve(
    method: string,
    params: unknown,
    context: RequestContext,
    session: SessionImpl | undefined,
  ): Promise<unknown> {
    const asksUser = method === CLIENT_METHODS.createElicitation;
    session?.serving(true);
    if (asksUser) this.pauseCallLimits(true);
    try {
      if (this.#extensions.answers(method)) {
        return await this.#extensions.request(method, params, context, session);
      }
      return await this.gate.request(method, params, context, (id) => this.#sessions.get(id));
    } finally {
      if (asksUser) this.pauseCallLimits(false);
      session?.serving(false);
    }
  }

  #endSessions(error: Error, streams: "throw" | "end"): void {
    this.#callLimits.stopAll();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    this.subagents.clear();
    this.mcp.close();
    for (const session of sessions) session.end(error, streams);
    void this.#closeGate().then(() => {
      for (const session of sessions) session.finish();
    });
  }

  #closeGate(): Promise<void> {
    this.#gateClosed ??= this.gate.close().catch((error: unknown) => {
      log(this.logger, "error", "could not end what the agent had open", { error });
    });
    return this.#gateClosed;
  }
}

function requestOptions({ signal, meta, onMeta }: RequestOptions): RequestOptions {
  return { signal, meta, onMeta };
}

function rootsOf({ cwd, additionalDirectories = [] }: SetupParams): SessionRoots {
  return [cwd, ...additionalDirectories];
}

/** The error that a call rejects with: a time limit and a missing sign-in have errors of their own. */
function toCallError(error: unknown, authMethods: readonly AuthMethod[]): unknown {
  if (error instanceof CallCancelledError && error.cause instanceof TimeoutError) {
    return error.cause;
  }
  if (error instanceof RemoteError && error.rpcCode === ERROR_CODES.authRequired) {
    return new AuthRequiredError(error, authMethods);
  }
  return error;
}

interface Stray {
  readonly sessionId: string;
  readonly raw: unknown;
  readonly size: number;
  readonly meta: Meta | undefined;
}

/** Updates that arrived before the answer with their session's id. Keeps the newest, within the limits. */
class StrayUpdates {
  readonly #limits: BufferLimits;
  #kept: Stray[] = [];
  #bytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  keep(sessionId: string, raw: unknown, size: number, meta: Meta | undefined): void {
    this.#kept.push({ sessionId, raw, size, meta });
    this.#bytes += size;
    while (this.#kept.length > this.#limits.updates || this.#bytes > this.#limits.bytes) {
      this.#bytes -= this.#kept.shift()?.size ?? 0;
    }
  }

  deliver(session: SessionImpl): void {
    const kept = this.#kept;
    this.clear();
    for (const stray of kept) {
      const { sessionId, raw, size, meta } = stray;
      if (sessionId === session.id) session.receive(raw, size, meta);
      else this.keep(sessionId, raw, size, meta);
    }
  }

  clear(): void {
    this.#kept = [];
    this.#bytes = 0;
  }
}

/** Waits until nothing has arrived for a number of milliseconds. */
class Silence {
  readonly #ms: number;
  #timer: RestartableTimer | undefined;
  #finish: () => void = () => {};

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Restarts the wait, because something arrived. */
  restart(): void {
    this.#timer?.restart();
  }

  /** Resolves after a full silence, counted from this call or the last restart. Rejects when aborted. */
  async elapsed(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const finish = (): void => this.#finish();
    signal?.addEventListener("abort", finish, { once: true });
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#timer = new RestartableTimer(this.#ms, resolve);
    });
    this.#timer?.stop();
    signal?.removeEventListener("abort", finish);
    signal?.throwIfAborted();
  }
}
