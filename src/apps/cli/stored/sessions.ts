import { type JsonObject, objectsField, type UserEnvironment } from "../../../base/index.ts";
import { StateFiles } from "../settings/files.ts";
import { usageError } from "../shell/exit.ts";

/** The last session of an agent in a folder. */
export interface LastSession {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly title?: string | undefined;
}

interface SeenSession extends LastSession {
  readonly agent: string;
}

/** How many sessions of an agent and folder are remembered for completion. */
const KEPT_SESSIONS = 20;
/** Completion must be fast, even after years of use. */
const MAX_FILES = 2000;

/** Remembers the last session of each agent and folder, for `--continue`, and earlier ones for completion. */
export class SessionStore {
  readonly #files: StateFiles;

  constructor(io: UserEnvironment) {
    this.#files = new StateFiles(io, "last-session");
  }

  /** The last session; undefined if there is none or its file is unreadable. */
  async last(agent: string, cwd: string): Promise<LastSession | undefined> {
    const last = (await this.#read(agent, cwd))?.last;
    return last && { sessionId: last.sessionId, at: last.at };
  }

  async remember(agent: string, cwd: string, session: LastSession): Promise<void> {
    const before = await this.#read(agent, cwd);
    await this.#write(agent, cwd, session, [session, ...(before?.recent ?? [])]);
  }

  /** Remembers the sessions that the agent has listed, newest first, without a change of the last one. */
  async learn(agent: string, cwd: string, listed: readonly LastSession[]): Promise<void> {
    const before = await this.#read(agent, cwd);
    await this.#write(agent, cwd, before?.last, listed);
  }

  /** The sessions of a folder that earlier runs have seen, newest first, of one agent or of all. Never rejects. */
  async known(cwd: string, agent?: string): Promise<readonly SeenSession[]> {
    const entries =
      agent === undefined
        ? (await this.#files.all(MAX_FILES)).map(storedSessions)
        : [await this.#read(agent, cwd)];
    return entries
      .flatMap((entry) =>
        entry?.cwd === cwd ? entry.recent.map((one) => ({ ...one, agent: entry.agent })) : [],
      )
      .toSorted((a, b) => (a.at < b.at ? 1 : -1));
  }

  async #read(agent: string, cwd: string): Promise<StoredSessions | undefined> {
    return storedSessions(await this.#files.read(agent, cwd));
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
    await this.#files.write([agent, cwd], { agent, cwd, ...last, recent });
  }
}

interface StoredSessions {
  readonly agent: string;
  readonly cwd: string;
  readonly last: LastSession | undefined;
  readonly recent: readonly LastSession[];
}

function storedSessions(value: JsonObject | undefined): StoredSessions | undefined {
  const { agent, cwd } = value ?? {};
  if (value === undefined || typeof agent !== "string" || typeof cwd !== "string") return undefined;
  const last = toSession(value);
  const others = objectsField(value, "recent").flatMap((one) => toSession(one) ?? []);
  return { agent, cwd, last, recent: others.length === 0 && last ? [last] : others };
}

function toSession(value: JsonObject): LastSession | undefined {
  const { sessionId, at, title } = value;
  if (typeof sessionId !== "string" || typeof at !== "string") return undefined;
  return { sessionId, at, ...(typeof title === "string" ? { title } : {}) };
}

/** A name that the user gave to a session of an agent, in a folder. */
export interface SessionName {
  readonly name: string;
  readonly sessionId: string;
}

interface StoredName extends SessionName {
  readonly agent: string;
  readonly cwd: string;
}

const MAX_NAME = 100;
/** Letters, digits and common marks of any language, without a dash at the start: it must not look like a flag. */
const NAME = /^[\p{L}\p{N}_.][\p{L}\p{N}\p{M} _.:/@+-]*$/u;

export function checkSessionName(name: string): string {
  if (name.length <= MAX_NAME && NAME.test(name)) return name;
  throw usageError(
    `--session "${name}" is not a name: use at most ${MAX_NAME} letters, digits, spaces and . _ : / @ + -`,
  );
}

export class SessionNames {
  readonly #files: StateFiles;

  constructor(io: UserEnvironment) {
    this.#files = new StateFiles(io, "named-sessions");
  }

  async find(agent: string, cwd: string, name: string): Promise<string | undefined> {
    return storedName(await this.#files.read(agent, cwd, name))?.sessionId;
  }

  remember(agent: string, cwd: string, { name, sessionId }: SessionName): Promise<void> {
    return this.#files.write([agent, cwd, name], { agent, cwd, name, sessionId });
  }

  forget(agent: string, cwd: string, name: string): Promise<void> {
    return this.#files.remove(agent, cwd, name);
  }

  /** All names of an agent, in one folder or, without one, in all. Never rejects. */
  async all(agent: string, cwd: string | undefined): Promise<readonly StoredName[]> {
    return (await this.#files.all()).flatMap((value) => {
      const one = storedName(value);
      return one?.agent === agent && (cwd === undefined || one.cwd === cwd) ? [one] : [];
    });
  }
}

function storedName(value: JsonObject | undefined): StoredName | undefined {
  const { agent, cwd, name, sessionId } = value ?? {};
  if (typeof agent !== "string" || typeof cwd !== "string") return undefined;
  if (typeof name !== "string" || typeof sessionId !== "string") return undefined;
  return { agent, cwd, name, sessionId };
}
