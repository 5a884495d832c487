import { git, type GitOptions, GitError, GitNotFoundError } from "../../../../base/git/index.ts";
import { CliError, usageError } from "../../shell/exit.ts";

export interface Repository {
  readonly root: string;
  /** The commit that the agents start from. */
  readonly base: string;
}

/** The repository of a folder. Throws a usage error if the folder is in none, or if it has no commit. */
export async function repositoryOf(options: GitOptions): Promise<Repository> {
  const root = await git(["rev-parse", "--show-toplevel"], options).catch(
    orUsage("compare needs a git repository", "git init, and a first commit"),
  );
  const base = await git(["rev-parse", "--verify", "HEAD^{commit}"], options).catch(
    orUsage("compare needs a commit that the agents can start from", "git commit"),
  );
  return { root: root.replace(/\n$/, ""), base: base.trim() };
}

function orUsage(what: string, hint: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof GitNotFoundError) {
      throw new CliError("cannotStart", { what: "compare needs git, and git was not found" });
    }
    throw error instanceof GitError ? usageError(what, hint) : error;
  };
}

const SHOWN_PATHS = 3;

/** Throws a usage error if there are changes that are not committed: the agents would not see them. */
export async function expectCleanTree(root: string, options: GitOptions): Promise<void> {
  const args = ["--no-optional-locks", "status", "--porcelain", "-z", "--no-renames"];
  const entries = (await git(args, { ...options, cwd: root })).split("\0").filter(Boolean);
  if (entries.length === 0) return;
  const paths = entries.slice(0, SHOWN_PATHS).map((entry) => entry.slice(3));
  const rest = entries.length - paths.length;
  throw usageError(
    `compare needs a committed tree; uncommitted: ${paths.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`,
    "git commit, or git stash -u",
  );
}
