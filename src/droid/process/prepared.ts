import { definedFields, type EndStages, type EnvOverlay, quiet } from "../../base/index.ts";
import type { CloseReason } from "../../transport/wire/index.ts";
import { openLoaded, openNew, type SessionReport } from "../session/open.ts";
import { DroidConnection } from "./connection.ts";
import { findExecutable, readVersion } from "./executable.ts";
import type {
  DroidProcessOptions,
  NewDroidSessionOptions,
  SessionHandlers,
  DroidSessionOptions,
} from "../options.ts";
import { DroidSession } from "../session/session.ts";
import { waitFor, type WaitOptions } from "../wait.ts";
import { capabilitiesOf } from "../protocol/versions.ts";
import { writeInstructions } from "./instructions-file.ts";

/**
 * 0.215 and later take six seconds to exit after the end of their input, and as long after SIGTERM.
 * They do not get that time, because by then they have written everything.
 */
const STAGES: EndStages = { eofMs: 300, termMs: 300 };

/** A Droid process without a session, started ahead of time. */
export interface PreparedProcess<Client> extends AsyncDisposable {
  /** Resolves when the process has ended. */
  readonly closed: Promise<CloseReason>;
  /** Starts a new session in the folder of the process. Call `start` or `load`, and only once. */
  start(
    options?: NewDroidSessionOptions,
    handlers?: SessionHandlers,
    wait?: WaitOptions,
  ): Promise<Client>;
  /** Resumes a session. Rejects with a DroidError (`session_not_found`) if it does not exist. */
  load(
    sessionId: string,
    options?: DroidSessionOptions,
    handlers?: SessionHandlers,
    wait?: WaitOptions,
  ): Promise<Client>;
  /** Ends the process, with or without a session. Resolves when it is gone, and never rejects. */
  close(): Promise<void>;
}

/** Creates the client once there is a session, because the client's constructor is private. */
type MakeClient<Client> = (
  connection: DroidConnection,
  session: DroidSession,
  report: SessionReport,
) => Client;

/**
 * Starts Droid without a session. Rejects with DroidNotFoundError, or with a DroidError
 * (`start_failed`) whose cause is the SpawnError.
 */
export async function prepare<Client>(
  options: DroidProcessOptions,
  makeClient: MakeClient<Client>,
  wait: WaitOptions = {},
): Promise<PreparedProcess<Client>> {
  const connection = await openConnection(options, wait);
  // Keep only the handlers: the process has the credentials, and nothing else needs them.
  const { onPermission, onAskUser, logger, hooks, cwd = process.cwd() } = options;
  return new DroidProcess(connection, cwd, { onPermission, onAskUser, logger, hooks }, makeClient);
}

/** Starts Droid. Rejects as `prepare` does. */
export async function openConnection(
  options: DroidProcessOptions,
  wait: WaitOptions,
): Promise<DroidConnection> {
  const { cwd = process.cwd(), tap, logger } = options;
  const env = environmentOf(options);
  const command = await waitFor(() => findExecutable(options.executable, env), wait);
  const format = ["--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
  return DroidConnection.open({
    command,
    args: ["exec", ...format, "--cwd", cwd, ...(options.args ?? [])],
    cwd,
    env,
    stages: { ...STAGES, ...definedFields(options.stages) },
    cliVersion: readVersion(command, env),
    logger,
    tap,
  });
}

/** The variables for Droid, on top of those of this process. */
export function environmentOf({ env, apiKey }: DroidProcessOptions): EnvOverlay {
  return { ...env, ...(apiKey === undefined ? {} : { FACTORY_API_KEY: apiKey }) };
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

  start(
    options: NewDroidSessionOptions = {},
    handlers: SessionHandlers = {},
    wait: WaitOptions = {},
  ): Promise<Client> {
    const open = (session: DroidSession): Promise<SessionReport> =>
      openNew(this.#connection, session, this.#cwd, options);
    return quiet(this.#open(handlers, open, wait));
  }

  load(
    sessionId: string,
    options: DroidSessionOptions = {},
    handlers: SessionHandlers = {},
    wait: WaitOptions = {},
  ): Promise<Client> {
    const open = (session: DroidSession): Promise<SessionReport> =>
      openLoaded(this.#connection, session, sessionId, this.#cwd, options);
    return quiet(this.#open(handlers, open, wait));
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(
    handlers: SessionHandlers,
    open: (session: DroidSession) => Promise<SessionReport>,
    wait: WaitOptions,
  ): Promise<Client> {
    // An omitted handler does not replace the one from the process options.
    const all = { ...this.#handlers, ...definedFields(handlers) };
    const session = new DroidSession(this.#connection, all);
    try {
      const opened = (): Promise<[SessionReport, void]> =>
        Promise.all([open(session), this.#connection.identified]);
      const [report] = await waitFor(opened, wait);
      return this.#makeClient(this.#connection, session, report);
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}

type StartOptions = DroidProcessOptions & NewDroidSessionOptions;

/** Options for the process and the session, and what to do when the session is open. */
interface AdaptedOptions {
  readonly options: StartOptions;
  readonly clean: () => Promise<void>;
}

/** Starts Droid and opens a new session. */
export async function startSession<Client>(
  given: StartOptions,
  prepare: (options: DroidProcessOptions) => Promise<PreparedProcess<Client>>,
  wait: WaitOptions,
): Promise<Client> {
  const { options, clean } = await adaptInstructions(given, wait);
  try {
    const prepared = await prepare(options);
    return await prepared.start(options, {}, wait);
  } finally {
    await clean();
  }
}

/** Versions without a system prompt per session append instructions by an argument of the process. */
async function adaptInstructions(
  options: StartOptions,
  wait: WaitOptions,
): Promise<AdaptedOptions> {
  const { systemPrompt } = options;
  const unchanged = { options, clean: () => Promise.resolve() };
  if (typeof systemPrompt !== "object") return unchanged;
  const env = environmentOf(options);
  const command = await waitFor(() => findExecutable(options.executable, env), wait);
  const cli = await waitFor(() => readVersion(command, env), wait);
  if (capabilitiesOf({ cli, protocol: undefined }).systemPrompt) return unchanged;
  const { args: more, remove } = await writeInstructions(systemPrompt.append);
  const args = [...(options.args ?? []), ...more];
  return { options: { ...options, args, systemPrompt: undefined }, clean: remove };
}
