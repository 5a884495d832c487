import {
  AGENT_METHODS,
  agentCapabilityFor,
  agentHas,
  ERROR_CODES,
  ProtocolViolation,
  readEmptyResult,
  readListResult,
  type SessionInfo,
  UNSTABLE_METHODS,
} from "../acp/index.ts";
import { type CallOptions, RemoteError } from "../rpc/index.ts";
import type { CloseReason } from "../wire/index.ts";
import { authMethod, isTerminalMethod, loginCommand, runInTerminal } from "./auth.ts";
import type { AcpClientConfig } from "./config.ts";
import type { AgentConnection } from "./connection/connection.ts";
import { CapabilityError, InvalidArgumentError, LoginError, SessionError } from "./errors.ts";
import { createGate } from "./gate/gate.ts";
import { redactingLogger } from "./connection/redacting-logger.ts";
import type { HostCallOptions } from "./session/session-host.ts";
import {
  toSetupParams,
  type LoadSessionOptions,
  type SessionOptions,
  type StoredSessionOptions,
} from "./session/session-options.ts";
import type { Session } from "./session/session.ts";
import { startAgent, type AgentDescription } from "./start.ts";

export interface ListSessionsOptions extends CallOptions {
  /** Absolute. Only sessions of this folder. */
  readonly cwd?: string;
}

/**
 * A running agent that has been initialised.
 *
 * Every method that calls the agent may reject with RemoteError (it answered with an error),
 * AuthRequiredError (it wants a login first), TimeoutError, ProtocolViolation (its answer is malformed)
 * or ConnectionError (it is gone: exit code, signal and last words are in `reason`). What the agent
 * did not advertise is refused with CapabilityError before anything is sent.
 */
