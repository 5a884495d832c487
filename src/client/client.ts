import {
  AGENT_METHODS,
  agentCapabilityFor,
  type AuthStatus,
  ERROR_CODES,
  type ExtensionMethod,
  type ParsedCallOptions,
  readEmptyResult,
  type RequestOptions,
  type SessionStatus,
  UNSTABLE_METHODS,
} from "../protocol/acp/index.ts";
import { CallCancelledError, type CallOptions, RemoteError } from "../transport/rpc/index.ts";
import { quiet, quietly, unlessAborted } from "../base/index.ts";
import type { CloseReason, LifecycleState } from "../transport/wire/index.ts";
import {
  type AttachedSession,
  type AttachOptions,
  attachSession,
  type SharedSessionInfo,
  sharedSessions,
} from "./attach/attach.ts";
import { authMethod, isTerminalMethod, loginCommand, terminalMethod } from "./auth.ts";
import { assertOptions } from "./assert-options.ts";
import { type AcpClientConfig, gateOptionsFor, START_OPTIONS } from "./config.ts";
import type { AgentConnection } from "./connection/connection.ts";
import { assertExtension } from "./connection/extensions.ts";
import { InvalidArgumentError, LoginError, SessionError } from "./errors.ts";
import { AgentGate } from "./gate/gate.ts";
import { runInTerminal } from "./platform.ts";
import { type AgentDescription, startAgent } from "./start.ts";
import { redactingLogger } from "./connection/redacting-logger.ts";
import type { HostCallOptions } from "./session/session-host.ts";
import {
  LOAD_OPTIONS,
  type LoadSessionOptions,
  SESSION_OPTIONS,
  type SessionOptions,
  type SetupParams,
  type StoredSessionOptions,
} from "./session/session-options.ts";
import type { SessionImpl } from "./session/session-impl.ts";
import {
  agentProviders,
  type AgentProviders,
  assertCapability,
  authStatus,
  type ListSessionsOptions,
  moveSession,
  listSessions,
  type SessionList,
  sessionStatus,
  setSessionTitle,
} from "./calls.ts";
import type { Session } from "./session/session.ts";
import { openSession } from "./session/open-session.ts";

/**
 * A running, initialized agent.
 *
 * Every method that calls the agent may reject with RemoteError (it answered with an error),
 * AuthRequiredError (it needs a login first), TimeoutError, ProtocolViolation (its answer is malformed)
 * or ConnectionError (the connection is gone; `reason` has the exit code, the signal and the end of
 * stderr). A method the agent does not advertise fails with CapabilityError before anything is sent.
 * A promise that nothing awaits is never reported as an unhandled rejection.
 */
export class AcpClient {
  /**
   * Resolves (never rejects) with the reason when the connection to the agent has closed and nothing
   * that belongs to the agent is left. Turns fail before that: check `state` to know whether this
   * client can still be used.
   */
  readonly closed: Promise<CloseReason>;
  /** How the agent described itself in `initialize`. */
  readonly agent: AgentDescription;
  /** The model providers of the agent. Needs `unstable: true`. */
  readonly providers: AgentProviders;
  readonly #config: AcpClientConfig;
  readonly #connection: AgentConnection;

  private constructor(
    config: AcpClientConfig,
    connection: AgentConnection,
    agent: AgentDescription,
  ) {
    this.#config = config;
    this.#connection = connection;
    this.agent = agent;
    this.providers = agentProviders(connection);
    this.closed = connection.closed;
  }

  /**
   * Starts an agent and initializes it. Rejects with StartError, whose cause is the reason (nothing is
   * left running then), or with InvalidArgumentError if the configuration is invalid or has an unknown
   * option. If the signal is aborted first, the cause is a CallCancelledError.
   */
  static start(config: AcpClientConfig, options: CallOptions = {}): Promise<AcpClient> {
    return quietly(async () => {
      assertOptions(config, START_OPTIONS, "AcpClient.start");
      const { logger, ...rest } = config;
      const redacted = logger ? { ...rest, logger: redactingLogger(logger) } : rest;
      const { connection, agent } = await startAgent(
        redacted,
        new AgentGate(gateOptionsFor(redacted)),
        options,
      );
      return new AcpClient(config, connection, agent);
    });
  }

  /** `open` until `close` is called or the connection ends. */
  get state(): LifecycleState {
    return this.#connection.state;
  }

  /** The open sessions. */
  get sessions(): readonly Session[] {
    return this.#connection.sessions;
  }

  /** The open session with this id. Throws SessionError if there is none. */
  session(id: string): Session {
    return this.#connection.session(id);
  }

  /**
   * Signs in with a method the agent offers. There is no time limit, since the user may be involved.
   * Rejects with InvalidArgumentError for a method the agent does not offer, and for one that runs in a
   * terminal: use {@link AcpClient.terminalLogin} for that.
   */
  authenticate(methodId: string, options: RequestOptions = {}): Promise<void> {
    return quietly(async () => {
      const method = authMethod(this.agent.authMethods, methodId);
      if (isTerminalMethod(method)) {
        throw new InvalidArgumentError(
          `the login "${methodId}" runs in a terminal; use terminalLogin`,
        );
      }
      await this.#call(AGENT_METHODS.authenticate, { methodId }, { ...options, limit: "none" });
    });
  }

