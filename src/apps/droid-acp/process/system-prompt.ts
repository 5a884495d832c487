import type { SystemPrompt } from "../../../protocol/acp/index.ts";
import {
  type DroidSettings,
  type InstructionsFile,
  UnsupportedByDroidError,
  writeInstructions,
} from "../../../droid/index.ts";
import { invalidParams } from "../../../agent/index.ts";

/** The arguments that make Droid append the client's instructions to its own. */
export async function systemPromptArguments(
  prompt: SystemPrompt | undefined,
): Promise<InstructionsFile> {
  if (prompt?.mode === "append") return writeInstructions(instructionsText(prompt));
  return { args: [], remove: () => Promise.resolve() };
}

/** The instructions that replace Droid's own, for a new session. Pure. */
export function systemPromptOption(prompt: SystemPrompt | undefined): {
  readonly systemPrompt?: string;
} {
  return prompt?.mode === "override" ? { systemPrompt: instructionsText(prompt) } : {};
}

/** The error for a client whose instructions this version of Droid cannot use: -32602. Pure. */
export function systemPromptError(prompt: SystemPrompt | undefined, error: unknown): unknown {
  const isRefusal = error instanceof UnsupportedByDroidError && prompt?.mode === "override";
  return isRefusal ? notReplaced() : error;
}

/**
 * Throws -32602 if Droid has not replaced its own instructions: versions up to 0.117 cannot, and later
 * ones keep the instructions that a session was created with. Pure.
 */
export function assertSystemPrompt(
  prompt: SystemPrompt | undefined,
  settings: DroidSettings,
): void {
  const { systemPrompt } = systemPromptOption(prompt);
  if (systemPrompt === undefined || settings.raw["systemPrompt"] === systemPrompt) return;
  throw notReplaced();
}

function notReplaced(): Error {
  const message =
    "Droid replaces its instructions only in new sessions, from 0.215 on, and then keeps them";
  return invalidParams({ path: "systemPrompt", message });
}

function instructionsText({ content }: SystemPrompt): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}
