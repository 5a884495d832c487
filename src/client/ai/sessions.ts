import {
  AcpClient,
  AuthRequiredError,
  type Session,
  type SessionOptions,
  configOptionValues,
} from "../index.ts";
import { type CallOptions, RemoteError } from "../../transport/rpc/index.ts";
import { quiet, unlessAborted } from "../../base/index.ts";
import { AcpModelError, AcpProviderError } from "./errors.ts";
import type { AcpModelSettings, AcpPartMetadata, AcpProviderOptions } from "./options.ts";
import type { SessionConfigOption } from "../../protocol/acp/index.ts";

interface KnownSession {
  readonly id: string;
  /** Whether the provider opened the session, and therefore closes it. */
  readonly own: boolean;
  /** The last turn of which the program has received a part. */
  turnId: string | undefined;
  system: string;
  calls: number;
}

/** A session that is ready for a prompt. */
export interface ReadySession {
  readonly session: Session;
  readonly known: KnownSession;
  /** Whether the agent already knows the conversation. */
  readonly continued: boolean;
}

interface ModelSessionsOptions {
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
        "session_not_found",
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

/** The id of the model that the agent chooses by itself. */
export const DEFAULT_MODEL = "default";

/**
 * Switches a session to the requested model, mode and options, where they differ from the current
 * ones. Rejects with AcpModelError for an unknown model, and with the errors of the session.
 */
export async function applySettings(
  session: Session,
  modelId: string,
  { mode, config = {} }: AcpModelSettings,
  options: CallOptions,
): Promise<void> {
  if (modelId !== DEFAULT_MODEL) await setModel(session, modelId, options);
  if (mode !== undefined) await setMode(session, mode, options);
  for (const [id, value] of Object.entries(config)) {
    if (session.configOptions?.find((option) => option.id === id)?.currentValue !== value) {
      await session.setConfigOption(id, value, options);
    }
  }
}

/** The model that a session uses; undefined if the agent does not say. */
export function currentModel({ configOptions }: Session): string | undefined {
  const value = optionOf(configOptions, "model")?.currentValue;
  return typeof value === "string" ? value : undefined;
}

async function setModel(session: Session, modelId: string, options: CallOptions): Promise<void> {
  const option = optionOf(session.configOptions, "model");
  const offered = option?.type === "select" ? configOptionValues(option) : [];
  if (!option || !offered.includes(modelId)) {
    const choice = offered.length === 0 ? "no choice of models" : `these: ${offered.join(", ")}`;
    throw new AcpModelError(
      modelId,
      "languageModel",
      `the agent does not offer the model "${modelId}"; it offers ${choice}; "${DEFAULT_MODEL}" always works`,
      offered,
    );
  }
  if (option.currentValue !== modelId) await session.setConfigOption(option.id, modelId, options);
}

/** Agents with options have the mode among them; the others have modes of their own. */
async function setMode(session: Session, mode: string, options: CallOptions): Promise<void> {
  const option = optionOf(session.configOptions, "mode");
  if (option) {
    if (option.currentValue !== mode) await session.setConfigOption(option.id, mode, options);
  } else if (session.modes?.currentModeId !== mode) await session.setMode(mode, options);
}

function optionOf(
  options: readonly SessionConfigOption[] | undefined,
  category: string,
): SessionConfigOption | undefined {
  return options?.find((option) => option.category === category);
}

/** Starts the agent with the first call, and again with the next call after it has died. */
export class ClientStarter {
  readonly #options: AcpProviderOptions;
  #started: Promise<AcpClient> | undefined;
  readonly #stop = new AbortController();
  /** Agents that died, until nothing of them is left. */
  readonly #ending = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(options: AcpProviderOptions) {
    this.#options = options;
  }

  /** The running client. Rejects with the errors of `AcpClient.start`, or the signal's reason. */
  async client(signal: AbortSignal | undefined): Promise<AcpClient> {
    for (;;) {
      if (this.#closing) throw new AcpProviderError("closed", "the provider is closed");
      const started = (this.#started ??= this.#start());
      const client = await (signal ? unlessAborted(started, signal) : started);
      // Calls fail before `closed` resolves, so only the state says that the client is dead.
      if (client.state === "open" || !this.#canRestart) return client;
      if (this.#started === started) this.#started = undefined;
      this.#ending.add(client.closed);
      void client.closed.then(() => this.#ending.delete(client.closed));
    }
  }

  /** Ends the agent, unless the program owns it. Calling it again is safe. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** A channel can be opened only once, and the provider must not replace a client of the program. */
  get #canRestart(): boolean {
    return !this.#options.client && this.#options.channel === undefined;
  }

  #start(): Promise<AcpClient> {
    const options = this.#options;
    if (options.client) return Promise.resolve(options.client);
    const {
      session: _session,
      auth: _auth,
      maxSessions: _max,
      client: _client,
      ...config
    } = options;
    const started = AcpClient.start(config, { signal: this.#stop.signal });
    started.catch(() => {
      if (this.#canRestart) this.#started = undefined;
    });
    return started;
  }

  async #end(): Promise<void> {
    if (this.#options.client) return;
    this.#stop.abort(new Error("the provider was closed"));
    const client = await this.#started?.catch(() => undefined);
    await Promise.all([client?.close(), ...this.#ending]);
  }
}
