import type { Requirement } from "../requirement.ts";
import { area } from "./rows.ts";

const cancel = area("cancel", [
  [
    "ACP-CANCEL-001",
    "MUST",
    "model",
    "prompt-turn#cancellation",
    "A cancelled prompt is answered with the stop reason cancelled, not with an error.",
  ],
  [
    "ACP-CANCEL-002",
    "MUST",
    "model",
    "prompt-turn#cancellation",
    "No update of a cancelled turn follows its response.",
  ],
  [
    "DRA-CAN-01",
    "MUST",
    "model",
    "prompt-turn#cancellation",
    "A cancel works at every moment of a turn.",
  ],
  [
    "DRA-CAN-02",
    "SHOULD",
    "model",
    "prompt-turn#cancellation",
    "A cancel aborts the call of the model and ends the tool's process.",
  ],
  [
    "DRA-CAN-03",
    "MUST",
    "model",
    "prompt-turn#cancellation",
    "After a cancel, the next prompt gets its own answer, once.",
  ],
  [
    "DRA-CAN-04",
    "WARN",
    "prompt",
    "",
    "A cancel has no effect on idle, unknown or other sessions, or if it is repeated.",
  ],
  [
    "DRA-CAN-05",
    "MUST",
    "model",
    "cancellation#cancel_request-notification",
    "A prompt that is cancelled by $/cancel_request is answered once; an unknown id is ignored.",
  ],
  [
    "DRA-CAN-06",
    "INFO",
    "model",
    "cancellation",
    "Whether the agent withdraws its own open requests when a turn is cancelled.",
  ],
]);

const errors = area("errors", [
  [
    "ACP-ERROR-001",
    "SHOULD",
    "passive",
    "schema",
    "The message of an error is one line that is not empty.",
  ],
  [
    "DRA-ERR-01",
    "WARN",
    "passive",
    "schema#errorcode",
    "Error codes are those of JSON-RPC or ACP, not HTTP statuses.",
  ],
]);

const robustness = area("robustness", [
  [
    "DRA-ROB-01",
    "WARN",
    "none",
    "",
    "The agent survives broken bytes, broken JSON, deep nesting and odd numbers, and answers the next request.",
  ],
  [
    "DRA-ROB-02",
    "WARN",
    "prompt",
    "",
    "Prompts of 100 KiB, 8 MiB and 40 MiB are answered, with a result or an error.",
  ],
  ["DRA-ROB-03", "WARN", "none", "", "A hundred requests at the same time get a hundred answers."],
  ["DRA-ROB-04", "WARN", "model", "", "Nothing is lost or cut if stdout is not read for a while."],
  [
    "DRA-ROB-05",
    "WARN",
    "model",
    "",
    "A cancel ends the turn even if the agent's own request is never answered.",
  ],
  [
    "ACP-STDERR-001",
    "INFO",
    "passive",
    "transports#stdio",
    "How many bytes the agent writes to stderr.",
  ],
]);

const shutdown = area("shutdown", [
  [
    "ACP-SHUTDOWN-001",
    "SHOULD",
    "none",
    "transports#stdio",
    "The agent exits by itself when its stdin is closed.",
  ],
  [
    "DRA-END-01",
    "SHOULD",
    "model",
    "transports#stdio",
    "The agent exits when its stdin is closed during a turn or while it waits for permission.",
  ],
  ["DRA-END-02", "WARN", "model", "", "No process of the agent is left after it exits."],
  [
    "DRA-END-03",
    "WARN",
    "none",
    "",
    "SIGTERM ends the agent with all its processes, and so does a closed stdout.",
  ],
  [
    "DRA-END-04",
    "WARN",
    "prompt",
    "",
    "A turn that ended right before the end of stdin can be loaded.",
    { requires: "loadSession" },
  ],
]);

/** Requirements about cancelling, failing and ending. */
export const AGENT_ENDINGS: readonly (readonly Requirement[])[] = [
  cancel,
  errors,
  robustness,
  shutdown,
];
