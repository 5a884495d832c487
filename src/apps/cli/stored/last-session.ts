import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  isJsonObject,
  type JsonObject,
  objectsField,
  stateFolder,
  type UserEnvironment,
  writeAtomically,
} from "../../../base/index.ts";
import { readIfPresent } from "../settings/files.ts";
import { hash } from "../settings/trust.ts";

/** The last session of an agent in a folder. */
export interface LastSession {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly title?: string | undefined;
}

/** A session that an earlier run has seen. */
export interface SeenSession extends LastSession {
  readonly agent: string;
}

/** How many sessions of an agent and folder are remembered for completion. */
const KEPT_SESSIONS = 20;
/** Completion must be fast, even after years of use. */
const MAX_FILES = 2000;

/**
 * Remembers the last session of each agent and folder, for `--continue`, and the sessions before it, for
 * completion. Each agent and folder has its own small file, which is replaced as a whole, so that
 * concurrent runs cannot corrupt it.
 */
export class SessionStore {
  readonly #base: string;

  constructor(io: UserEnvironment) {
    this.#base = join(stateFolder(io), "last-session");
  }

  /** The last session; undefined if there is none or its file is unreadable. */
  async last(agent: string, cwd: string): Promise<LastSession | undefined> {
    const last = (await read(this.#file(agent, cwd)))?.last;
    return last && { sessionId: last.sessionId, at: last.at };
  }

  /** Remembers a session as the last one. */
  async remember(agent: string, cwd: string, session: LastSession): Promise<void> {
    const before = await read(this.#file(agent, cwd));
    await this.#write(agent, cwd, session, [session, ...(before?.recent ?? [])]);
  }

  /** Remembers the sessions that the agent has listed, newest first, without a change of the last one. */
  async learn(agent: string, cwd: string, listed: readonly LastSession[]): Promise<void> {
    const before = await read(this.#file(agent, cwd));
    await this.#write(agent, cwd, before?.last, listed);
  }

  /** The sessions of a folder that earlier runs have seen, newest first, of one agent or of all. Never rejects. */
  async known(cwd: string, agent?: string): Promise<readonly SeenSession[]> {
    const files =
      agent === undefined
        ? (await readdir(this.#base).catch(() => [])).map((name) => join(this.#base, name))
        : [this.#file(agent, cwd)];
    const entries = await Promise.all(files.slice(0, MAX_FILES).map(read));
    return entries
      .flatMap((entry) =>
        entry?.cwd === cwd ? entry.recent.map((one) => ({ ...one, agent: entry.agent })) : [],
      )
      .toSorted((a, b) => (a.at < b.at ? 1 : -1));
  }

  #file(agent: string, cwd: string): string {
    return join(this.#base, `${hash(`${agent}\0${cwd}`)}.json`);
  }

  async #write(
    agent: string,
    cwd: string,
    last: LastSession | undefined,
    sessions: readonly LastSession[],
  ): Promise<void> {
    const ids = new Set<string>();
    const recent = sessions
      .filter(({ sessionId }) => !ids.has(sessionId) && ids.add(sessionId))
      .slice(0, KEPT_SESSIONS);
    const entry = { version: 1, agent, cwd, ...last, recent };
    await writeAtomically(this.#file(agent, cwd), `${JSON.stringify(entry)}\n`);
  }
}

interface StoredSessions {
  readonly agent: string;
  readonly cwd: string;
  readonly last: LastSession | undefined;
  readonly recent: readonly LastSession[];
}

async function read(file: string): Promise<StoredSessions | undefined> {
  try {
    const value: unknown = JSON.parse((await readIfPresent(file)) ?? "");
    if (!isJsonObject(value)) return undefined;
    const { agent, cwd } = value;
    if (typeof agent !== "string" || typeof cwd !== "string") return undefined;
    const last = toSession(value);
    const others = objectsField(value, "recent").flatMap((one) => toSession(one) ?? []);
    return { agent, cwd, last, recent: others.length === 0 && last ? [last] : others };
  } catch {
    return undefined;
  }
}

function toSession(value: JsonObject): LastSession | undefined {
  const { sessionId, at, title } = value;
  if (typeof sessionId !== "string" || typeof at !== "string") return undefined;
  return { sessionId, at, ...(typeof title === "string" ? { title } : {}) };
}
