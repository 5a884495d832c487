import { execFile } from "node:child_process";
import { readFile, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { decodeLine, type EnvOverlay, isExecutable, stringField } from "../../wire/index.ts";
import { DroidNotFoundError } from "../errors.ts";

/** Where to look, as data, so that the search itself can be tested. */
export interface SearchPlaces {
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

interface Candidate {
  readonly path: string;
  readonly from: string;
}

/** Pure: every place an executable is looked for, in order, once. A named one is the only one. */
export function candidatesFor(places: SearchPlaces): readonly Candidate[] {
  const seen = new Set<string>();
  // A folder may stand in PATH twice, and be one of the usual ones too.
  return allCandidates(places).filter(({ path }) => !seen.has(path) && seen.add(path));
}

function allCandidates({ option, env, home, platform }: SearchPlaces): readonly Candidate[] {
  if (option !== undefined) return named(option, "as named", env, platform);
  const fromEnv = env["DROID_EXECUTABLE"];
  if (fromEnv !== undefined && fromEnv !== "")
    return named(fromEnv, "DROID_EXECUTABLE", env, platform);
  return [
    ...onPath("droid", "PATH", env, platform),
    ...installFolders(home, env, platform).flatMap((folder) =>
      names("droid", platform).map((name) => ({
        path: join(folder, name),
        from: "usual install folder",
      })),
    ),
  ];
}

function named(
  value: string,
  from: string,
  env: SearchPlaces["env"],
  platform: NodeJS.Platform,
): readonly Candidate[] {
  if (value.includes("/") || (platform === "win32" && value.includes("\\")))
    return [{ path: value, from }];
  return onPath(value, `${from}, on PATH`, env, platform);
}

function onPath(
  name: string,
  from: string,
  env: SearchPlaces["env"],
  platform: NodeJS.Platform,
): readonly Candidate[] {
  return (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => names(name, platform).map((file) => ({ path: join(folder, file), from })));
}

function names(name: string, platform: NodeJS.Platform): readonly string[] {
  return platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
}

/** Where Factory's installer, npm and Homebrew put it. */
function installFolders(
  home: string,
  env: SearchPlaces["env"],
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform === "win32") {
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
 * Finds Droid's executable, or rejects with a DroidNotFoundError that lists what was tried. A path is
 * taken from this process's folder, not from the one Droid is started in.
 */
export async function findExecutable(
  option: string | undefined,
  overlay: EnvOverlay = {},
): Promise<string> {
  const env = { ...process.env, ...overlay };
  const home = env["HOME"] ?? homedir();
  const candidates = candidatesFor({ option, env, home, platform: process.platform });
  for (const { path } of candidates) if (await isExecutable(path)) return resolve(path);
  throw new DroidNotFoundError(candidates.map(({ path, from }) => `${path} (${from})`));
}

const run = promisify(execFile);

/** Last resort against an executable that is no Droid and never answers. */
const VERSION_TIMEOUT_MS = 20_000;

/** One look per file and process: asking a binary of 200 MB costs up to two seconds. */
const known = new Map<string, Promise<string | undefined>>();

/**
 * The executable's version, from the npm package it came in or by asking it; undefined if it does
 * not tell. Never rejects.
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

/** npm's packages have the binary in `bin/`, next to a package.json with the same version. */
async function packagedVersion(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(dirname(path), "..", "package.json"), "utf8");
    const decoded = decodeLine(text);
    if (decoded.kind !== "frame") return undefined;
    const name = stringField(decoded.frame, "name");
    return name?.startsWith("@factory/") ? stringField(decoded.frame, "version") : undefined;
  } catch {
    return undefined;
  }
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
