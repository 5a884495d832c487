import { CLIENT_METHODS } from "../../../protocol/acp/index.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import {
  deferred,
  immediately,
  isJsonObject,
  isThenable,
  type JsonObject,
  quiet,
  RestartableTimer,
  toError,
  asObject,
} from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";
import { agentEnded, cannotStart, hubErrorObject, unknownSession } from "../errors.ts";
import type { AgentEndCause, HubEvent } from "../events.ts";
import { readCancel, resultInLine } from "../json/rpc-lines.ts";
import type { HubAgent, HubAgentInfo, HubLimits, UnjudgedRequest } from "../options.ts";
import { reopenMethod } from "../session/reopen.ts";
import type { OpenedSession, SessionAgent, HubSession } from "../session/session.ts";
import {
  AgentLink,
  AgentEndedError,
  type AgentNotification,
  type AgentRequestMessage,
  replyError,
} from "./link.ts";
import type { ServedClient } from "../client/served-client.ts";
import type { DeniedRequest } from "../json/relayed-message.ts";
import type { Span } from "../json/json-text.ts";
import { misspelledKey } from "../json/ambiguous-keys.ts";

/** An agent with its sessions and clients. Its process may end and be restarted. */
export class HostedAgent implements SessionAgent {
  readonly name: string;
  readonly owner: string;
  readonly limits: HubLimits;
  readonly sessions = new Map<string, HubSession>();
  readonly clients = new Set<ServedClient>();
  /** The requests that will open sessions, oldest first. */
  readonly opening = new Set<PendingOpen>();
  readonly #agent: HubAgent;
  readonly #host: AgentHost;
  readonly #initialize: InitializeLine;
  readonly #restarts: Restarts;
  readonly #closing = deferred();
  #answer: { readonly line: string; readonly result: JsonObject } | undefined;
  /** The running process; undefined if there is none. */
  current: AgentLink | undefined;
  #starting: Promise<AgentLink> | undefined;
  /** A process that has not answered `initialize` yet. */
  #uninitialized: AgentLink | undefined;
  #starts = 0;
  #isClosed = false;
  #hasFailed = false;
  #idle: RestartableTimer | undefined;

  constructor(agent: HubAgent, owner: string, initialize: InitializeLine, host: AgentHost) {
    this.name = agent.name;
    this.owner = owner;
    this.limits = host.limits;
    this.#agent = agent;
    this.#host = host;
    this.#initialize = initialize;
    this.#restarts = new Restarts(host.limits);
  }

  get info(): HubAgentInfo {
    const { name, owner, clients, sessions } = this;
    return {
      name,
      owner,
      state: this.#state,
      pid: this.current?.pid,
      starts: this.#starts,
      clients: clients.size,
      sessions: sessions.size,
    };
  }

  get isShared(): boolean {
    return this.clients.size > 1;
  }

  get version(): number {
    return hostedAgentProtocol(this.#answer?.result ?? {}).version;
  }

  get capabilities(): JsonObject {
    return hostedAgentProtocol(this.#answer?.result ?? {}).capabilities;
  }

  /** The line with which the agent answered `initialize`. Rejects with RpcError. */
  async initialized(): Promise<string> {
    if (!this.#answer) await this.ready();
    return this.#answer?.line ?? "";
  }

  ready(): AgentLink | Promise<AgentLink> {
    if (this.current) return this.current;
    this.#starting ??= quiet(
      this.#start().finally(() => {
        this.#starting = undefined;
      }),
    );
    return this.#starting;
  }

  end(cause: AgentEndCause): void {
    void this.current?.end(cause);
  }

  emit(event: HubEvent): void {
    this.#host.emit(event);
  }

  /** Opens a session that the agent has opened, or will have opened once it answers. */
  open(opened: OpenedSession, connection: AgentLink): HubSession {
    const session = this.sessions.get(opened.sessionId) ?? this.#host.session(opened, connection);
    this.sessions.set(opened.sessionId, session);
    return session;
  }

  forget(session: HubSession): void {
    if (this.sessions.get(session.id) !== session) return;
    this.sessions.delete(session.id);
    void quiet(session.close());
    const { name: agent, owner } = this;
    this.emit({ type: "session_closed", agent, owner, sessionId: session.id });
    this.usageChanged();
  }

  discard(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    const { sessionCapabilities } = this.capabilities;
    const canClose = isJsonObject(sessionCapabilities)
      ? sessionCapabilities["close"] !== undefined
      : this.version >= 2;
    if (canClose) void this.current?.call("session/close", { sessionId }).catch(() => {});
    if (session) this.forget(session);
  }

