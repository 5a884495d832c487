import { type Fault, Faults } from "../parse/shape.ts";
import { systemPrompt } from "./shapes.ts";
import type { SystemPrompt } from "./types.ts";

/** Every fault of a `systemPrompt`, for error -32602. It must have content, all of it text. Never throws. */
export function systemPromptFaults(value: unknown): readonly Fault[] {
  const faults = new Faults();
  systemPrompt.check(value, "systemPrompt", faults);
  if (!isSystemPrompt(value)) return faults.list();
  if (value.content.length === 0) faults.add("systemPrompt.content", "must not be empty");
  for (const [i, block] of value.content.entries()) {
    if (block.type !== "text") faults.add(`systemPrompt.content[${i}].type`, 'must be "text"');
  }
  return faults.list();
}

/** The value as a system prompt; undefined if it has a mode that this version does not know. */
export function toSystemPrompt(value: unknown): SystemPrompt | undefined {
  if (!isSystemPrompt(value)) return undefined;
  return value.mode === "append" || value.mode === "override" ? value : undefined;
}

function isSystemPrompt(value: unknown): value is SystemPrompt {
  return systemPrompt.accepts(value);
}
