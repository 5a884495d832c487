import { chmod, copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  isJsonObject,
  objectsField,
  randomId,
  stateFolder,
  stringField,
  type UserEnvironment,
  writeAtomically,
} from "../../../../base/index.ts";
import { readIfPresent, hash } from "../../settings/files.ts";

/** The changes of one agent, kept for `compare --keep`. */
export interface KeptResult {
  readonly agent: string;
  /** The file with the patch. */
  readonly patch: string;
}

/** The results of the last comparison of each repository. Only the user can read them. */
export class ResultStore {
  readonly #folder: string;
  readonly #index: string;

  constructor(user: UserEnvironment, root: string) {
    this.#folder = join(stateFolder(user), "compare", "results", hash(root));
    this.#index = join(this.#folder, "results.json");
  }

  /** Replaces the results. The patches are copied. */
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

  /** The results of the last comparison; none if there was no comparison. */
  async read(): Promise<readonly KeptResult[]> {
    const text = await readIfPresent(this.#index).catch(() => undefined);
    try {
      const value: unknown = JSON.parse(text ?? "");
      if (!isJsonObject(value)) return [];
      return objectsField(value, "results").flatMap((one) => {
        const [agent, patch] = [stringField(one, "agent"), stringField(one, "patch")];
        if (agent === undefined || patch === undefined) return [];
        return [{ agent, patch: join(this.#folder, patch) }];
      });
    } catch {
      return [];
    }
  }
}