export class AcpClient {
  /** Resolves (never rejects) when the agent is gone, with how that came about. */
  readonly closed: Promise<CloseReason>;
  /** What the agent said of itself. */
  readonly agent: AgentDescription;
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
    this.closed = connection.closed;
  }

  /**
   * Starts an agent and initialises it. Rejects with StartError, whose cause says why and which leaves
   * nothing running, or with InvalidArgumentError if the configuration cannot be right.
   */
  static async start(config: AcpClientConfig): Promise<AcpClient> {
    const { logger, ...rest } = config;
    const quiet = logger ? { ...rest, logger: redactingLogger(logger) } : rest;
    const { connection, agent } = await startAgent(quiet, createGate(quiet));
    return new AcpClient(config, connection, agent);
  }

  /** The open sessions. */
  get sessions(): readonly Session[] {
    return this.#connection.sessions;
  }

  /** The open session of this id. Throws SessionError if there is none. */
  session(id: string): Session {
    return this.#connection.session(id);
  }

  /**
   * Signs in by a method the agent offers; there is no time limit, since a person may be involved.
   * Rejects with InvalidArgumentError for a method it does not offer, or one that is a command to run
   * in a terminal: see {@link AcpClient.terminalLogin}.
   */
  async authenticate(methodId: string, options: CallOptions = {}): Promise<void> {
    const method = authMethod(this.agent.authMethods, methodId);
    if (isTerminalMethod(method)) {
      throw new InvalidArgumentError(`the login "${methodId}" runs in a terminal`);
    }
    await this.#call(AGENT_METHODS.authenticate, { methodId }, { ...options, limit: "none" });
  }

  /** Signs out. */
  async logout(options: CallOptions = {}): Promise<void> {
    this.#assertAdvertised(AGENT_METHODS.logout);
    await this.#call(AGENT_METHODS.logout, {}, options);
  }

  /**
   * Signs in by a method that is a command: runs the agent's own command with the method's arguments in
   * this terminal (or as the configuration says), and starts the agent anew. Resolves with the new
   * client; this one is closed then. Rejects with LoginError when the command fails, and this client
   * stays as it was; with InvalidArgumentError when there is no such method or no command.
   */
  async terminalLogin(methodId: string): Promise<AcpClient> {
    const method = authMethod(this.agent.authMethods, methodId);
    const config = this.#config;
    if (!isTerminalMethod(method)) {
      throw new InvalidArgumentError(`the login "${methodId}" is no terminal login`);
    }
    if (config.command === undefined) {
      throw new InvalidArgumentError("a terminal login needs the agent's command");
    }
    const run = typeof config.terminalLogin === "function" ? config.terminalLogin : runInTerminal;
    const exit = await run(loginCommand(config, method));
    if (exit.code !== 0) throw new LoginError(methodId, exit);
    await this.close();
    return AcpClient.start(config);
  }

  /** Begins a session. */
  async newSession(options: SessionOptions): Promise<Session> {
    return this.#open(AGENT_METHODS.newSession, options);
  }

  /**
   * Opens a session the agent has kept. Its conversation is replayed first: to `onReplay`, and into the
   * session's own stream and state; then the session is handed out.
   */
  async loadSession(options: LoadSessionOptions): Promise<Session> {
    return this.#reopen(AGENT_METHODS.loadSession, options);
  }

  /** Opens a session the agent has kept, without replaying its conversation. */
  async resumeSession(options: StoredSessionOptions): Promise<Session> {
    return this.#reopen(AGENT_METHODS.resumeSession, options);
  }

  /** Begins a session with a copy of another's conversation. Not part of the stable protocol. */
  async forkSession(options: StoredSessionOptions): Promise<Session> {
    return this.#open(UNSTABLE_METHODS.forkSession, options, { sessionId: options.sessionId });
  }

  /**
   * The sessions the agent has kept, fetched page by page as the loop goes on. Throws CapabilityError
   * at once; the loop throws as calls reject.
   */
  listSessions(options: ListSessionsOptions = {}): AsyncIterableIterator<SessionInfo, undefined> {
    this.#assertAdvertised(AGENT_METHODS.listSessions);
    return this.#pages(options);
  }

  /** Deletes a session the agent has kept. One that it does not know is as good as deleted. */
  async deleteSession(sessionId: string, options: CallOptions = {}): Promise<void> {
    this.#assertAdvertised(AGENT_METHODS.deleteSession);
    try {
      await this.#call(AGENT_METHODS.deleteSession, { sessionId }, options);
    } catch (error) {
      if (!(error instanceof RemoteError) || error.code !== ERROR_CODES.resourceNotFound)
        throw error;
    }
    const open = this.#connection.sessions.find(({ id }) => id === sessionId);
    if (!open) return;
    open.end(new SessionError("session_closed", sessionId), "end");
    await this.#connection.forget(open);
  }

  /**
   * Ends the agent and everything on this side that belongs to it: turns, sessions, terminals.
   * Resolves when nothing is left, with how the agent ended. It can be called again at any time.
   */
  close(): Promise<CloseReason> {
    return this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(method: string, options: SessionOptions, more: object = {}): Promise<Session> {
    this.#assertAdvertised(method);
    const params = toSetupParams(method, options, this.#connection.capabilities);
    return this.#connection.open(method, { ...more, ...params }, options.signal);
  }

  #reopen(method: string, options: LoadSessionOptions): Promise<Session> {
    this.#assertAdvertised(method);
    const params = toSetupParams(method, options, this.#connection.capabilities);
    return this.#connection.reopen(method, params, options);
  }

  async *#pages(options: ListSessionsOptions): AsyncGenerator<SessionInfo, undefined> {
    const method = AGENT_METHODS.listSessions;
    const folder = options.cwd === undefined ? {} : { cwd: options.cwd };
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? folder : { ...folder, cursor };
      const page = await this.#connection.call(method, params, readListResult, options);
      yield* page.sessions;
      cursor = page.nextCursor;
      if (cursor === undefined) return undefined;
      // An agent that repeats a cursor would be asked for ever.
      if (seen.has(cursor)) {
        throw new ProtocolViolation(method, "nextCursor", "a cursor not given before", cursor);
      }
      seen.add(cursor);
    } while (true);
  }

  async #call(method: string, params: unknown, options: HostCallOptions): Promise<void> {
    await this.#connection.call(
      method,
      params,
      (result) => readEmptyResult(method, result),
      options,
    );
  }

  #assertAdvertised(method: string): void {
    const capability = agentCapabilityFor(method);
    if (capability === undefined || agentHas(this.#connection.capabilities, capability)) return;
    throw new CapabilityError(method, capability);
  }
}