  /**
   * The last sign-in state that the agent reported, in its answer to `authStatus` or by itself.
   * Undefined before the first, and without `unstable: true`.
   */
  get lastAuthStatus(): AuthStatus | undefined {
    return this.#connection.authStatus;
  }

  /** Asks whether the agent is signed in. Needs `unstable: true` and the capability `auth.status`. */
  authStatus(options: RequestOptions = {}): Promise<AuthStatus> {
    const accepted = (status: AuthStatus): void => {
      this.#connection.authStatus = status;
    };
    return quietly(() => authStatus(this.#connection, accepted, options));
  }

  /** Signs out. */
  logout(options: RequestOptions = {}): Promise<void> {
    return quietly(async () => {
      this.#assertAdvertised(AGENT_METHODS.logout);
      await this.#call(AGENT_METHODS.logout, {}, options);
    });
  }

  /**
   * Signs in with a method that is a command: runs the agent's own command with the method's arguments
   * in this terminal (or with the `terminalLogin` function from the configuration), then restarts the
   * agent. Resolves with the new client, and closes this one. Rejects with LoginError if the command
   * fails; this client stays usable then. Rejects with InvalidArgumentError if the agent offers no such
   * method or was not started from a command, and with CallCancelledError if the signal is aborted
   * before the command has ended: it is killed then.
   */
  terminalLogin(methodId: string, options: CallOptions = {}): Promise<AcpClient> {
    return quietly(async () => {
      const method = terminalMethod(this.agent.authMethods, methodId);
      const config = this.#config;
      if (config.command === undefined) {
        throw new InvalidArgumentError(
          "a terminal login needs an agent that was started from a command",
        );
      }
      const run = typeof config.terminalLogin === "function" ? config.terminalLogin : runInTerminal;
      const { signal } = options;
      const cancelled = (): Error => new CallCancelledError("terminal login", signal?.reason);
      if (signal?.aborted) throw cancelled();
      const exit = await run(loginCommand(config, method), { signal });
      if (signal?.aborted) throw cancelled();
      if (exit.code !== 0) throw new LoginError(methodId, exit);
      await this.close();
      return AcpClient.start(config, options);
    });
  }

  /** Starts a session. */
  newSession(options: SessionOptions): Promise<Session> {
    return quietly(async () => {
      assertOptions(options, SESSION_OPTIONS, "newSession");
      return this.#open(AGENT_METHODS.newSession, options);
    });
  }

  /**
   * Opens a session that the agent has stored. The agent first replays the conversation, to `onReplay`
   * and into the session's own stream and state. Then the call resolves with the session.
   */
  loadSession(options: LoadSessionOptions): Promise<Session> {
    return quietly(async () => {
      assertOptions(options, LOAD_OPTIONS, "loadSession");
      return this.#reopen(AGENT_METHODS.loadSession, options);
    });
  }

  /** Opens a session that the agent has stored, without replaying its conversation. */
  resumeSession(options: StoredSessionOptions): Promise<Session> {
    return quietly(async () => {
      assertOptions(options, LOAD_OPTIONS, "resumeSession");
      return this.#reopen(AGENT_METHODS.resumeSession, options);
    });
  }

  /** Starts a session with a copy of another session's conversation. Not in the stable protocol. */
  forkSession(options: StoredSessionOptions): Promise<Session> {
    return quietly(async () => {
      assertOptions(options, LOAD_OPTIONS, "forkSession");
      const { sessionId } = options;
      return this.#open(UNSTABLE_METHODS.forkSession, options, { sessionId });
    });
  }

  /**
   * Lists the sessions that the agent has stored, fetching a page at a time as the loop needs it. The loop
   * throws CapabilityError and the errors that calls reject with.
   */
  listSessions(options: ListSessionsOptions = {}): SessionList {
    return listSessions(this.#connection, options);
  }

  /** Deletes a stored session. A session that the agent does not know counts as deleted. */
  deleteSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    return quietly(async () => {
      this.#assertAdvertised(AGENT_METHODS.deleteSession);
      try {
        await this.#call(AGENT_METHODS.deleteSession, { sessionId }, options);
      } catch (error) {
        if (!(error instanceof RemoteError) || error.rpcCode !== ERROR_CODES.resourceNotFound)
          throw error;
      }
      await this.#endOpen(sessionId);
    });
  }

  /**
   * Hides a stored session from the default list, and closes it if it is open. Needs `unstable: true`
   * and `sessionCapabilities.archive`.
   */
  archiveSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    return quietly(async () => {
      await moveSession(this.#connection, UNSTABLE_METHODS.archiveSession, sessionId, options);
      await this.#endOpen(sessionId);
    });
  }

  /** Returns an archived session to the default list, without opening it. Needs the same. */
  unarchiveSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    return quietly(() =>
      moveSession(this.#connection, UNSTABLE_METHODS.unarchiveSession, sessionId, options),
    );
  }

  /**
   * Sets the title of a session, open or stored, and resolves with the title that the agent stored.
   * Needs `unstable: true` and `sessionCapabilities.title`. Rejects with InvalidArgumentError for an
   * empty title.
   */
  setSessionTitle(sessionId: string, title: string, options: RequestOptions = {}): Promise<string> {
    const open = this.#openSession(sessionId);
    if (open) return open.setTitle(title, options);
    return quietly(() => setSessionTitle(this.#connection, sessionId, title, () => {}, options));
  }

  /**
   * Asks whether the agent has a session in memory or only stored. Needs `unstable: true` and
   * `sessionCapabilities.status`. Rejects with RemoteError (-32002) if the agent does not know it.
   */
  sessionStatus(sessionId: string, options: RequestOptions = {}): Promise<SessionStatus> {
    return quietly(() => sessionStatus(this.#connection, sessionId, options));
  }

  /** The sessions that can be attached to. Rejects with CapabilityError unless the other side is a hub. */
  sharedSessions(options: RequestOptions = {}): Promise<readonly SharedSessionInfo[]> {
    return quietly(() => sharedSessions(this.#connection, this.agent, options));
  }

  /**
   * Joins a session that another client opened on a hub, and replays its conversation. Rejects with
   * CapabilityError (it is not a hub), SessionError (no such session) or UnsupportedVersionError.
   */
  attach(sessionId: string, options: AttachOptions = {}): Promise<AttachedSession> {
    return quietly(() => attachSession(this.#connection, this.agent, sessionId, options));
  }

  /**
   * Calls an extension method of the agent. `parse` turns its answer into a typed value. Rejects with
   * InvalidArgumentError for a name without a leading underscore, and otherwise like any call.
   */
  call<T>(method: ExtensionMethod, params: unknown, options: ParsedCallOptions<T>): Promise<T>;
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  call(
    method: ExtensionMethod,
    params?: unknown,
    options: Partial<ParsedCallOptions<unknown>> = {},
  ): Promise<unknown> {
    const { parse = (result) => result, signal } = options;
    return quietly(async () => {
      assertExtension(method);
      return this.#connection.call(method, params, parse, { signal });
    });
  }

  /**
   * Sends an extension notification to the agent. Resolves when the agent can take more. Rejects with
   * InvalidArgumentError for a name without a leading underscore, with ConnectionError, and with
   * CallCancelledError if the signal is aborted first; a notification that was sent stays sent.
   */
  notify(method: ExtensionMethod, params?: unknown, { signal }: CallOptions = {}): Promise<void> {
    return quietly(async () => {
      assertExtension(method);
      if (!signal) return this.#connection.notify(method, params);
      const cancelled = (): Error => new CallCancelledError(method, signal.reason);
      if (signal.aborted) throw cancelled();
      await unlessAborted(this.#connection.notify(method, params), signal, cancelled);
    });
  }

  /**
   * Ends the agent and everything on this side that belongs to it: turns, sessions, terminals.
   * Resolves with the close reason once nothing is left. Calling it again is safe. Rejects with
   * CallCancelledError if the signal is aborted first; it stops the waiting, not the closing.
   */
  close({ signal }: CallOptions = {}): Promise<CloseReason> {
    const closed = this.#connection.close();
    if (!signal) return closed;
    return quiet(
      unlessAborted(closed, signal, () => new CallCancelledError("close", signal.reason)),
    );
  }

  /** Calls {@link AcpClient.close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(method: string, options: SessionOptions, more: object = {}): Promise<Session> {
    return this.#withServers(method, options, (params) =>
      this.#connection.open(method, { ...more, ...params }, options),
    );
  }

  #reopen(method: string, options: LoadSessionOptions): Promise<Session> {
    return this.#withServers(method, options, (params) =>
      this.#connection.reopen(method, params, options),
    );
  }

  #withServers(
    method: string,
    options: SessionOptions,
    open: (params: SetupParams) => Promise<SessionImpl>,
  ): Promise<Session> {
    this.#assertAdvertised(method);
    return openSession(method, options, this.#connection, this.#config, open);
  }

  #openSession(sessionId: string): SessionImpl | undefined {
    return this.#connection.sessions.find(({ id }) => id === sessionId);
  }

  /** Ends a session on this side that the agent has ended. */
  async #endOpen(sessionId: string): Promise<void> {
    const open = this.#openSession(sessionId);
    if (!open) return;
    open.end(new SessionError("closed", sessionId), "end");
    await this.#connection.forget(open);
  }

  async #call(method: string, params: object, options: HostCallOptions): Promise<void> {
    await this.#connection.call(
      method,
      params,
      (result) => readEmptyResult(method, result),
      options,
    );
  }

  #assertAdvertised(method: string): void {
    const capability = agentCapabilityFor(method);
    if (capability !== undefined) assertCapability(this.#connection, method, capability);
  }
}
