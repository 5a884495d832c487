import type { Requirement } from "../requirement.ts";
import { area } from "./rows.ts";

const prompt = area("prompt", [
  [
    "ACP-PROMPT-001",
    "MUST",
    "prompt",
    "prompt-turn#stop-reasons",
    "A turn ends with a defined stop reason.",
  ],
  [
    "ACP-PROMPT-002",
    "MUST",
    "prompt",
    "schema",
    "The updates of a turn are valid and carry the id of its session.",
  ],
  [
    "ACP-PROMPT-003",
    "MUST",
    "prompt",
    "initialization#prompt-capabilities",
    "A prompt with a resource link is accepted.",
  ],
  [
    "ACP-PROMPTCAP-001",
    "MUST",
    "prompt",
    "initialization#prompt-capabilities",
    "A prompt with an image is accepted.",
    { requires: "promptCapabilities.image" },
  ],
  [
    "ACP-PROMPTCAP-002",
    "MUST",
    "prompt",
    "initialization#prompt-capabilities",
    "A prompt with audio is accepted.",
    { requires: "promptCapabilities.audio" },
  ],
  [
    "ACP-PROMPTCAP-003",
    "MUST",
    "prompt",
    "initialization#prompt-capabilities",
    "A prompt with an embedded resource is accepted.",
    { requires: "promptCapabilities.embeddedContext" },
  ],
  [
    "DRA-PROMPT-01",
    "MUST",
    "model",
    "initialization#prompt-capabilities",
    "Text, links, resources and images of a prompt reach the model.",
  ],
  [
    "DRA-PROMPT-02",
    "WARN",
    "model",
    "prompt-turn#3-agent-reports-output",
    "The chunks of an answer join to exactly the model's text.",
  ],
  [
    "DRA-PROMPT-03",
    "WARN",
    "model",
    "prompt-turn#cancellation",
    "No message or tool update follows the response of an ordinary turn.",
  ],
  [
    "DRA-PROMPT-04",
    "MUST",
    "model",
    "prompt-turn#stop-reasons",
    "The stop reason agrees with the model's finish reason.",
  ],
  [
    "DRA-PROMPT-05",
    "WARN",
    "model",
    "",
    "A failure of the model service, for a moment or for good, is reported as an error or a message, in bounded time.",
  ],
  [
    "DRA-PROMPT-06",
    "WARN",
    "model",
    "",
    "A second prompt during a turn is answered, and so is the first.",
  ],
  [
    "DRA-PROMPT-07",
    "WARN",
    "prompt",
    "prompt-turn#1-user-message",
    "Prompts that are empty or have unknown or unadvertised blocks are answered.",
  ],
  [
    "DRA-PROMPT-08",
    "WARN",
    "prompt",
    "slash-commands#running-commands",
    "A slash command that needs no model is answered.",
  ],
  [
    "DRA-PROMPT-09",
    "WARN",
    "model",
    "",
    "The next prompt works after a turn that failed, was refused or was cut.",
  ],
]);

const updates = area("updates", [
  [
    "DRA-UPD-01",
    "MUST",
    "passive",
    "schema",
    "Updates are about sessions of this connection, and of kinds that the client can take.",
  ],
  [
    "DRA-UPD-02",
    "MUST",
    "passive",
    "prompt-turn#message-ids",
    "A messageId names one message of one role.",
  ],
  [
    "DRA-UPD-03",
    "WARN",
    "model",
    "prompt-turn#3-agent-reports-output",
    "Thinking appears only as thought, and text only as message.",
  ],
  [
    "DRA-USE-01",
    "MUST",
    "passive",
    "prompt-turn#session-usage-updates",
    "Usage is not negative, and a cost has a currency code of ISO 4217.",
  ],
]);

/** Requirements about prompts and updates. */
export const AGENT_TURNS: readonly (readonly Requirement[])[] = [prompt, updates];
