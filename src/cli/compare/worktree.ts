import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomId, startTimeOf, stateFolder, type UserEnvironment } from "../../wire/index.ts";
import { isRunning } from "../session/stored/lock.ts";
import { git, type GitOptions, type Repository } from "./git.ts";

/** A changed file. */
export interface ChangedFile {
  readonly path: string;
  /** Undefined for a binary file. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/** Everything that an agent changed in its worktree. */
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
  readonly #open: Worktree[] = [];

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
    const worktree = { path, gitFolder: "", index: join(this.folder, `index-${index}`) };
    this.#open.push(worktree);
    const options = { ...this.#options, cwd: root, signal };
    await git(["worktree", "add", "--quiet", "--detach", path, base], options);
    const gitFolder = await git(["rev-parse", "--absolute-git-dir"], { ...options, cwd: path });
    const added = { ...worktree, gitFolder: gitFolder.replace(/\n$/, "") };
    // A copy of the index, because an agent that is ended may leave the real one locked.
    await copyFile(join(added.gitFolder, "index"), added.index);
    return added;
  }

  /** Collects the changes in a worktree, whether the agent committed them or not. */
  async changes({ path, gitFolder, index }: Worktree, signal: AbortSignal): Promise<Changes> {
    // The git folder is named, because an agent may have removed the file that leads to it.
    const where = [`--git-dir=${gitFolder}`, `--work-tree=${path}`];
    const options = { ...this.#options, cwd: path, signal, set: { GIT_INDEX_FILE: index } };
    const run = (args: readonly string[], maxChars?: number): Promise<string> =>
      git([...where, ...args], { ...options, ...(maxChars === undefined ? {} : { maxChars }) });
    await run(["add", "--all"]);
    const { base } = this.#repository;
    const diff = [
      "diff",
      "--cached",
      "--no-renames",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
    ];
    const patch = `${index}.patch`;
    await run([...diff, "--binary", `--output=${patch}`, base]);
    const text = await run([...diff, base], SHOWN_DIFF_CHARS + 1);
    return {
      files: parseNumstat(await run([...diff, "--numstat", "-z", base])),
      diff: text.slice(0, SHOWN_DIFF_CHARS),
      diffTruncated: text.length > SHOWN_DIFF_CHARS,
      patch,
    };
  }

  /** Removes all worktrees and their folder. Never rejects. */
  async remove(): Promise<void> {
    for (const { path } of this.#open) await removeWorktree(path, this.#options, this.#repository);
    await rm(this.folder, { recursive: true, force: true }).catch(() => {});
  }
}

export interface Worktree {
  readonly path: string;
  readonly gitFolder: string;
  readonly index: string;
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
    if (isRunning(pid, start)) continue;
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

/** Git refuses to remove a worktree that an agent has damaged, but forgets one that is gone. */
async function removeWorktree(
  path: string,
  { env, cwd }: GitOptions,
  { root }: Repository,
): Promise<void> {
  const options = { env, cwd: root || cwd };
  const args = ["worktree", "remove", "--force", "--force", path];
  const isRemoved = await git(args, options).then(
    () => true,
    () => false,
  );
  if (isRemoved) return;
  await rm(path, { recursive: true, force: true }).catch(() => {});
  await git(args, options).catch(() => {});
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
