import { chmod, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  isJsonObject,
  stateFolder,
  type UserEnvironment,
  writeAtomically,
} from "../../../base/index.ts";

/** The folder in which droid-acp keeps state between runs. Pure. */
export function adapterStateFolder(user: UserEnvironment): string {
  return join(stateFolder(user), "droid-acp");
}

/** Ids become file names, so an id that could lead to another folder is not stored. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;
const SUFFIX = ".json";

/**
 * The ids that each session of the client has had in Droid, from the first to the current one.
 *
 * Compacting gives the session a new id in Droid, while the client keeps its own. Only compacted
 * sessions are stored, each in a small file that is replaced as a whole, so that several adapters can
 * run at the same time.
 */
export class SessionIds {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, "sessions");
  }

  /** The ids of a session in Droid, oldest first. Only a compacted session has several. */
  async chainOf(sessionId: string): Promise<readonly string[]> {
    if (!SAFE_ID.test(sessionId)) return [sessionId];
    return (await this.#read(`${sessionId}${SUFFIX}`)) ?? [sessionId];
  }

  /** Stores the current id of a session in Droid. */
  async append(sessionId: string, droidId: string): Promise<void> {
    if (!SAFE_ID.test(sessionId)) return;
    const chain = await this.chainOf(sessionId);
    if (chain.at(-1) === droidId) return;
    const text = `${JSON.stringify({ droidSessions: [...chain, droidId] })}\n`;
    await writeAtomically(join(this.#folder, `${sessionId}${SUFFIX}`), text);
    // Earlier versions let others read the folder and the files in it.
    await chmod(this.#folder, 0o700);
  }

  async remove(sessionId: string): Promise<void> {
    if (SAFE_ID.test(sessionId))
      await rm(join(this.#folder, `${sessionId}${SUFFIX}`), { force: true });
  }

  /** All compacted sessions. */
  async all(): Promise<ReadonlyMap<string, readonly string[]>> {
    const names = await readdir(this.#folder).catch(() => []);
    const chains = new Map<string, readonly string[]>();
    for (const name of names) {
      const sessionId = name.slice(0, -SUFFIX.length);
      if (!name.endsWith(SUFFIX) || !SAFE_ID.test(sessionId)) continue;
      const chain = await this.#read(name);
      if (chain) chains.set(sessionId, chain);
    }
    return chains;
  }

  async #read(name: string): Promise<readonly string[] | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(join(this.#folder, name), "utf8"));
      const list = isJsonObject(value) ? value["droidSessions"] : undefined;
      const ids = Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
      return ids.length === 0 ? undefined : ids;
    } catch {
      return undefined;
    }
  }
}
