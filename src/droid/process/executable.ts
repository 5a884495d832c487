import { execFile } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import {
  type EnvOverlay,
  isExecutable,
  parseFrame,
  quietly,
  stringField,
} from "../../base/index.ts";
import { DroidNotFoundError } from "../errors.ts";

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
export function candidatesFor(input: SearchInput): readonly Candidate[] {
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
  option: string | undefined,
  overlay: EnvOverlay = {},
): Promise<string> {
  return quietly(async () => {
    const env = { ...process.env, ...overlay };
    const home = env["HOME"] ?? homedir();
    const candidates = candidatesFor({ option, env, home, platform: process.platform });
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
  env: EnvOverlay = {},
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
  const manifest = parseFrame(await readFile(file, "utf8").catch(() => "")) ?? {};
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
