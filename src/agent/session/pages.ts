import type { SessionInfo } from "../../acp/index.ts";
import type { SessionPage } from "../definition.ts";
import { invalidParams } from "../errors.ts";

/** Sessions on a page unless told otherwise. */
const PAGE_SIZE = 50;

/**
 * Cuts one page out of a list, for `listSessions`. The cursor is the place in the list, which is
 * good for lists that grow at their end. Throws -32602 for a cursor that is none of its own.
 */
export function pageOf(
  sessions: readonly SessionInfo[],
  cursor: string | undefined,
  size: number = PAGE_SIZE,
): SessionPage {
  const start = cursor === undefined ? 0 : readCursor(cursor);
  if (start === undefined || start > sessions.length) {
    throw invalidParams({ path: "cursor", message: "is not a cursor of this list" });
  }
  const end = start + size;
  const page = sessions.slice(start, end);
  return end < sessions.length ? { sessions: page, nextCursor: `at-${end}` } : { sessions: page };
}

function readCursor(cursor: string): number | undefined {
  const place = /^at-(\d{1,9})$/.exec(cursor)?.[1];
  return place === undefined ? undefined : Number(place);
}
