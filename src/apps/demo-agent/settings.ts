import type { SessionConfigOption, SessionModeState } from "../../protocol/acp/index.ts";
import type { Conversation, Detail, DemoModeId } from "./conversation.ts";

const MODES: readonly {
  readonly id: DemoModeId;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes files or runs commands" },
  { id: "auto", name: "Auto", description: "Changes files and runs commands without asking" },
  { id: "read-only", name: "Read only", description: "Never changes files or runs commands" },
];

const DETAILS: readonly { readonly value: Detail; readonly name: string }[] = [
  { value: "short", name: "The best few matches" },
  { value: "full", name: "Many matches" },
];

/** The modes of a conversation, in the form of the protocol. */
export function modesOf({ mode }: Conversation): SessionModeState {
  return { currentModeId: mode, availableModes: [...MODES] };
}

/** The mode with an id; undefined if there is none. */
export function parseMode(id: string): DemoModeId | undefined {
  return MODES.find((mode) => mode.id === id)?.id;
}

/** All config options of a conversation. */
export function optionsOf({ detail, quotes }: Conversation): SessionConfigOption[] {
  return [
    {
      id: "detail",
      name: "Detail",
      description: "How many matches an answer shows",
      type: "select",
      currentValue: detail,
      options: [...DETAILS],
    },
    {
      id: "quotes",
      name: "Quote lines",
      description: "Whether an answer quotes each matching line",
      type: "boolean",
      currentValue: quotes,
    },
  ];
}

/** Sets an option; returns false for an unknown option or value. */
export function setOption(
  conversation: Conversation,
  id: string,
  value: string | boolean,
): boolean {
  if (id === "detail") {
    const detail = DETAILS.find((candidate) => candidate.value === value)?.value;
    if (detail !== undefined) conversation.detail = detail;
    return detail !== undefined;
  }
  if (id !== "quotes") return false;
  if (typeof value === "boolean") conversation.quotes = value;
  return typeof value === "boolean";
}
