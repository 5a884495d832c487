import type { SessionInfo } from "../../acp/index.ts";
import type { SessionPage } from "../definition.ts";
import { invalidParams } from "../errors.ts";

/** Default number of sessions on a page. */
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