  /** Adds a client, which keeps the agent alive. */
  join(client: ServedClient): void {
    this.clients.add(client);
    this.usageChanged();
  }

  leave(client: ServedClient): void {
    this.clients.delete(client);
    this.usageChanged();
  }

  /** Starts or stops the time after which the idle agent is ended. */
  usageChanged(): void {
    this.#idle?.stop();
    this.#idle = undefined;
    if (this.#isClosed) return;
    const sessions = [...this.sessions.values()];
    for (const session of sessions) this.#watchSession(session);
    const isBusy = this.opening.size > 0 || sessions.some((session) => session.isBusy);
    if (isBusy || (this.#isUsed && !this.#mayRest())) return;
    const ms = this.#agent.idleMs ?? this.limits.idleMs;
    if (!Number.isFinite(ms)) return;
    this.#idle = new RestartableTimer(ms, () => this.rest());
    if (!this.#isUsed) this.#host.idle();
  }

  get isIdle(): boolean {
    return this.#idle !== undefined && this.current !== undefined && !this.#isUsed;
  }

  get #isUsed(): boolean {
    return this.clients.size > 0 || [...this.sessions.values()].some(({ isAlone }) => !isAlone);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle?.stop();
    this.#closing.resolve();
    await Promise.all([this.current?.end("closed"), this.#uninitialized?.end("closed")]);
    await this.#starting?.then((connection) => connection.end("closed")).catch(() => {});
    await Promise.all([...this.sessions.values()].map((session) => session.close()));
    this.sessions.clear();
  }

  get #state(): HubAgentInfo["state"] {
    if (this.current) return "running";
    if (this.#restarts.wait === undefined) return "failed";
    if (this.#starting) return this.#hasFailed ? "waiting" : "starting";
    return "resting";
  }

  #watchSession(session: HubSession): void {
    const ms = session.isAlone && !session.isBusy ? this.limits.sessionIdleMs : Infinity;
    session.whenUnused(ms, () => this.discard(session.id));
  }

  /** Whether the agent may be ended under its clients, because its sessions can be opened again. */
  #mayRest(): boolean {
    if (!this.limits.restWithClients) return false;
    const canReopen = reopenMethod(this.version, this.capabilities) !== undefined;
    return this.sessions.size === 0 || canReopen;
  }

  rest(): void {
    void this.current?.end("idle").then(() => {
      if (!this.#isUsed) this.#host.unused();
    });
  }

  async #start(): Promise<AgentLink> {
    const { wait } = this.#restarts;
    this.#hasFailed = wait !== 0;
    if (wait === undefined) throw this.#givenUp();
    if (wait > 0) await this.#pause(wait);
    if (this.#isClosed) throw cannotStart(this.name, new Error("the hub is closed"));
    const startedAt = Date.now();
    let connection: AgentLink;
    try {
      connection = this.#connect(await this.#agent.open());
    } catch (error) {
      this.#failed(toError(error));
      throw cannotStart(this.name, error);
    }
    this.#uninitialized = connection;
    try {
      if (this.#isClosed) throw cannotStart(this.name, new Error("the hub is closed"));
      await this.#handshake(connection);
    } catch (error) {
      await connection.end("closed");
      const failure =
        error instanceof AgentEndedError
          ? agentEnded(this.name, error.end, "initialize")
          : toError(error);
      this.#failed(failure);
      throw failure;
    } finally {
      this.#uninitialized = undefined;
    }
    this.current = connection;
    this.#starts++;
    const { name: agent, owner } = this;
    const { pid } = connection;
    const ms = Date.now() - startedAt;
    this.emit({ type: "agent_started", agent, owner, pid, starts: this.#starts, ms });
    return connection;
  }

  #connect(channel: Channel): AgentLink {
    const connection: AgentLink = new AgentLink(
      channel,
      {
        request: (message) => this.#request(message, connection),
        notification: (message) => this.#notification(message, connection),
        ambiguous: (message) => this.#refuse(message, connection),
        ended: (reason, cause) => this.#ended(connection, reason, cause),
      },
      this.limits,
    );
    return connection;
  }

  /** Clients were promised the capabilities of the first process, and cannot learn of fewer. */
  async #handshake(connection: AgentLink): Promise<void> {
    const { line, id, params } = this.#initialize;
    const answer = await connection.callWith(line, id, "initialize");
    const result = resultInLine(answer);
    // The rules read the requests of an agent as its version has them, and so must the client.
    const asked = this.#host.isJudging ? params["protocolVersion"] : undefined;
    const problem = answerProblem(result, asked, this.#answer?.result);
    if (problem !== undefined) throw cannotStart(this.name, new Error(problem));
    this.#answer ??= { line: answer, result };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      void this.#closing.promise.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #givenUp(): RpcError {
    const { maxFailures, failureWindowMs } = this.limits;
    const minutes = Math.round(failureWindowMs / 60_000);
    const why = `it failed ${maxFailures} times within ${minutes} minutes`;
    return cannotStart(this.name, new Error(why));
  }

  #failed(error: Error): void {
    this.#restarts.failed();
    const { name: agent, owner } = this;
    const retryMs = this.#restarts.wait;
    // Later, so that those who wait for the agent have their answers first.
    immediately(() => this.emit({ type: "agent_start_failed", agent, owner, error, retryMs }));
  }

  #ended(connection: AgentLink, reason: CloseReason, cause: AgentEndCause): void {
    if (this.current !== connection) return;
    this.current = undefined;
    const { name: agent, owner } = this;
    this.emit({ type: "agent_ended", agent, owner, cause, reason });
    if (cause !== "idle" && cause !== "closed") {
      this.#restarts.failed();
      const { wait } = this.#restarts;
      if (wait === undefined) {
        const error = this.#givenUp();
        this.emit({ type: "agent_start_failed", agent, owner, error, retryMs: undefined });
      }
    }
    const error = hubErrorObject(agentEnded(this.name, { reason, cause }, "session/prompt"));
    for (const session of this.sessions.values()) session.agentEnded({ ...error });
    this.usageChanged();
  }

  #request(message: AgentRequestMessage, connection: AgentLink): void {
    const session = this.#sessionOf(message.sessionId, connection);
    const unjudged = this.#host.isJudging ? unjudgedError(message, Boolean(session)) : undefined;
    if (unjudged) return this.#refuse({ ...message, error: unjudged }, connection);
    if (session) return session.request(message, connection);
    const [client] = this.clients;
    if (client) return client.agentRequest(message, connection);
    const error = new RpcError(RpcCode.internalError, "No client is connected");
    replyError(message, connection, error);
  }

  /** Answers an unjudgeable request, after auditing it. */
  #refuse(refused: DeniedRequest, connection: AgentLink): void {
    const reply = (): void => replyError(refused, connection, refused.error);
    const noted = this.#note(refused);
    if (isThenable(noted)) noted.then(reply, reply);
    else reply();
  }

  #note({ method, sessionId }: Pick<DeniedRequest, "method" | "sessionId">): void | Promise<void> {
    return this.#host.unjudged({ agent: this.name, owner: this.owner, method, sessionId });
  }

  #notification(message: AgentNotification, connection: AgentLink): void {
    if (message.method === "$/cancel_request") return this.#withdrawn(message, connection);
    const session = this.#sessionOf(message.sessionId, connection);
    if (this.#host.isJudging && isUnjudged(message, session !== undefined)) {
      if (message.method !== CLIENT_METHODS.update) void this.#note(message);
      return;
    }
    if (session) return session.notification(message, connection);
    for (const client of this.clients) {
      client.send(message.line);
      if (client.isFull) void client.drained.then(connection.pause());
    }
  }

  #withdrawn({ line }: AgentNotification, connection: AgentLink): void {
    const cancel = readCancel(line);
    if (!cancel) return;
    for (const session of this.sessions.values()) {
      if (session.withdraw(cancel, connection)) return;
    }
    for (const client of this.clients) client.agentWithdrew(cancel, connection);
  }

