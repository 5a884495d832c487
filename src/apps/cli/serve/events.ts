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

/** A client may repeat a request that is refused many times a second. */
const REPEAT_MS = 10_000;
/** How many different notes are remembered. Beyond it, the oldest is forgotten. */
const MAX_NOTES = 100;
const MINUTE_MS = 60_000;
/** How many notes about refused requests a minute may have: anyone can send different origins. */
const MAX_PER_MINUTE = 60;

/** Leaves out notes about refused requests that repeat or are too many, and counts them. */
export class RefusalNotes {
  readonly #now: () => number;
  readonly #print: (text: string) => void;
  readonly #last = new Map<string, { readonly at: number; leftOut: number }>();
  #minute = { since: 0, printed: 0, leftOut: 0 };

  constructor(now: () => number, print: (text: string) => void) {
    this.#now = now;
    this.#print = print;
  }

  add(note: string): void {
    const at = this.#now();
    const last = this.#last.get(note);
    if (last && at - last.at < REPEAT_MS) {
      last.leftOut++;
      return;
    }
    if (at - this.#minute.since >= MINUTE_MS) {
      const { leftOut } = this.#minute;
      if (leftOut > 0) this.#print(`left out ${leftOut} more notes about refused requests`);
      this.#minute = { since: at, printed: 0, leftOut: 0 };
    }
    if (++this.#minute.printed > MAX_PER_MINUTE) {
      this.#minute.leftOut++;
      return;
    }
    this.#last.delete(note);
    this.#last.set(note, { at, leftOut: 0 });
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_NOTES && oldest !== undefined) this.#last.delete(oldest);
    this.#print(last && last.leftOut > 0 ? `${note} (and ${last.leftOut} times before)` : note);
  }
}

/** Records the events of a server, and prints those that people should know; with `--verbose`, all. */
export function eventReporter(
  { values, io }: Context,
  audit: ServeAudit,
  print: (text: string) => void,
): (event: ServeEvent) => void {
  const isVerbose = values.flag("verbose");
  const refusals = new RefusalNotes(() => io.now(), print);
  return (event) => {
    audit.event(event);
    const note = isVerbose ? hubEventLine(event) : hubEventNote(event, "operator");
    if (note === undefined) return;
    if (event.type === "request_refused" && !isVerbose) refusals.add(note);
    else print(note);
  };
}

export interface ServeAudit {
  readonly log: AuditLog;
  event(event: ServeEvent): void;
}
