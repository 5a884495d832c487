import {
  type AcpClient,
  type Session,
  type SessionOptions,
  AuthRequiredError,
} from "../../index.ts";
import { RemoteError } from "../../../transport/rpc/index.ts";
import { quiet, unlessAborted } from "../../../base/index.ts";
import { AcpProviderError } from "../errors.ts";
import type { AcpPartMetadata } from "../options.ts";

/** The facts that the provider remembers about a session. */
export interface KnownSession {
  readonly id: string;
  /** Whether the provider opened the session, and therefore closes it. */
  readonly own: boolean;
  /** The last turn of which the program has received a part. */
  turnId: string | undefined;
  /** The instructions that the agent has received. */
  system: string;
  /** How many calls use the session now. */
  calls: number;
}

/** A session that is ready for a prompt. */
export interface ReadySession {
  readonly session: Session;
  readonly known: KnownSession;
  /** Whether the agent already knows the conversation. */
  readonly continued: boolean;
}

export interface ModelSessionsOptions {
  readonly session: Omit<SessionOptions, "signal">;
  readonly auth: string | undefined;
  readonly maxSessions: number;
}

/** The sessions of a provider: which turn each has reached, and which stay open. */
export class ModelSessions {
  readonly #options: ModelSessionsOptions;
  /** The one that was used least recently comes first. */
  readonly #known = new Map<string, KnownSession>();
  readonly #reopening = new Map<string, Promise<Session>>();

  constructor(options: ModelSessionsOptions) {
    this.#options = options;
  }

  /**
   * The session that produced an answer, if nothing has happened in it since. Only then does the agent
   * know exactly the conversation up to that answer.
   */
  find(origin: AcpPartMetadata | undefined): KnownSession | undefined {
    const known = origin && this.#known.get(origin.sessionId);
    return known?.turnId === origin?.turnId ? known : undefined;
  }

  /** Starts a session. */
  async start(client: AcpClient, signal: AbortSignal | undefined): Promise<ReadySession> {
    const options = { ...this.#options.session, signal };
    const session = await this.#signedIn(client, signal, () => client.newSession(options));
    return this.#ready(session, { own: true, continued: false });
  }

  /**
   * Continues a session that a program named. Rejects with AcpProviderError if it is not open and the
   * agent cannot reopen it.
   */
  async named(
    client: AcpClient,
    sessionId: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadySession> {
    // While it is being reopened, the client knows the session, but the agent may not.
    const open = this.#reopening.has(sessionId) ? undefined : openSession(client, sessionId);
    if (open) return this.#ready(open, { own: false, continued: true });
    const method = reopenMethod(client);
    if (!method) {
      throw new AcpProviderError(
        "no_such_session",
        `the session "${sessionId}" is not open, and the agent can neither resume nor load sessions`,
      );
    }
    const session = await this.#reopen(client, method, sessionId, signal);
    return this.#ready(session, { own: true, continued: true });
  }

  /**
   * Continues a session that the provider knows. Resolves with undefined if it is gone and cannot be
   * reopened, for example because the agent was restarted.
   */
  async continued(
    client: AcpClient,
    known: KnownSession,
    signal: AbortSignal | undefined,
  ): Promise<ReadySession | undefined> {
    const method = reopenMethod(client);
    if (!openSession(client, known.id) && !method) return undefined;
    try {
      return await this.named(client, known.id, signal);
    } catch (error) {
      if (error instanceof RemoteError) return undefined;
      throw error;
    }
  }

  /** Ends a call. Closes the sessions that were used least recently if there are too many. */
  release(client: AcpClient, { known }: ReadySession): void {
    known.calls -= 1;
    const idle = [...this.#known.values()].filter(({ calls }) => calls === 0);
    const surplus = Math.max(0, idle.length - this.#options.maxSessions);
    for (const { id, own } of idle.slice(0, surplus)) {
      this.#known.delete(id);
      const session = own ? openSession(client, id) : undefined;
      if (session) void quiet(session.close());
    }
  }

  /** Closes the sessions that the provider opened. Never rejects. */
  async close(client: AcpClient): Promise<void> {
    const own = [...this.#known.values()].filter((known) => known.own);
    this.#known.clear();
    const open = own.flatMap(({ id }) => openSession(client, id) ?? []);
    await Promise.allSettled(open.map((session) => session.close()));
  }

  #ready(session: Session, { own, continued }: { own: boolean; continued: boolean }): ReadySession {
    const known = this.#known.get(session.id) ?? {
      id: session.id,
      own,
      turnId: undefined,
      system: "",
      calls: 0,
    };
    this.#known.delete(session.id);
    this.#known.set(session.id, known);
    known.calls += 1;
    return { session, known, continued };
  }

  /** Calls share one reopening, because a session can be opened only once. */
  async #reopen(
    client: AcpClient,
    method: "resumeSession" | "loadSession",
    sessionId: string,
    signal: AbortSignal | undefined,
  ): Promise<Session> {
    let reopening = this.#reopening.get(sessionId);
    if (!reopening) {
      const options = { ...this.#options.session, sessionId };
      reopening = quiet(this.#signedIn(client, undefined, () => client[method](options)));
      this.#reopening.set(sessionId, reopening);
      const forget = (): boolean => this.#reopening.delete(sessionId);
      reopening.then(forget, forget);
    }
    return signal ? unlessAborted(reopening, signal) : reopening;
  }

  /** Signs in if the agent requires it and the program named a login. */
  async #signedIn<T>(
    client: AcpClient,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const { auth } = this.#options;
    try {
      return await work();
    } catch (error) {
      if (auth === undefined || !(error instanceof AuthRequiredError)) throw error;
      await client.authenticate(auth, { signal });
      return work();
    }
  }
}

function openSession(client: AcpClient, id: string): Session | undefined {
  return client.sessions.find((session) => session.id === id);
}

/** How the agent reopens sessions. Resuming is better, because nothing is sent twice. */
function reopenMethod({ agent }: AcpClient): "resumeSession" | "loadSession" | undefined {
  const { sessionCapabilities, loadSession } = agent.capabilities;
  if (sessionCapabilities?.resume) return "resumeSession";
  return loadSession === true ? "loadSession" : undefined;
}
