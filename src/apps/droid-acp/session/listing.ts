/** The list of sessions for clients. Pure. */
import type { SessionInfo } from "../../../protocol/acp/index.ts";
import { invalidParams, type SessionPage } from "../../../agent/index.ts";
import type { SessionSummary } from "../../../droid/index.ts";

const PAGE_SIZE = 50;
/** Droid's title for a session without a name. */
const UNNAMED = "New Session";

/** The title, unless it is empty or a placeholder. */
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
  return last && rest.length > size
    ? { sessions: page, nextCursor: writeCursor(last) }
    : { sessions: page };
}

interface ListPosition {
  readonly at: string;
  readonly id: string;
}

function isBehind({ at, id }: ListPosition): (session: SessionInfo) => boolean {
  return ({ updatedAt, sessionId }) => {
    const time = updatedAt ?? "";
    return time < at || (time === at && sessionId > id);
  };
}

function writeCursor({ updatedAt, sessionId }: SessionInfo): string {
  return Buffer.from(JSON.stringify([updatedAt ?? "", sessionId])).toString("base64url");
}

function readCursor(cursor: string): ListPosition {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value)) {
      const [at, id]: unknown[] = value;
      if (typeof at === "string" && typeof id === "string") return { at, id };
    }
  } catch {
    // The error below covers this case too.
  }
  throw invalidParams({ path: "cursor", message: "is not a cursor from this list" });
}
