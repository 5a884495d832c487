import type { AgentEndCause, ServeEvent } from "../../../host/hub/index.ts";
import { redactText, describeExit } from "../../../base/index.ts";
import { describeClose } from "../../../transport/wire/index.ts";
import type { Context } from "../context/context.ts";

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
export function fieldsOf(event: ServeEvent): Readonly<Record<string, unknown>> {
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
