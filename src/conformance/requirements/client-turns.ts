import type { Requirement } from "../requirement.ts";
import { area as areaOf, type RequirementRow } from "./rows.ts";

function area(name: string, rows: readonly RequirementRow[]): readonly Requirement[] {
  return areaOf(name, rows, "client");
}

const prompt = area("prompt", [
  [
    "DRC-PRM-01",
    "MUST",
    "turn",
    "prompt-turn#1-user-message",
    "The client sends only content that the agent can take.",
  ],
  [
    "DRC-PRM-02",
    "WARN",
    "turn",
    "prompt-turn#stop-reasons",
    "The client tells stop reasons apart and reports unknown ones and errors.",
  ],
  [
    "DRC-PRM-03",
    "WARN",
    "turn",
    "prompt-turn#message-ids",
    "The answer is exact, without thoughts, and split by messageId.",
  ],
  [
    "DRC-PRM-04",
    "WARN",
    "load",
    "",
    "Updates after the response neither break the client nor belong to the next turn.",
  ],
]);

const updates = area("updates", [
  [
    "DRC-UPD-01",
    "WARN",
    "turn",
    "",
    "Unknown updates, content types and fields are ignored, and the rest of the turn is complete.",
  ],
  [
    "DRC-UPD-02",
    "WARN",
    "turn",
    "",
    "Unknown kinds, statuses and priorities, and missing optional fields, do not break the turn.",
  ],
  [
    "DRC-UPD-03",
    "MUST",
    "load",
    "session-config-options#option-categories",
    "Options of an unknown category or type do not break the client.",
  ],
  ["DRC-UPD-04", "WARN", "turn", "", "Tool updates in an odd order do not break the turn."],
  [
    "DRC-UPD-05",
    "MUST",
    "person",
    "agent-plan#updating-plans",
    "A plan replaces the plan before it.",
  ],
  [
    "DRC-UPD-06",
    "SHOULD",
    "person",
    "session-config-options#relationship-to-session-modes",
    "The client uses configOptions instead of modes if both are given.",
  ],
]);

const cancel = area("cancel", [
  [
    "DRC-CAN-01",
    "MUST",
    "cancel",
    "prompt-turn#cancellation",
    "A cancel is one notification with the id of the session.",
  ],
  [
    "DRC-CAN-02",
    "SHOULD",
    "cancel",
    "prompt-turn#cancellation",
    "After a cancel, the client still takes updates and waits for the response.",
  ],
  [
    "DRC-CAN-03",
    "WARN",
    "cancel",
    "",
    "An agent that ignores the cancel or answers it with an error does not hold up the client.",
  ],
  ["DRC-CAN-04", "WARN", "cancel", "", "The next prompt after a cancel works."],
]);

const end = area("end", [
  [
    "DRC-END-01",
    "WARN",
    "turn",
    "",
    "The client reports the end of the agent at any moment, with code and stderr, in bounded time.",
  ],
  [
    "DRC-END-02",
    "WARN",
    "turn",
    "",
    "An agent that hangs or closes its stdout does not hold up the client forever.",
  ],
  [
    "DRC-END-03",
    "WARN",
    "turn",
    "transports#stdio",
    "The client closes stdin first, and ends an agent that ignores it.",
  ],
  [
    "DRC-END-04",
    "WARN",
    "turn",
    "",
    "No process of the agent is left after the client ends, even by a signal.",
  ],
  ["DRC-END-05", "WARN", "turn", "", "200,000 updates arrive in order with bounded memory."],
  ["DRC-END-06", "WARN", "turn", "transports#stdio", "10 MB on stderr do not block the turn."],
]);

/** Requirements for clients about turns and their end. */
export const CLIENT_TURNS: readonly (readonly Requirement[])[] = [prompt, updates, cancel, end];
