import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  definedFields,
  type EndStages,
  type EnvOverlay,
  quiet,
  quietly,
  writePrivate,
} from "../../base/index.ts";
import type { CloseReason } from "../../transport/wire/index.ts";
import type {
  DroidProcessOptions,
  DroidSessionOptions,
  NewDroidSessionOptions,
  SessionHandlers,
} from "../options.ts";
import { METHODS } from "../protocol/methods.ts";
import type { ModelInfo } from "../protocol/protocol.ts";
import { capabilitiesOf } from "../protocol/versions.ts";
import { openLoaded, openNew, type SessionReport } from "../session/open.ts";
import { DroidSession } from "../session/session.ts";
import { waitFor, type WaitOptions, DroidConnection } from "./connection.ts";
import { findExecutable, readVersion } from "./executable.ts";

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

/**
 * Starts Droid without a session. `makeClient` creates the client once there is one, because its
 * constructor is private. Rejects with DroidNotFoundError, or with a DroidError (`start_failed`) whose
 * cause is the SpawnError.
 */
export async function prepare<Client>(
  options: DroidProcessOptions,
  makeClient: (session: DroidSession, report: SessionReport) => Client,
  wait: WaitOptions = {},
): Promise<PreparedProcess<Client>> {
  const connection = await openConnection(options, wait);
  // Keep only the handlers: the process has the credentials, and nothing else needs them.
  const { onPermission, onAskUser, logger, hooks, cwd = process.cwd() } = options;
  const own = { onPermission, onAskUser, logger, hooks };
  const close = async (): Promise<void> => {
    await connection.close();
  };
  const opened = async (
    open: (session: DroidSession) => Promise<SessionReport>,
    handlers: SessionHandlers = {},
    waiting: WaitOptions = {},
  ): Promise<Client> => {
    // An omitted handler does not replace the one from the process options.
    const session = new DroidSession(connection, { ...own, ...definedFields(handlers) });
    try {
      const work = (): Promise<[SessionReport, void]> =>
        Promise.all([open(session), connection.identified]);
      const [report] = await waitFor(work, waiting);
      return makeClient(session, report);
    } catch (error) {
      await close();
      throw error;
    }
  };
  return {
    closed: connection.closed,
    start: (given = {}, ...more) =>
      quiet(opened((session) => openNew(session, cwd, given), ...more)),
    load: (sessionId, given = {}, ...more) =>
      quiet(opened((session) => openLoaded(session, sessionId, cwd, given), ...more)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts Droid. Rejects as `prepare` does. */
async function openConnection(
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

function environmentOf({ env, apiKey }: DroidProcessOptions): EnvOverlay {
  return { ...env, ...(apiKey === undefined ? {} : { FACTORY_API_KEY: apiKey }) };
}

/**
 * Starts Droid and opens a new session. Versions without a system prompt per session append
 * instructions by an argument of the process.
 */
export async function startSession<Client>(
  given: DroidProcessOptions & NewDroidSessionOptions,
  prepared: (options: DroidProcessOptions) => Promise<PreparedProcess<Client>>,
  wait: WaitOptions,
): Promise<Client> {
  const { systemPrompt } = given;
  if (typeof systemPrompt !== "object" || (await takesSystemPrompt(given, wait)))
    return (await prepared(given)).start(given, {}, wait);
  const { args: more, remove } = await writeInstructions(systemPrompt.append);
  try {
    const args = [...(given.args ?? []), ...more];
    const options = { ...given, args, systemPrompt: undefined };
    return await (await prepared(options)).start(options, {}, wait);
  } finally {
    await remove();
  }
}

async function takesSystemPrompt(
  options: DroidProcessOptions,
  wait: WaitOptions,
): Promise<boolean> {
  const env = environmentOf(options);
  const command = await waitFor(() => findExecutable(options.executable, env), wait);
  const cli = await waitFor(() => readVersion(command, env), wait);
  return capabilitiesOf({ cli, protocol: undefined }).systemPrompt;
}

/** Arguments for Droid that refer to a file, and the removal of that file. */
export interface InstructionsFile {
  readonly args: readonly string[];
  /** Removes the file. Droid reads it once, before it opens a session. */
  readonly remove: () => Promise<void>;
}

/**
 * Writes instructions for Droid to append to its own. All tested versions have the option for it, and
 * none stores the instructions with the session. They are passed in a file that only the user can read:
 * other users can see the arguments of a process.
 */
export async function writeInstructions(text: string): Promise<InstructionsFile> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-instructions-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, "instructions.txt");
  try {
    await writePrivate(file, text);
  } catch (error) {
    await remove();
    throw error;
  }
  return { args: ["--append-system-prompt-file", file], remove };
}

/** Which models to list, and how Droid is started for that. */
export interface ListModelsOptions extends DroidProcessOptions {
  /** Whether to list the models that the user's organisation has disabled too. Default: false. */
  readonly includeDisabled?: boolean | undefined;
}

/**
 * Lists the models that a session could use, without opening one: starts Droid, asks, and ends it.
 * Rejects with UnsupportedByDroidError for versions up to 0.117, and as `DroidClient.prepare` does.
 */
export function listModels(
  options: ListModelsOptions = {},
  wait: WaitOptions = {},
): Promise<readonly ModelInfo[]> {
  return quietly(async () => {
    const connection = await openConnection(options, wait);
    try {
      const ask = async (): Promise<readonly ModelInfo[]> => {
        await connection.recognized;
        const { name, read } = METHODS.listModels;
        const params = options.includeDisabled === true ? { includeDisabled: true } : {};
        return connection.call(name, params, { accept: read });
      };
      return await waitFor(ask, wait);
    } finally {
      await connection.close();
    }
  });
}
