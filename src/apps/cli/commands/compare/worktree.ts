import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  git,
  type GitOptions,
  takeSnapshot,
  type WorktreeSnapshot,
} from "../../../../base/git/index.ts";
import {
  randomId,
  startTimeOf,
  stateFolder,
  type UserEnvironment,
} from "../../../../base/index.ts";
import { isSameProcess } from "../../stored/lock.ts";
import type { Repository } from "./repository.ts";

export interface ChangedFile {
  readonly path: string;
  /** Undefined for a binary file. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

export interface Changes {
  readonly files: readonly ChangedFile[];
  /** The changes as text, without binary content. */
  readonly diff: string;
  /** True if `diff` is only the beginning. */
  readonly diffTruncated: boolean;
  /** The file with the whole patch. */
  readonly patch: string;
}

/** How much of a diff is shown: 1 Mi characters. The patch for `--keep` has all of it. */
const SHOWN_DIFF_CHARS = 1024 * 1024;

/**
 * The worktrees of one comparison, in a folder that is named after its process. A run that was killed
 * leaves its folder behind; the next comparison in the same repository removes it.
 */
export class Worktrees {
  readonly folder: string;
  readonly #repository: Repository;
  readonly #options: GitOptions;
  readonly #open: string[] = [];

  constructor(user: UserEnvironment, repository: Repository, options: GitOptions) {
    this.#repository = repository;
    this.#options = options;
    const name = `${process.pid}.${startTimeOf(process.pid)}.${randomId()}`;
    this.folder = join(baseFolder(user), name);
  }

  /** Adds a worktree for an agent at the base commit. Rejects with GitError, or if the signal is aborted. */
  async add(index: number, signal: AbortSignal): Promise<Worktree> {
    const { root, base } = this.#repository;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, `tree-${index}`);
    this.#open.push(path);
    const { env } = this.#options;
    await git(["worktree", "add", "--quiet", "--detach", path, base], { env, cwd: root, signal });
    const snapshot = await takeSnapshot(path, join(this.folder, `files-${index}`), { env, signal });
    return { path, snapshot, patch: join(this.folder, `${index}.patch`) };
  }

  /** Collects the changes in a worktree, whether the agent committed them or not. */
  async changes({ snapshot, patch }: Worktree, signal: AbortSignal): Promise<Changes> {
    const changes = await snapshot.changes(signal);
    const diff = (args: readonly string[], maxChars?: number): Promise<string> =>
      changes.diff(["--no-renames", ...args], maxChars);
    await diff(["--binary", `--output=${patch}`]);
    const text = await diff([], SHOWN_DIFF_CHARS + 1);
    return {
      files: parseNumstat(await diff(["--numstat", "-z"])),
      diff: text.slice(0, SHOWN_DIFF_CHARS),
      diffTruncated: text.length > SHOWN_DIFF_CHARS,
      patch,
    };
  }

  async remove(): Promise<void> {
    for (const path of this.#open) await removeWorktree(path, this.#options, this.#repository);
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
  }
}

export interface Worktree {
  readonly path: string;
  readonly snapshot: WorktreeSnapshot;
  readonly patch: string;
}

/** Removes the worktrees of comparisons in this repository whose process was killed. Never rejects. */
export async function removeLeftovers(
  user: UserEnvironment,
  repository: Repository,
  options: GitOptions,
): Promise<void> {
  const base = baseFolder(user);
  const names = await readdir(base).catch(() => []);
  for (const name of names) {
    const [pid = 0, start = 0] = name.split(".").map(Number);
    if (isSameProcess(pid, start)) continue;
    const folder = join(base, name);
    const listed = await git(["worktree", "list", "--porcelain", "-z"], {
      ...options,
      cwd: repository.root,
    }).catch(() => "");
    const paths = listed
      .split("\0")
      .flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []));
    for (const path of paths)
      if (path.startsWith(join(folder, "/"))) await removeWorktree(path, options, repository);
    // Worktrees of another repository stay until that repository is compared again.
    const left = await readdir(folder).catch(() => []);
    if (!left.some((entry) => entry.startsWith("tree-")))
      await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** The folder goes first, because git would look at what an agent left in it. */
async function removeWorktree(
  path: string,
  { env, cwd }: GitOptions,
  { root }: Repository,
): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => {});
  const args = ["worktree", "remove", "--force", "--force", path];
  await git(args, { env, cwd: root || cwd }).catch(() => {});
}

function baseFolder(user: UserEnvironment): string {
  return join(stateFolder(user), "compare", "running");
}

/** Parses `git diff --numstat -z` without renames. Pure. */
export function parseNumstat(output: string): readonly ChangedFile[] {
  return output
    .split("\0")
    .filter(Boolean)
    .map((entry) => {
      const [added = "", removed = "", ...path] = entry.split("\t");
      return { path: path.join("\t"), added: countOf(added), removed: countOf(removed) };
    });
}

/** Git prints a dash for binary files. */
function countOf(text: string): number | undefined {
  return text === "-" ? undefined : Number(text);
}
