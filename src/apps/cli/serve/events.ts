import type { ServeEvent, AuditLog } from "../../../host/hub/index.ts";
import { redactText } from "../../../base/index.ts";
import type { Context } from "../context/context.ts";
import { hubEventLine, hubEventNote } from "../render/text/hub-events.ts";

/**
 * Prints notes of a server, without secrets: errors quote agents and addresses. Notes that nobody reads in time
 * are left out.
 */
export function serverNotePrinter({
  renderer,
  screen,
}: {
  readonly renderer: Pick<Context["renderer"], "note">;
  readonly screen: Pick<Context["screen"], "isStderrFull">;
}): (text: string) => void {
  return (text) => {
    if (!screen.isStderrFull) renderer.note(redactText(text));
  };
}

/** Records the events of a server, and prints those that people should know; with `--verbose`, all. */
export function eventReporter(
  { values }: Context,
  audit: ServeAudit,
  print: (text: string) => void,
): (event: ServeEvent) => void {
  const isVerbose = values.flag("verbose");
  return (event) => {
    audit.event(event);
    const note = isVerbose ? hubEventLine(event) : hubEventNote(event, "operator");
    if (note !== undefined) print(note);
  };
}

export interface ServeAudit {
  readonly log: AuditLog;
  event(event: ServeEvent): void;
}
