import { describeExit, messageOf, quoted, sanitizeLine } from "../../../../base/index.ts";
import type { AgentEndCause, ServeEvent } from "../../../../host/hub/index.ts";
import type { RefusedRequest } from "../../../../transport/remote/index.ts";
import { isOrigin } from "../../shell/option-values.ts";
import { type CloseReason, describeClose } from "../../../../transport/wire/index.ts";

/** How an agent ended; undefined if someone asked for it. */
const ENDS: Readonly<Record<AgentEndCause, string | undefined>> = {
  died: "ended",
  ignored_cancel: "did not end a cancelled turn, and was ended",
  unresponsive: "did not answer, and was ended",
  flooded: "sent too much that is not a message, and was ended",
  idle: "was ended because it was idle",
  closed: undefined,
};

/**
 * A note about an event of a hub; undefined if it needs none. The operator of a server learns whose agent it is
 * about; the only user of a proxy, what happens next. Pure.
 */
export function hubEventNote(event: ServeEvent, reader: "operator" | "user"): string | undefined {
  const isUser = reader === "user";
  const agent = "agent" in event && !isUser ? `${event.agent} (${event.owner})` : nameIn(event);
  switch (event.type) {
    case "agent_started":
      return isUser && event.starts > 1 ? `${agent} was restarted` : undefined;
    case "agent_ended": {
      const how = ENDS[event.cause];
      if (how === undefined || (event.cause === "idle" && !isUser)) return undefined;
      const note = [`${agent} ${how}`, ...closeOf(event.reason)].join(": ");
      return isUser ? `${note}; it is restarted with the next request` : note;
    }
    case "agent_start_failed": {
      const failed = `could not start ${agent}: ${messageOf(event.error)}`;
      if (!isUser) return failed;
      // The exit message reports the last failure.
      if (event.retryMs === undefined) return undefined;
      return `${failed}; the next attempt is in ${Math.ceil(event.retryMs / 1000)} s at the earliest`;
    }
    case "session_lost": {
      const whose = isUser ? "" : ` of ${event.owner}`;
      return `could not reopen session ${event.sessionId}${whose}: ${event.message}`;
    }
    case "refused":
      return isUser ? `refused ${event.method}: ${event.message}` : undefined;
    case "request_refused":
      return requestNote(event);
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

/**
 * Who may not connect, and the option that would allow it. Anyone can send the text, and people copy the
 * option into a shell, so it is left out unless it needs no quotes.
 */
function requestNote(refused: RefusedRequest): string | undefined {
  const { reason, address = "an unknown address" } = refused;
  switch (reason) {
    case undefined:
      return undefined;
    case "host": {
      const host = shown(refused.host);
      const name = host.replace(/:\d*$/, "");
      const hint = quoted(name) === name ? `; allow it with --host-name ${name}` : "";
      return `refused host ${host}${hint}`;
    }
    case "origin": {
      const origin = shown(refused.origin);
      const canAllow = isOrigin(origin) && quoted(origin) === origin;
      return `refused origin ${origin}${canAllow ? `; allow it with --origin ${origin}` : ""}`;
    }
    case "no_token":
      return `refused a connection from ${address}: no token`;
    case "wrong_token":
      return `refused a connection from ${address}: wrong token`;
    case "token_in_address":
      return `refused a connection from ${address}: a token in the address`;
  }
}

const MAX_SHOWN_CHARS = 100;

function shown(header = "(none)"): string {
  return sanitizeLine(header.slice(0, MAX_SHOWN_CHARS));
}

/** How a process ended by itself. */
function closeOf(reason: CloseReason): readonly string[] {
  return reason.kind === "closed" ? [] : [describeClose(reason)];
}

function nameIn(event: ServeEvent): string {
  return "agent" in event ? event.agent : "";
}

/** A line of a log about any event, with its reason. Pure. */
export function hubEventLine(event: ServeEvent): string {
  const fields = Object.entries(hubEventFields(event)).map(
    ([name, value]) => `${name}=${String(value)}`,
  );
  return [event.type, ...fields, ...reasonOf(event).map((text) => `(${text})`)].join(" ");
}

function reasonOf(event: ServeEvent): readonly string[] {
  if (event.type === "agent_ended") return closeOf(event.reason);
  if ("error" in event) return [event.error.message];
  return "message" in event ? [event.message] : [];
}

/** The fields of an event for logs, without the content of any session. Pure. */
export function hubEventFields(event: ServeEvent): Readonly<Record<string, unknown>> {
  const fields = Object.entries(event).filter(
    ([name, value]) => SHOWN.has(name) && value !== undefined && typeof value !== "object",
  );
  const exit = event.type === "agent_ended" && "exit" in event.reason && event.reason.exit;
  return { ...Object.fromEntries(fields), ...(exit ? { exit: describeExit(exit) } : {}) };
}

const SHOWN: ReadonlySet<string> = new Set(
  [
    ["agent", "owner", "pid", "starts", "ms", "cause", "role", "sessionId", "method", "by"],
    ["outcome", "transport", "address", "path", "status", "reason", "origin", "host", "what"],
  ].flat(),
);
