import type { Requirement } from "../requirement.ts";
import { area as areaOf, type RequirementRow } from "./rows.ts";

function area(name: string, rows: readonly RequirementRow[]): readonly Requirement[] {
  return areaOf(name, rows, "agent", 2);
}

const SESSION = { requires: "session" } as const;

const prompt = area("prompt", [
  [
    "ACP-PROMPT-201",
    "MUST",
    "prompt",
    "prompt-lifecycle",
    "session/prompt is answered with a receipt that has a messageId.",
    SESSION,
  ],
  [
    "ACP-PROMPT-203",
    "MUST",
    "prompt",
    "prompt-lifecycle",
    "The agent reports the user's message with the id of the receipt.",
    SESSION,
  ],
  [
    "ACP-PROMPT-205",
    "MUST",
    "prompt",
    "schema",
    "The updates of a turn are valid and carry the id of its session.",
    SESSION,
  ],
]);

const state = area("state", [
  [
    "ACP-STATE-201",
    "MUST",
    "passive",
    "prompt-lifecycle",
    "A turn is reported as running before it is reported as idle.",
    SESSION,
  ],
  ["ACP-STATE-202", "MUST", "prompt", "prompt-lifecycle", "A running turn becomes idle.", SESSION],
  [
    "ACP-STATE-203",
    "MUST",
    "passive",
    "prompt-lifecycle",
    "The end of a turn has a stop reason that is known or begins with an underscore.",
    SESSION,
  ],
  [
    "ACP-PATCH-209",
    "SHOULD",
    "passive",
    "prompt-lifecycle",
    "The session is reported as requires_action while the agent waits for permission.",
    SESSION,
  ],
]);

const patches = area("updates", [
  [
    "ACP-PATCH-201",
    "MUST",
    "passive",
    "prompt-lifecycle",
    "Every message and chunk has a messageId.",
    SESSION,
  ],
  [
    "ACP-PATCH-203",
    "MUST",
    "prompt",
    "prompt-lifecycle",
    "Two prompts get two different message ids.",
    SESSION,
  ],
  [
    "ACP-PATCH-204",
    "MUST",
    "passive",
    "schema",
    "Every tool call update and chunk has a toolCallId.",
    SESSION,
  ],
  ["ACP-PATCH-205", "MUST", "passive", "agent-plan", "Every plan has a planId.", SESSION],
  [
    "ACP-PATCH-206",
    "MUST",
    "passive",
    "tool-calls",
    "The cwd of a terminal is absolute and does not change.",
    SESSION,
  ],
  [
    "ACP-PATCH-207",
    "MUST",
    "passive",
    "tool-calls",
    "Every piece of terminal output is valid base64 by itself.",
    SESSION,
  ],
  [
    "ACP-PATCH-208",
    "SHOULD",
    "passive",
    "tool-calls",
    "The first update of a tool call has a title, and its name does not change.",
    SESSION,
  ],
  [
    "DRA2-TOOL-01",
    "WARN",
    "passive",
    "tool-calls",
    "Content chunks belong to a tool call that was reported before.",
    SESSION,
  ],
  [
    "DRA2-DIFF-01",
    "WARN",
    "passive",
    "tool-calls",
    "The patch of a diff names the files of its changes.",
    SESSION,
  ],
]);

const client = area("client-methods", [
  [
    "ACP-CLIENTCAP-202",
    "MUST",
    "passive",
    "extensibility",
    "The agent calls only methods of version 2, or its own with an underscore.",
    SESSION,
  ],
  [
    "ACP-PERM-201",
    "MUST",
    "passive",
    "tool-calls",
    "A permission request has a title and at least one option.",
    SESSION,
  ],
]);

const enums = area("enums", [
  [
    "ACP-ENUM-201",
    "MUST",
    "passive",
    "extensibility",
    "Kinds, statuses and priorities are known or begin with an underscore.",
    SESSION,
  ],
  [
    "ACP-ENUM-202",
    "SHOULD",
    "passive",
    "extensibility",
    "Updates, states and content types are known or begin with an underscore.",
    SESSION,
  ],
  [
    "ACP-ENUM-203",
    "SHOULD",
    "model",
    "extensibility",
    "The agent tolerates an outcome that begins with an underscore.",
    SESSION,
  ],
]);

const cancel = area("cancel", [
  [
    "ACP-CANCEL-201",
    "MUST",
    "model",
    "prompt-lifecycle",
    "A cancelled session becomes idle with the stop reason cancelled.",
    SESSION,
  ],
  [
    "ACP-CANCEL-202",
    "MUST",
    "model",
    "prompt-lifecycle",
    "No update of the cancelled turn follows its idle.",
    SESSION,
  ],
  [
    "ACP-CANCEL-203",
    "MUST",
    "model",
    "prompt-lifecycle",
    "A cancel is never reported as an error or with another stop reason.",
    SESSION,
  ],
  [
    "ACP-CANCEL-204",
    "INFO",
    "model",
    "prompt-lifecycle",
    "How soon the work stops after a cancel.",
    SESSION,
  ],
  ["ACP-CANCEL-205", "MUST", "model", "overview", "session/cancel gets no response.", SESSION],
  [
    "ACP-CANCEL-206",
    "MUST",
    "model",
    "schema",
    "session/cancel works with and without _meta.",
    SESSION,
  ],
  [
    "ACP-CANCEL-207",
    "MUST",
    "model",
    "prompt-lifecycle",
    "The stop reason of a cancelled turn is not a value of the agent's own without an underscore.",
    SESSION,
  ],
  [
    "ACP-CANCEL-208",
    "MUST",
    "model",
    "session-setup",
    "session/close cancels the work of the session.",
    SESSION,
  ],
]);

/** Requirements about turns that only version 2 has. */
export const AGENT_V2_TURNS: readonly (readonly Requirement[])[] = [
  prompt,
  state,
  patches,
  client,
  enums,
  cancel,
];
