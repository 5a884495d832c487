import { stat } from "node:fs/promises";
import { git, GitError, type GitOptions } from "../../../../base/git/index.ts";
import { nearest } from "../../shell/suggest.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { repositoryOf } from "./repository.ts";
import { ResultStore } from "./results.ts";
import { type ChangedFile, parseNumstat } from "./worktree.ts";

/**
 * `compare --keep NAME`: applies the changes of one agent from the last comparison to the user's files.
 * Applies all of them or none. Throws a CliError.
 */
export async function keepResult(context: Context, name: string): Promise<readonly ChangedFile[]> {
  const { io, cwd } = context;
  const options: GitOptions = { env: io.env, cwd };
  const { root } = await repositoryOf(options);
  const results = await new ResultStore(io, root).read();
  const names = results.map(({ agent }) => agent);
  if (names.length === 0)
    throw usageError(`there is no comparison in ${root}`, "dragoman compare -a A,B PROMPT");
  const found = results.find(({ agent }) => agent === name);
  if (found === undefined) {
    const hint = nearest(name, names);
    const what = `"${name}" was not in the last comparison, only ${names.join(", ")}`;
    throw usageError(what, hint === undefined ? undefined : `--keep ${hint}`);
  }
  const size = await stat(found.patch).then(
    (file) => file.size,
    () => undefined,
  );
  if (size === undefined)
    throw usageError(`the changes of ${name} are gone`, "dragoman compare again");
  if (size === 0) return [];
  const inRoot = { ...options, cwd: root };
  try {
    const files = parseNumstat(await git(["apply", "--numstat", "-z", found.patch], inRoot));
    await git(["apply", "--whitespace=nowarn", found.patch], inRoot);
    return files;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const [why = ""] = error.stderr.split("\n");
    throw new CliError("usage", {
      what: `the changes of ${name} do not fit your files anymore, and nothing was changed: ${why.replace(/^error: /, "")}`,
      hint: "git stash your own changes, or compare again",
    });
  }
}
