import { openLoaded, changeSettings } from "./open.ts";
import type { DroidConnection } from "../process/connection.ts";
import type { DroidSession } from "./session.ts";
import { changeTo } from "../protocol/settings.ts";

/**
 * Makes Droid copy the session (a fork, or a compacted or rewound copy) and stays with the original
 * in every version.
 *
 * 0.99 and 0.117 silently switch to the copy: the next prompt would be stored in it, although the
 * model still sees the whole original. 0.117 gives a compacted copy the default model and autonomy,
 * and may report that only later. So the copy gets all settings of the original before the original
 * is loaded again.
 */
export async function copyAside<T>(
  connection: DroidConnection,
  session: DroidSession,
  copy: () => Promise<T>,
): Promise<T> {
  const { info, settings } = session;
  const result = await copy();
  if (connection.capabilities.copiesAside) return result;
  const change = changeTo(settings);
  await changeSettings(connection, session, change);
  // Loading a session resets its tools.
  const { additionalTools, disabledTools } = change;
  const tools = { additionalTools, disabledTools };
  await openLoaded(connection, session, info.sessionId, info.cwd ?? process.cwd(), tools);
  return result;
}
