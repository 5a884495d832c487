import { spawn } from "node:child_process";
import { type EnvOverlay, hasCode, runChild } from "../index.ts";
import { copyFile, mkdir, realpath, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

export class GitError extends Error {
  override readonly name = "GitError";
  readonly stderr: string;

  constructor(args: readonly string[], stderr: string) {
    super(`git ${args[0] ?? ""} failed: ${lastLine(stderr)}`);
    this.stderr = stderr;
  }
}

export class GitNotFoundError extends Error {
  override readonly name = "GitNotFoundError";

  constructor() {
    super("git was not found");
  }
}

export interface GitOptions {
  readonly env: EnvOverlay;
  readonly cwd: string;
  /** Options before the command. */
  readonly before?: readonly string[] | undefined;
  /** Variables for this call only. */
  readonly set?: EnvOverlay | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How much of the output is kept; git is ended when there is more. Default: 16 Mi characters. */
  readonly maxChars?: number | undefined;
}

const MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_STDERR = 10_000;

/** Hooks could change the user's files or wait for something. A snapshot needs an index in one part. */
const ALWAYS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.splitIndex=false",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git and resolves with its stdout. Git gets a separate process group, so that a Ctrl-C in the terminal
 * cannot end it halfway. Rejects with GitError, or with GitNotFoundError.
 */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const { env, cwd, before = [], set = {}, signal, maxChars = MAX_OUTPUT } = options;
  signal?.throwIfAborted();
  const child = spawn("git", [...ALWAYS, ...before, ...args], {
    cwd,
    env: { ...withoutGitVariables(env), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...set },
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const end = (): void => void child.kill();
  signal?.addEventListener("abort", end, { once: true });
  let out = "";
  let err = "";
  try {
    const code = await runChild(child, {
      stdout: (text) => {
        if (out.length <= maxChars) out += text;
        else end();
      },
      stderr: (text) => {
        if (err.length < MAX_STDERR) err += text;
      },
    });
    signal?.throwIfAborted();
    if (code !== 0 && out.length <= maxChars) throw new GitError(args, err);
    return out.slice(0, maxChars);
  } catch (error) {
    throw hasCode(error, "ENOENT") ? new GitNotFoundError() : error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/**
 * The variables that tie git to one repository. A hook of git sets them, and they would lead git, and the
 * agents, from their worktree back to the user's files.
 */
const LOCAL_VARIABLES = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_CEILING_DIRECTORIES",
];

/** An environment in which git finds the repository of its folder. Pure. */
export function withoutGitVariables(env: EnvOverlay): EnvOverlay {
  return { ...env, ...Object.fromEntries(LOCAL_VARIABLES.map((name) => [name, undefined])) };
}

/** The last line of a text that is not blank. Pure. */
function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

/** The changes in a worktree since its snapshot. */
interface WorktreeChanges {
  /**
   * What `git diff` prints about them with these arguments, cut after `maxChars` characters (default: 16 Mi).
   * Rejects with GitError.
   */
  diff(args: readonly string[], maxChars?: number): Promise<string>;
}

/** The files of a worktree before an agent gets it. */
export interface WorktreeSnapshot {
  /** Collects what changed since, committed or not. Rejects with GitError, or if the signal is aborted. */
  changes(signal?: AbortSignal): Promise<WorktreeChanges>;
}

/**
 * Settings that say how files are read, and run nothing. Without them, files that were checked out under them
 * would look changed.
 */
const KEPT_SETTINGS =
  "^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths|trustctime|checkstat)$";

const PLAIN_DIFF = ["diff", "--cached", "--no-color", "--no-ext-diff", "--no-textconv"];

/**
 * Remembers the files of a fresh worktree in a private repository, in the folder `place`, which must not
 * exist and which the agent must not be able to change. Rejects with GitError.
 *
 * A worktree belongs to its agent afterwards: its `.git`, its attributes, the repositories inside it, and the
 * scripts to which settings of the user lead. Git runs commands that it finds in any of these, so it never
 * looks at the worktree with the settings of any other repository, user or machine again, and never looks
 * into submodules.
 */
export async function takeSnapshot(
  worktree: string,
  place: string,
  { env, signal }: Pick<GitOptions, "env" | "signal">,
): Promise<WorktreeSnapshot> {
  const root = await realpath(worktree);
  const trusted = (args: readonly string[], maxChars?: number): Promise<string> =>
    git(args, { env, cwd: root, signal, maxChars });
  const pathOf = async (name: string): Promise<string> =>
    line(await trusted(["rev-parse", "--path-format=absolute", "--git-path", name]));
  const format = line(await trusted(["rev-parse", "--show-object-format"]));
  const settings = await keptSettings(trusted);
  await mkdir(place, { mode: 0o700 });
  const isolated = { env: withoutSettings(env), cwd: place };
  const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, place];
  await git(init, { ...isolated, signal });
  await mkdir(join(place, "info"));
  await copyIfPresent(await pathOf("info/exclude"), join(place, "info", "exclude"));
  const objects = JSON.stringify(await pathOf("objects"));
  await mkdir(join(place, "objects", "info"), { recursive: true });
  await writeFile(join(place, "objects", "info", "alternates"), `${objects}\n`);
  const index = join(place, "index");
  await copyIndex(await pathOf("index"), index);

  const before = [...settings, `--git-dir=${place}`, `--work-tree=${root}`];
  const own = (
    args: readonly string[],
    more: Pick<GitOptions, "signal" | "set" | "maxChars">,
  ): Promise<string> => git(args, { ...isolated, before, ...more });
  const submodules = submodulesOf(
    await own(["ls-files", "--stage", "-z"], { signal, maxChars: Number.POSITIVE_INFINITY }),
  );
  const forget = ["update-index", "--force-remove", "--", ...submodules];
  if (submodules.length > 0) await own(forget, { signal });
  const all = submodules.map((path) => `:(top,literal,exclude)${path}`);
  const add = ["add", "--all", "--", ":(top)", ...all];
  // Files written during the snapshot are compared by content, without filters.
  await own(add, { signal });
  const base = line(await own(["write-tree"], { signal }));
  return {
    changes: async (until) => {
      if ((await realpath(root)) !== root) throw new GitError(add, "the worktree was replaced");
      // A fresh one, because git looks into the repositories that are in its index.
      const changed = { GIT_INDEX_FILE: join(place, "changes") };
      await copyIndex(index, changed.GIT_INDEX_FILE);
      await own(add, { signal: until, set: changed });
      return {
        diff: (args, maxChars) =>
          own([...PLAIN_DIFF, ...args, base], { signal: until, set: changed, maxChars }),
      };
    },
  };
}

/** The kept settings as options of git. */
async function keptSettings(
  trusted: (args: readonly string[]) => Promise<string>,
): Promise<readonly string[]> {
  // Git fails if there are none.
  const kept = await trusted(["config", "-z", "--get-regexp", KEPT_SETTINGS]).catch(() => "");
  const ignored = ["config", "--type=path", "--get", "core.excludesFile"];
  const excludesFile = line(await trusted(ignored).catch(() => ""));
  const settings = kept
    .split("\0")
    .filter(Boolean)
    .map((setting) => setting.replace("\n", "="));
  if (excludesFile !== "") settings.push(`core.excludesFile=${excludesFile}`);
  return settings.flatMap((setting) => ["-c", setting]);
}

/** An environment in which git reads only the settings passed to it. */
function withoutSettings(env: EnvOverlay): EnvOverlay {
  const names = Object.keys(env).filter((name) => /^GIT_/i.test(name));
  return {
    ...env,
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
  };
}

/** The submodules in the output of `git ls-files --stage -z`. */
function submodulesOf(stage: string): readonly string[] {
  return stage
    .split("\0")
    .flatMap((entry) =>
      entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
    );
}

/** Git compares the times of files with that of their index. */
async function copyIndex(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}

/** A line of output without its end; paths may end with spaces. */
function line(text: string): string {
  return text.replace(/\n$/, "");
}
