import { openLoaded, changeSettings } from "./open.ts";
import type { DroidConnection } from "../process/connection.ts";
import type { DroidSession } from "./session.ts";
import { changeTo } from "../protocol/settings.ts";

/**
 * Has Droid make a copy of the session (a fork, a compacted or a rewound one) and stays with the
 * original, in every version.
 *
 * 0.99 and 0.117 go over to the copy without a word: the next prompt would be stored in it, though
 * the model still sees the whole of the original. 0.117 gives a compacted copy the default model
 * and autonomy, and may say so only later: it is given those of the original, all of them, before
 * the original is loaded again.
 */
export async function copyAside<T>(
  connection: DroidConnection,
  session: DroidSession,
  copy: () => Promise<T>,
): Promise<T> {
  const { info, settings } = session;
  const made = await copy();
  if (connection.capabilities.copiesAside) return made;
  await changeSettings(connection, session, changeTo(settings));
  await openLoaded(connection, session, info.sessionId, info.cwd ?? process.cwd(), {});
  return made;
}
