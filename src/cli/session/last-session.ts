import { join } from "node:path";
import { isJsonObject } from "../../wire/index.ts";
import { readIfPresent } from "../settings/files.ts";
import { stateFolder, type UserEnvironment, writeAtomically } from "../../wire/index.ts";
import { hash } from "../settings/trust.ts";

/** The last session of an agent in a folder. */
export interface LastSession {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Remembers the last session of each agent and folder, for `--continue`. Each has its own small file,
 * which is replaced as a whole, so that concurrent runs cannot corrupt it.
 */
export class SessionStore {
  readonly #file: (agent: string, cwd: string) => string;

  constructor(io: UserEnvironment) {
    const base = join(stateFolder(io), "last-session");
    this.#file = (agent, cwd) => join(base, `${hash(`${agent}\0${cwd}`)}.json`);
  }

  /** The last session; undefined if there is none or its file is unreadable. */
  async last(agent: string, cwd: string): Promise<LastSession | undefined> {
    const text = await readIfPresent(this.#file(agent, cwd)).catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (!isJsonObject(value)) return undefined;
      const { sessionId, at } = value;
      if (typeof sessionId !== "string" || typeof at !== "string") return undefined;
      return { sessionId, at };
    } catch {
      return undefined;
    }
  }

  async remember(agent: string, cwd: string, session: LastSession): Promise<void> {
    const entry = { version: 1, agent, cwd, ...session };
    await writeAtomically(this.#file(agent, cwd), `${JSON.stringify(entry)}\n`);
  }
}
