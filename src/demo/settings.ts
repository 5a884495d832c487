import type { SessionConfigOption, SessionModeState } from "../acp/index.ts";
import type { Conversation, Detail, DemoModeId } from "./conversation.ts";

const MODES: readonly {
  readonly id: DemoModeId;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes or runs anything" },
  { id: "auto", name: "Auto", description: "Changes and runs without asking" },
  { id: "read-only", name: "Read only", description: "Refuses to change or run anything" },
];

const DETAILS: readonly { readonly value: Detail; readonly name: string }[] = [
  { value: "short", name: "The best few places" },
  { value: "full", name: "Many places" },
];

/** The modes of a conversation, as the protocol has them. */
export function modesOf({ mode }: Conversation): SessionModeState {
  return { currentModeId: mode, availableModes: [...MODES] };
}

/** The mode of an id; undefined if there is none. */
export function toMode(id: string): DemoModeId | undefined {
  return MODES.find((mode) => mode.id === id)?.id;
}

/** The config options of a conversation, complete. */
export function optionsOf({ detail, quotes }: Conversation): SessionConfigOption[] {
  return [
    {
      id: "detail",
      name: "Detail",
      description: "How many places an answer shows",
      type: "select",
      currentValue: detail,
      options: [...DETAILS],
    },
    {
      id: "quotes",
      name: "Quote lines",
      description: "Whether places are shown with the line that stands there",
      type: "boolean",
      currentValue: quotes,
    },
  ];
}

/** Sets an option; false if there is no such option or value. */
export function setOption(
  conversation: Conversation,
  id: string,
  value: string | boolean,
): boolean {
  if (id === "detail") {
    const detail = DETAILS.find((one) => one.value === value)?.value;
    if (detail !== undefined) conversation.detail = detail;
    return detail !== undefined;
  }
  if (id !== "quotes") return false;
  if (typeof value === "boolean") conversation.quotes = value;
  return typeof value === "boolean";
}
