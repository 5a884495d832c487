import { stat, chmod, copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { git, GitError, type GitOptions } from "../../../../base/git/index.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { type ChangedFile, parseNumstat } from "./worktree.ts";
import { join } from "node:path";
import {
  asObject,
  parseJsonObject,
  objectsField,
  randomId,
  stateFolder,
  stringField,
  type UserEnvironment,
  writeAtomically,
  nearest,
} from "../../../../base/index.ts";
import { readIfPresent, sha256Hex } from "../../settings/files.ts";
import { repositoryOf } from "./repository.ts";

/** `compare --keep NAME`: applies all changes of one agent from the last comparison, or none. */
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

interface KeptResult {
  readonly agent: string;
  readonly patch: string;
}

/** The results of the last comparison of each repository. Only the user can read them. */
export class ResultStore {
  readonly #folder: string;
  readonly #index: string;

  constructor(user: UserEnvironment, root: string) {
    this.#folder = join(stateFolder(user), "compare", "results", sha256Hex(root));
    this.#index = join(this.#folder, "results.json");
  }

  async replace(results: readonly KeptResult[]): Promise<void> {
    const run = randomId();
    await mkdir(join(this.#folder, run), { recursive: true, mode: 0o700 });
    const kept: KeptResult[] = [];
    for (const [index, { agent, patch }] of results.entries()) {
      const name = join(run, `${index}.patch`);
      await copyFile(patch, join(this.#folder, name));
      await chmod(join(this.#folder, name), 0o600);
      kept.push({ agent, patch: name });
    }
    await writeAtomically(this.#index, `${JSON.stringify({ version: 1, results: kept })}\n`);
    for (const name of await readdir(this.#folder))
      if (name !== run && name !== "results.json")
        await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  async read(): Promise<readonly KeptResult[]> {
    const text = await readIfPresent(this.#index).catch(() => undefined);
    return objectsField(asObject(parseJsonObject(text ?? "")), "results").flatMap((one) => {
      const [agent, patch] = [stringField(one, "agent"), stringField(one, "patch")];
      if (agent === undefined || patch === undefined) return [];
      return [{ agent, patch: join(this.#folder, patch) }];
    });
  }
}