  /** An agent may write about a new session before it has answered the request that opens it. */
  #sessionOf(sessionId: string | undefined, connection: AgentLink): HubSession | undefined {
    if (sessionId === undefined) return undefined;
    const known = this.sessions.get(sessionId);
    if (known) return known;
    const [pending] = this.opening;
    if (!pending) return undefined;
    const { method, params, attach } = pending;
    const session = this.open({ sessionId, method, params }, connection);
    attach(session);
    return session;
  }
}

/** A request of a client that will open a session whose id is not known yet. */
export interface PendingOpen extends Omit<OpenedSession, "sessionId"> {
  readonly attach: (session: HubSession) => void;
}

/** The request with which a client initializes its agent. */
export interface InitializeLine {
  readonly line: string;
  readonly id: Span;
  readonly params: JsonObject;
}

export interface AgentHost {
  readonly limits: HubLimits;
  /** Whether sessions have policies, so that requests of no session are refused. */
  readonly isJudging: boolean;
  emit(event: HubEvent): void;
  /** Called with each request that is refused because no policy can judge it. */
  unjudged(request: UnjudgedRequest): void | Promise<void>;
  /** Creates the log and the policy of a session. */
  session(opened: OpenedSession, connection: AgentLink): HubSession;
  /** Called when the agent has neither a client nor a turn. */
  idle(): void;
  /** Called when the agent is not needed anymore. */
  unused(): void;
}

