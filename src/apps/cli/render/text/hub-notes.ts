import type { AgentEndCause, HubEvent } from "../../../../host/hub/index.ts";
import { messageOf } from "../../../../base/index.ts";
import { describeClose } from "../../../../transport/wire/index.ts";

const CAUSES: Readonly<Record<AgentEndCause, string | undefined>> = {
  died: undefined,
  ignored_cancel: "was ended because it did not end a cancelled turn",
  unresponsive: "was ended because it did not answer",
  flooded: "was ended because it sent too much that is not a message",
  idle: "was ended because it was idle",
  closed: undefined,
};

/** A note for people about an event of the hub; undefined if the event needs none. Pure. */
export function noteOf(event: HubEvent): string | undefined {
  switch (event.type) {
    case "agent_ended": {
      const { agent, cause, reason } = event;
      if (cause === "died") return `${agent}: ${describeClose(reason)}; ${AGAIN}`;
      const why = CAUSES[cause];
      return why === undefined ? undefined : `${agent} ${why}; ${AGAIN}`;
    }
    case "agent_started":
      return event.starts > 1 ? `${event.agent} was started again` : undefined;
    case "agent_start_failed": {
      const { agent, error, retryMs } = event;
      if (retryMs === undefined) return undefined;
      const wait = `the next attempt is in ${Math.ceil(retryMs / 1000)} s at the earliest`;
      return `could not start ${agent}: ${messageOf(error)}; ${wait}`;
    }
    case "session_lost":
      return `could not open the session ${event.sessionId} again: ${event.message}`;
    case "refused":
      return `refused ${event.method}: ${event.message}`;
    case "answered":
    case "client_attached":
    case "client_connected":
    case "client_left":
    case "session_closed":
    case "session_opened":
    case "session_reopened":
    case "turn_ended":
    case "turn_started":
      return undefined;
  }
}

const AGAIN = "it is started again with the next request";
