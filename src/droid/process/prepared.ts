import type { CloseReason, EndStages } from "../../wire/index.ts";
import { openLoaded, openNew, type SessionReport } from "../session/open.ts";
import { DroidConnection } from "./connection.ts";
import { findExecutable, readVersion } from "./executable.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "../options.ts";
import type { SessionHandlers, DroidSessionOptions } from "../options.ts";
import { DroidSession } from "../session/session.ts";

/**
 * 0.215 and later linger for six seconds after the end of their input, and as long after SIGTERM:
 * they are not given that time. What they have to write they have written by then.
 */
const STAGES: EndStages = { eofMs: 300, termMs: 300 };

/** A Droid process without a session: started ahead of need. */
export interface PreparedProcess<Client> extends AsyncDisposable {
  /** Resolves when the process is gone. */
  readonly closed: Promise<CloseReason>;
  /** Begins a new session in the folder the process was started for. To be called once, or `load`. */
  start(options?: NewDroidSessionOptions, handlers?: SessionHandlers): Promise<Client>;
  /** Goes on with an old session. Rejects with a DroidError (`session_not_found`) if there is none. */
  load(
    sessionId: string,
    options?: DroidSessionOptions,
    handlers?: SessionHandlers,
  ): Promise<Client>;
  close(): Promise<void>;
}

/** Makes the client once there is a session; the client's own constructor is nobody else's. */
export type MakeClient<Client> = (
  connection: DroidConnection,
  session: DroidSession,
  beginning: SessionReport,
) => Client;

/** Starts Droid without a session. Rejects with DroidNotFoundError, or the SpawnError of the wire. */
export async function prepare<Client>(
  options: DroidProcessOptions,
  makeClient: MakeClient<Client>,
): Promise<PreparedProcess<Client>> {
  const { apiKey, cwd = process.cwd(), tap, logger } = options;
  const env = { ...options.env, ...(apiKey === undefined ? {} : { FACTORY_API_KEY: apiKey }) };
  const command = await findExecutable(options.executable, env);
  const format = ["--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
  const connection = await DroidConnection.open({
    command,
    args: ["exec", ...format, "--cwd", cwd, ...(options.args ?? [])],
    cwd,
    env,
    stages: { ...STAGES, ...options.stages },
    cliVersion: readVersion(command, env),
    logger,
    tap,
  });
  // The handlers alone: credentials were given to the process, and are not kept.
  const { onPermission, onAskUser } = options;
  return new DroidProcess(connection, cwd, { onPermission, onAskUser, logger }, makeClient);
}

class DroidProcess<Client> implements PreparedProcess<Client> {
  readonly #connection: DroidConnection;
  readonly #cwd: string;
  readonly #handlers: SessionHandlers;
  readonly #makeClient: MakeClient<Client>;

  constructor(
    connection: DroidConnection,
    cwd: string,
    handlers: SessionHandlers,
    makeClient: MakeClient<Client>,
  ) {
    this.#connection = connection;
    this.#cwd = cwd;
    this.#handlers = handlers;
    this.#makeClient = makeClient;
  }

  get closed(): Promise<CloseReason> {
    return this.#connection.closed;
  }

  start(options: NewDroidSessionOptions = {}, handlers: SessionHandlers = {}): Promise<Client> {
    return this.#begin(handlers, (session) =>
      openNew(this.#connection, session, this.#cwd, options),
    );
  }

  load(
    sessionId: string,
    options: DroidSessionOptions = {},
    handlers: SessionHandlers = {},
  ): Promise<Client> {
    return this.#begin(handlers, (session) =>
      openLoaded(this.#connection, session, sessionId, this.#cwd, options),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #begin(
    handlers: SessionHandlers,
    begin: (session: DroidSession) => Promise<SessionReport>,
  ): Promise<Client> {
    const session = new DroidSession(this.#connection, {
      ...this.#handlers,
      ...givenHandlers(handlers),
    });
    try {
      const [beginning] = await Promise.all([begin(session), this.#connection.identified]);
      return this.#makeClient(this.#connection, session, beginning);
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}

/** A handler left out does not take away the one that was there before. */
function givenHandlers({ onPermission, onAskUser, logger }: SessionHandlers): SessionHandlers {
  return {
    ...(onPermission && { onPermission }),
    ...(onAskUser && { onAskUser }),
    ...(logger && { logger }),
  };
}