/** Decides when an agent that failed may be started again. */
export class Restarts {
  readonly #limits: HubLimits;
  readonly #now: () => number;
  /** When the agent failed, oldest first. */
  #failures: number[] = [];

  constructor(limits: HubLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  failed(): void {
    this.#failures.push(this.#now());
  }

  /** The time until the agent may be started, in milliseconds; undefined if it is given up for now. */
  get wait(): number | undefined {
    const { failureWindowMs, maxFailures, backoffMs, maxBackoffMs } = this.#limits;
    const now = this.#now();
    this.#failures = this.#failures.filter((at) => now - at < failureWindowMs);
    const count = this.#failures.length;
    if (count === 0) return 0;
    if (count >= maxFailures) return undefined;
    const pause = Math.min(backoffMs * 2 ** (count - 1), maxBackoffMs);
    return Math.max(0, (this.#failures.at(-1) ?? now) + pause - now);
  }
}

/** The methods that always belong to a session. Others, such as questions during a login, may not. */
const NEEDS_SESSION = /^(?:fs|session|terminal)\//;

/** Pure: the error for a request that no rule can judge; undefined if one can, or if it needs none. */
function unjudgedError(
  { method, params, sessionId }: Pick<AgentRequestMessage, "method" | "params" | "sessionId">,
  isSessionOpen: boolean,
): RpcError | undefined {
  const needsSession = NEEDS_SESSION.test(method);
  const misspelled = needsSession ? misspelledKey(params) : undefined;
  if (misspelled !== undefined) return invalid(misspelled, "is misspelled");
  // Its tool calls would not be seen.
  if (method === CLIENT_METHODS.update) return RpcError.methodNotFound(method);
  if (isSessionOpen) return undefined;
  if (sessionId !== undefined) return unknownSession(sessionId);
  const isGiven = (params["sessionId"] ?? null) !== null;
  return isGiven || needsSession
    ? invalid("sessionId", "must be the id of an open session")
    : undefined;
}

/** Pure: whether a notification evades the rules: work without an id, or a hidden tool call. */
function isUnjudged(
  { method, params }: Pick<AgentNotification, "method" | "params">,
  isSessionOpen: boolean,
): boolean {
  if (!NEEDS_SESSION.test(method)) return false;
  if (method !== CLIENT_METHODS.update || !isSessionOpen) return true;
  return params !== undefined && misspelledKey(params) !== undefined;
}

function invalid(field: string, problem: string): RpcError {
  return RpcError.invalidParams(`${field} ${problem}`, { field });
}

/** The version of the protocol and the capabilities in the result of `initialize`. */
export function hostedAgentProtocol(result: JsonObject): {
  readonly version: number;
  readonly capabilities: JsonObject;
} {
  const { protocolVersion } = result;
  const version = typeof protocolVersion === "number" ? protocolVersion : 1;
  return {
    version,
    capabilities: asObject(result[version >= 2 ? "capabilities" : "agentCapabilities"]),
  };
}

/** Pure: why a process with this answer to `initialize` cannot be used. `asked` is the highest version. */
function answerProblem(
  result: JsonObject,
  asked: unknown,
  before: JsonObject | undefined,
): string | undefined {
  const { version, capabilities } = hostedAgentProtocol(result);
  if (typeof asked === "number" && version > asked) {
    return `it answered with version ${version} of the protocol instead of ${asked}`;
  }
  if (!before) return undefined;
  const first = hostedAgentProtocol(before);
  if (version !== first.version) {
    return `it now speaks version ${version} of the protocol instead of ${first.version}`;
  }
  const missing = missingCapabilities(first.capabilities, capabilities);
  return missing.length > 0 ? `it no longer offers ${missing.join(", ")}` : undefined;
}

/** The capabilities that were announced before and are not there anymore, as paths. */
export function missingCapabilities(
  before: JsonObject,
  after: JsonObject,
  path = "",
): readonly string[] {
  return Object.entries(before).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    const now = after[key];
    if (key === "_meta" || value === false || value === null || value === undefined) return [];
    if (isJsonObject(value)) return isJsonObject(now) ? missingCapabilities(value, now, at) : [at];
    return now === undefined || now === null || now === false ? [at] : [];
  });
}
