import type { SessionArchiveFilter, SessionInfo } from "../../protocol/acp/index.ts";
import type { UnstableDefinition, SessionPage } from "../definition.ts";
import { invalidParams, notOneOf } from "../errors.ts";

const PAGE_SIZE = 50;

/**
 * Returns one page of a list, for `listSessions`. The cursor is a position in the list, which suits
 * lists that grow at their end. Throws -32602 for an invalid cursor.
 */
export function pageOf(
  sessions: readonly SessionInfo[],
  cursor: string | undefined,
  size: number = PAGE_SIZE,
): SessionPage {
  const start = cursor === undefined ? 0 : readCursor(cursor);
  if (start === undefined || start > sessions.length) {
    throw invalidParams({ path: "cursor", message: "is not a valid cursor for this list" });
  }
  const end = start + size;
  const page = sessions.slice(start, end);
  return end < sessions.length ? { sessions: page, nextCursor: `at-${end}` } : { sessions: page };
}

function readCursor(cursor: string): number | undefined {
  const position = /^at-(\d{1,9})$/.exec(cursor)?.[1];
  return position === undefined ? undefined : Number(position);
}

const FILTERS: readonly SessionArchiveFilter[] = ["exclude", "include", "only"];

/** Which sessions a client wants to list. Throws -32602 for a filter that the agent does not know. */
export function archiveFilterOf(
  params: { readonly archived?: unknown },
  { unstable, archiveSession }: UnstableDefinition,
): SessionArchiveFilter {
  const given = params.archived ?? undefined;
  if (unstable !== true || archiveSession === undefined || given === undefined) return "exclude";
  const filter = FILTERS.find((known) => known === given);
  if (filter !== undefined) return filter;
  throw notOneOf("archived", FILTERS);
}

/** A listed session. Without the switch, it does not say whether it is archived. Pure. */
export function listedSession(info: SessionInfo, unstable: boolean): SessionInfo {
  if (unstable || info.archived === undefined) return info;
  const { archived: _, ...rest } = info;
  return rest;
}
