import type { DroidEvent } from "../../../src/entries/droid.ts";

/** The text a reader ends up with, without retracted messages. */
export function textIn(events: readonly DroidEvent[]): string {
  const messages = new Map<string, string>();
  for (const event of events) {
    if (event.type === "retracted") messages.delete(event.messageId);
    if (event.type === "text")
      messages.set(event.messageId, (messages.get(event.messageId) ?? "") + event.text);
  }
  return [...messages.values()].join("");
}
