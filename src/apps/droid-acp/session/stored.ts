import { chmod, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonObject, stringsField, writeAtomically } from "../../../base/index.ts";
import type { SessionInfo } from "../../../protocol/acp/index.ts";
import { invalidParams, type SessionPage } from "../../../agent/index.ts";
import type { SessionSummary } from "../../../droid/index.ts";

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
    const text = await readFile(join(this.#folder, name), "utf8").catch(() => "");
    const ids = stringsField(parseJsonObject(text) ?? {}, "droidSessions");
    return ids.length === 0 ? undefined : ids;
  }
}

const PAGE_SIZE = 50;
/** Droid's title for a session without a name. */
const UNNAMED = "New Session";

export function realTitle(title: string | undefined): string | undefined {
  return title === undefined || title === "" || title === UNNAMED ? undefined : title;
}

/**
 * Droid's sessions under the ids that clients know. A compacted session is one entry, with the id of
 * its first part and the time of its last.
 */
export function sessionInfos(
  summaries: readonly SessionSummary[],
  chains: ReadonlyMap<string, readonly string[]>,
): readonly SessionInfo[] {
  const byId = new Map(summaries.map((summary) => [summary.sessionId, summary]));
  const idOf = new Map<string, string>();
  for (const [sessionId, chain] of chains) for (const part of chain) idOf.set(part, sessionId);
  return summaries.flatMap((summary): SessionInfo[] => {
    const sessionId = idOf.get(summary.sessionId) ?? summary.sessionId;
    const chain = chains.get(sessionId) ?? [summary.sessionId];
    const known = chain.filter((part) => byId.has(part));
    if (known.at(-1) !== summary.sessionId || summary.cwd === undefined) return [];
    const title = known.map((part) => realTitle(byId.get(part)?.title)).findLast(Boolean);
    return [
      {
        sessionId,
        cwd: summary.cwd,
        updatedAt: summary.updatedAt.toISOString(),
        ...(title === undefined ? {} : { title }),
      },
    ];
  });
}

/**
 * One page of a list sorted by time, newest first. The cursor names the last entry of the page, so
 * that sessions added or changed in the meantime neither repeat nor hide others.
 */
export function pageAfter(
  sessions: readonly SessionInfo[],
  cursor: string | undefined,
  size: number = PAGE_SIZE,
): SessionPage {
  const rest = cursor === undefined ? sessions : sessions.filter(isBehind(readCursor(cursor)));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return { sessions: page, nextCursor: last && rest.length > size ? writeCursor(last) : undefined };
}

function isBehind([at, id]: readonly [string, string]): (session: SessionInfo) => boolean {
  return ({ updatedAt, sessionId }) => {
    const time = updatedAt ?? "";
    return time < at || (time === at && sessionId > id);
  };
}

function writeCursor({ updatedAt, sessionId }: SessionInfo): string {
  return Buffer.from(JSON.stringify([updatedAt ?? "", sessionId])).toString("base64url");
}

/** The time and the id of the last session before. */
function readCursor(cursor: string): readonly [string, string] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value)) {
      const [at, id]: unknown[] = value;
      if (typeof at === "string" && typeof id === "string") return [at, id];
    }
  } catch {
    // The error below covers this case too.
  }
  throw invalidParams({ path: "cursor", message: "is not a cursor from this list" });
}
