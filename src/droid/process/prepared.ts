import { mkdtemp, rm, readFile, realpath, stat } from "node:fs/promises";
import { tmpdir, homedir } from "node:os";
import { join, delimiter, dirname, resolve } from "node:path";
import {
  definedFields,
  type EndStages,
  type EnvOverlay,
  quiet,
  quietly,
  writePrivate,
  isExecutable,
  parseJsonObject,
  stringField,
} from "../../base/index.ts";
import type { CloseReason } from "../../transport/wire/index.ts";
import type {
  DroidProcessOptions,
  DroidSessionOptions,
  NewDroidSessionOptions,
  SessionHandlers,
} from "../options.ts";
import { METHODS } from "../protocol/methods.ts";
import type { ModelInfo } from "../protocol/messages.ts";
import { capabilitiesOf } from "../protocol/versions.ts";
import { openLoaded, openNew, type SessionReport } from "../session/open.ts";
import { DroidSession } from "../session/session.ts";
import { DroidConnection } from "./connection.ts";
import { waitForDroid, type WaitOptions } from "../wait.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { DroidNotFoundError } from "../errors.ts";

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
  start(options?: NewDroidSessionOptions & SessionHandlers): Promise<Client>;
  /** Resumes a session. Rejects with a DroidError (`session_not_found`) if it does not exist. */
  load(sessionId: string, options?: DroidSessionOptions & SessionHandlers): Promise<Client>;
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
): Promise<PreparedProcess<Client>> {
  const connection = await openConnection(options);
  // Keep only the handlers: the process has the credentials, and nothing else needs them.
  const { cwd = process.cwd() } = options;
  const own = handlersOf(options);
  const close = async (): Promise<void> => {
    await connection.close();
  };
  const opened = async (
    given: SessionHandlers & WaitOptions,
    open: (session: DroidSession) => Promise<SessionReport>,
  ): Promise<Client> => {
    // An omitted handler does not replace the one from the process options.
    const handlers = { ...own, ...definedFields(handlersOf(given)) };
    const session = new DroidSession(connection, handlers);
    try {
      const work = (): Promise<[SessionReport, void]> =>
        Promise.all([open(session), connection.identified]);
      const [report] = await waitForDroid(work, given);
      return makeClient(session, report);
    } catch (error) {
      await close();
      throw error;
    }
  };
  return {
    closed: connection.closed,
    start: (given = {}) => quiet(opened(given, (session) => openNew(session, cwd, given))),
    load: (sessionId, given = {}) =>
      quiet(opened(given, (session) => openLoaded(session, sessionId, cwd, given))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function handlersOf({ onPermission, onAskUser, logger, hooks }: SessionHandlers): SessionHandlers {
  return { onPermission, onAskUser, logger, hooks };
}

/** Starts Droid. Rejects as `prepare` does. */
async function openConnection(options: DroidProcessOptions): Promise<DroidConnection> {
  const { cwd = process.cwd(), tap, logger } = options;
  const env = environmentOf(options);
  const command = await waitForDroid(() => findExecutable({ ...options, env }), options);
  const format = ["--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"];
  return DroidConnection.open({
    command,
    args: ["exec", ...format, "--cwd", cwd, ...(options.args ?? [])],
    cwd,
    env,
    stages: { ...STAGES, ...definedFields(options.stages) },
    cliVersion: readVersion(command, { env }),
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
export async function startPreparedSession<Client>(
  given: DroidProcessOptions & NewDroidSessionOptions,
  prepared: (options: DroidProcessOptions) => Promise<PreparedProcess<Client>>,
): Promise<Client> {
  const { systemPrompt } = given;
  if (typeof systemPrompt !== "object" || (await takesSystemPrompt(given)))
    return (await prepared(given)).start(given);
  const { args: more, remove } = await writeInstructions(systemPrompt.append);
  try {
    const args = [...(given.args ?? []), ...more];
    const options = { ...given, args, systemPrompt: undefined };
    return await (await prepared(options)).start(options);
  } finally {
    await remove();
  }
}

async function takesSystemPrompt(options: DroidProcessOptions): Promise<boolean> {
  const env = environmentOf(options);
  const cli = await waitForDroid(
    async () => readVersion(await findExecutable({ ...options, env }), { env }),
    options,
  );
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
  /** Whether to list the models that the user's organization has disabled too. Default: false. */
  readonly includeDisabled?: boolean | undefined;
}

/**
 * Lists the models that a session could use, without opening one: starts Droid, asks, and ends it.
 * Rejects with UnsupportedByDroidError for versions up to 0.117, and as `DroidClient.prepare` does.
 */
export function listModels(options: ListModelsOptions = {}): Promise<readonly ModelInfo[]> {
  return quietly(async () => {
    const connection = await openConnection(options);
    try {
      const ask = async (): Promise<readonly ModelInfo[]> => {
        await connection.recognized;
        const { name, read } = METHODS.listModels;
        const params = options.includeDisabled === true ? { includeDisabled: true } : {};
        return connection.call(name, params, { accept: read });
      };
      return await waitForDroid(ask, options);
    } finally {
      await connection.close();
    }
  });
}

interface SearchInput {
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

interface Candidate {
  readonly path: string;
  readonly from: string;
}

/**
 * Pure: every path to try, in order and without duplicates. If an executable is given, only that
 * one is tried.
 */
export function executableCandidates(input: SearchInput): readonly Candidate[] {
  const seen = new Set<string>();
  // PATH may contain a folder twice, or one of the usual install folders.
  return allCandidates(input).filter(({ path }) => !seen.has(path) && seen.add(path));
}

function allCandidates({ option, env, home, platform }: SearchInput): readonly Candidate[] {
  const isWindows = platform === "win32";
  const within = (folders: readonly string[], name: string, from: string): readonly Candidate[] => {
    const files = isWindows ? [`${name}.exe`, `${name}.cmd`] : [name];
    return folders.flatMap((folder) => files.map((file) => ({ path: join(folder, file), from })));
  };
  const path = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const named = (value: string, from: string): readonly Candidate[] =>
    value.includes("/") || (isWindows && value.includes("\\"))
      ? [{ path: value, from }]
      : within(path, value, `${from}, on PATH`);
  if (option !== undefined) return named(option, "as given");
  const fromEnv = env["DROID_EXECUTABLE"];
  if (fromEnv !== undefined && fromEnv !== "") return named(fromEnv, "DROID_EXECUTABLE");
  const usual = installFolders(home, env, isWindows);
  return [...within(path, "droid", "PATH"), ...within(usual, "droid", "usual install folder")];
}

/** The folders that Factory's installer, npm and Homebrew use. */
function installFolders(
  home: string,
  env: SearchInput["env"],
  isWindows: boolean,
): readonly string[] {
  if (isWindows) {
    const appData = env["APPDATA"];
    return [join(home, "bin"), ...(appData === undefined ? [] : [join(appData, "npm")])];
  }
  return [
    join(home, ".local", "bin"),
    join(home, ".factory", "bin"),
    join(home, "bin"),
    "/usr/local/bin",
    "/opt/homebrew/bin",
  ];
}

/**
 * Finds Droid's executable, or rejects with a DroidNotFoundError that lists the paths tried. A
 * relative path is resolved from the folder of this process, not from the one Droid is started in.
 */
export function findExecutable(
  options: Pick<DroidProcessOptions, "executable" | "env"> = {},
): Promise<string> {
  return quietly(async () => {
    const env = { ...process.env, ...options.env };
    const home = env["HOME"] ?? homedir();
    const option = options.executable;
    const candidates = executableCandidates({ option, env, home, platform: process.platform });
    for (const { path } of candidates) if (await isExecutable(path)) return resolve(path);
    throw new DroidNotFoundError(candidates.map(({ path, from }) => `${path} (${from})`));
  });
}

const run = promisify(execFile);

/** Last resort: an executable that is not Droid may never exit. */
const VERSION_TIMEOUT_MS = 20_000;

/** Each file is examined once per process, because running a binary of 200 MB takes up to two seconds. */
const known = new Map<string, Promise<string | undefined>>();

/**
 * Reads the version of the executable, from its npm package or by running it with `--version`.
 * Resolves with undefined if neither shows a version; never rejects.
 */
export async function readVersion(
  executable: string,
  { env = {} }: Pick<DroidProcessOptions, "env"> = {},
): Promise<string | undefined> {
  try {
    const path = await realpath(executable);
    const { mtimeMs, size } = await stat(path);
    const key = `${path}\0${mtimeMs}\0${size}`;
    const version =
      known.get(key) ?? packagedVersion(path).then((found) => found ?? ask(path, env));
    known.set(key, version);
    return await version;
  } catch {
    return undefined;
  }
}

/** In the npm packages the binary is in `bin/`, and the package.json above it has the same version. */
async function packagedVersion(path: string): Promise<string | undefined> {
  const file = join(dirname(path), "..", "package.json");
  const manifest = parseJsonObject(await readFile(file, "utf8").catch(() => "")) ?? {};
  const isFactory = stringField(manifest, "name")?.startsWith("@factory/") === true;
  return isFactory ? stringField(manifest, "version") : undefined;
}

async function ask(path: string, env: EnvOverlay): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, ["--version"], {
      timeout: VERSION_TIMEOUT_MS,
      env: { ...process.env, ...env },
    });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}
