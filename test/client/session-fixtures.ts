import type { Session, SessionEvent } from "../../src/entries/dragoman.ts";
import { everything, initialized } from "./fake-agent.ts";

/** Handlers of an agent that advertises every capability. */
export const capable = { initialize: () => initialized(everything) };

export const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

export const configOptions = [
  {
    type: "select",
    id: "model",
    name: "Model",
    currentValue: "small",
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large" },
    ],
  },
  { type: "boolean", id: "web", name: "Web", currentValue: false },
];

/** The next `count` events of a session: the text of each, or its type if it has no text. */
export async function nextEvents(session: Session, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of session.updates()) {
    seen.push(summary(event));
    if (seen.length === count) break;
  }
  return seen;
}

function summary(event: SessionEvent): string {
  if (event.type === "turn_ended") return `turn_ended ${event.stopReason ?? event.error?.name}`;
  return event.text === "" ? event.type : event.text;
}
