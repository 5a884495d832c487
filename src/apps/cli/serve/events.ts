import {
  type AgentEndCause,
  type ServeEvent,
  type AuditLog,
  defaultAuditFile,
  openAuditLog,
} from "../../../host/hub/index.ts";
import { redactText, describeExit, messageOf } from "../../../base/index.ts";
import { describeClose } from "../../../transport/wire/index.ts";
import type { Context } from "../context/context.ts";
import { resolve } from "node:path";
import { usageError } from "../shell/exit.ts";

/**
 * Prints notes of a server, without secrets: errors quote agents and addresses. Notes that nobody reads in time
 * are left out.
 */
export function notePrinter({
  renderer,
  screen,
}: {
  readonly renderer: Pick<Context["renderer"], "note">;
  readonly screen: Pick<Context["screen"], "isStoryOverloaded">;
}): (text: string) => void {
  return (text) => {
    if (!screen.isStoryOverloaded) renderer.note(redactText(text));
  };
}

/** Records the events of a server, and prints those that people should know; with `--verbose`, all. */
export function eventReporter(
  { values }: Context,
  audit: ServeAudit,
  print: (text: string) => void,
): (event: ServeEvent) => void {
  const describe = values.flag("verbose") ? lineOf : noteOf;
  return (event) => {
    audit.event(event);
    const note = describe(event);
    if (note !== undefined) print(note);
  };
}

const ENDS: Readonly<Record<AgentEndCause, string | undefined>> = {
  died: "ended",
  ignored_cancel: "did not end a cancelled turn, and was ended",
  unresponsive: "did not answer, and was ended",
  flooded: "sent too much, and was ended",
  idle: undefined,
  closed: undefined,
};

/** A line for people about an event; undefined for those that are only worth one with `--verbose`. Pure. */
export function noteOf(event: ServeEvent): string | undefined {
  switch (event.type) {
    case "agent_ended": {
      const how = ENDS[event.cause];
      return how && `${event.agent} (${event.owner}) ${how}: ${describeClose(event.reason)}`;
    }
    case "agent_start_failed":
      return `could not start ${event.agent} (${event.owner}): ${event.error.message}`;
    case "session_lost":
      return `could not reopen session ${event.sessionId} of ${event.owner}: ${event.message}`;
    case "reloaded":
      return `read the changed ${event.what} again`;
    case "reload_failed":
      return `the changed ${event.what} cannot be used, so the old ones stay valid: ${event.error.message}`;
    case "draining":
      return "waiting for running turns; a second signal ends them";
    default:
      return undefined;
  }
}

/** A line for `--verbose` about every event. Pure. */
export function lineOf(event: ServeEvent): string {
  const fields = Object.entries(fieldsOf(event)).map(([name, value]) => `${name}=${String(value)}`);
  return [event.type, ...fields].join(" ");
}

/** The fields of an event for logs, without the content of any session. Pure. */
function fieldsOf(event: ServeEvent): Readonly<Record<string, unknown>> {
  const fields = Object.entries(event).filter(([name]) => SHOWN.has(name));
  return { ...Object.fromEntries(fields), ...exitOf(event) };
}

function exitOf(event: ServeEvent): { readonly exit?: string } {
  if (event.type !== "agent_ended" || !("exit" in event.reason)) return {};
  const { exit } = event.reason;
  return exit ? { exit: describeExit(exit) } : {};
}

const SHOWN: ReadonlySet<string> = new Set([
  "agent",
  "owner",
  "pid",
  "starts",
  "ms",
  "cause",
  "role",
  "sessionId",
  "method",
  "by",
  "outcome",
  "transport",
  "address",
  "path",
  "status",
  "what",
]);

interface ServeAudit {
  readonly log: AuditLog;
  event(event: ServeEvent): void;
}

/** If more lines than this wait for the disk, events are only counted. */
const MAX_WAITING = 1000;

/** Opens the file of `--audit-log`. `print` reports failures. Throws a usage error. */
export function openAuditFile(
  { io, values }: Pick<Context, "io" | "values">,
  print: (text: string) => void,
): Promise<AuditLog> {
  const given = values.text("audit-log");
  const file = given === undefined ? defaultAuditFile(io) : resolve(io.cwd, given);
  const onError = (error: unknown): void => {
    print(`could not write the audit log ${file}: ${messageOf(error)}`);
  };
  return openAuditLog(file, { onError }).catch((error: unknown) => {
    throw usageError(`could not open the audit log ${file}: ${messageOf(error)}`);
  });
}

/** Opens the audit log of a server, which gets its events as well. Throws a usage error. */
export async function openAudit(
  context: Context,
  print: (text: string) => void,
): Promise<ServeAudit> {
  const log = await openAuditFile(context, print);
  let waiting = 0;
  let leftOut = 0;
  const note = (type: string, fields: Readonly<Record<string, unknown>>): void => {
    waiting++;
    void log.note(type, fields).then(() => waiting--);
  };
  return {
    log,
    event(event) {
      // Answers are recorded as decisions.
      if (event.type === "answered") return;
      // Everyone who reaches the port can cause events, faster than a disk writes.
      if (waiting >= MAX_WAITING) {
        leftOut++;
        return;
      }
      if (leftOut > 0) note("left_out", { events: leftOut });
      leftOut = 0;
      note(event.type, fieldsOf(event));
    },
  };
}
