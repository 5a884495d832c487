import type { AvailableCommand } from "../../acp/index.ts";
import type { Session } from "../../client/index.ts";
import type { Renderer } from "../render/renderer.ts";

const told = new WeakMap<Session, readonly AvailableCommand[]>();

/** The person has seen the commands that this session has now. */
export function markCommandsReported(session: Session): void {
  told.set(session, session.commands);
}

/**
 * Tells of commands that came before a turn. Agents send them right after the session is open, so it
 * is chance whether that is before or within the first turn; it is to look the same.
 */
export async function reportCommands(
  renderer: Renderer,
  session: Session,
  commands: readonly AvailableCommand[],
): Promise<void> {
  if (commands.length === 0 || commands === told.get(session)) return;
  await renderer.update({ type: "available_commands_update", text: "", raw: {}, commands });
}
