import type { AvailableCommand } from "../../../protocol/acp/index.ts";
import type { Session } from "../../../client/index.ts";
import type { Renderer } from "../render/renderer.ts";

const reported = new WeakMap<Session, readonly AvailableCommand[]>();

export function markCommandsReported(session: Session): void {
  reported.set(session, session.commands);
}

/**
 * Reports commands that arrived before a turn. Agents send them right after the session opens, so it
 * depends on timing whether they arrive before or within the first turn. The output is the same.
 */
export async function reportCommands(
  renderer: Renderer,
  session: Session,
  commands: readonly AvailableCommand[],
): Promise<void> {
  if (commands.length === 0 || commands === reported.get(session)) return;
  await renderer.update({ type: "available_commands_update", text: "", raw: {}, commands });
}
