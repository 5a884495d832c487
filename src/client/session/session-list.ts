import {
  AGENT_METHODS,
  ProtocolViolation,
  readListResult,
  type RequestOptions,
  type SessionArchiveFilter,
  type SessionInfo,
} from "../../protocol/acp/index.ts";
import { definedFields } from "../../base/index.ts";
import type { SessionHost } from "./session-host.ts";

/** `onMeta` receives the `_meta` of each page. */
export interface ListSessionsOptions extends RequestOptions {
  /** Lists only the sessions in this folder. An absolute path. */
  readonly cwd?: string | undefined;
  /**
   * Whether archived sessions are listed. Default: `exclude`. Needs `unstable: true` and
   * `sessionCapabilities.archive`.
   */
  readonly archived?: SessionArchiveFilter | undefined;
}

/** Fetches the stored sessions, a page at a time. Throws the errors of a call. */
export async function* sessionPages(
  host: Pick<SessionHost, "call">,
  options: ListSessionsOptions,
): AsyncGenerator<SessionInfo, undefined> {
  const method = AGENT_METHODS.listSessions;
  const { cwd, archived } = options;
  const filter = definedFields({ cwd, archived });
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? filter : { ...filter, cursor };
    const page = await host.call(method, params, readListResult, options);
    yield* page.sessions;
    cursor = page.nextCursor;
    if (cursor === undefined) return undefined;
    // Without this check, an agent that repeats a cursor would be asked forever.
    if (seen.has(cursor)) {
      const expected = "a cursor that was not used before";
      throw new ProtocolViolation(method, "nextCursor", expected, cursor);
    }
    seen.add(cursor);
  } while (true);
}
