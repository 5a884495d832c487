import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SystemPrompt } from "../../acp/index.ts";
import { invalidParams } from "../../agent/index.ts";
import { type DroidSettings, UnsupportedByDroidError } from "../../droid/index.ts";

/** Arguments for Droid that refer to a file, and the removal of that file. */
export interface StartArguments {
  readonly args: readonly string[];
  /** Removes the file. Droid reads it once, before it opens a session. */
  readonly remove: () => Promise<void>;
}

/**
 * The arguments that make Droid append the client's instructions to its own. All tested versions have
 * this option, and none stores the instructions with the session. They are passed in a file that only
 * the user can read: other users can see the arguments of a process.
 */
export async function startArguments(prompt: SystemPrompt | undefined): Promise<StartArguments> {
  if (prompt?.mode !== "append") return { args: [], remove: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), "droid-acp-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, "instructions.txt");
  try {
    await writeFile(file, instructionsText(prompt), { mode: 0o600, flag: "wx" });
  } catch (error) {
    await remove();
    throw error;
  }
  return { args: ["--append-system-prompt-file", file], remove };
}

/** The instructions that replace Droid's own, for a new session. Pure. */
export function replacement(prompt: SystemPrompt | undefined): { readonly systemPrompt?: string } {
  return prompt?.mode === "override" ? { systemPrompt: instructionsText(prompt) } : {};
}

/** The error for a client whose instructions this version of Droid cannot use: -32602. Pure. */
export function openingError(prompt: SystemPrompt | undefined, error: unknown): unknown {
  const isRefusal = error instanceof UnsupportedByDroidError && prompt?.mode === "override";
  return isRefusal ? notReplaced() : error;
}

/**
 * Throws -32602 if Droid has not replaced its own instructions: versions up to 0.117 cannot, and later
 * ones keep the instructions that a session was created with. Pure.
 */
export function assertReplaced(prompt: SystemPrompt | undefined, settings: DroidSettings): void {
  const { systemPrompt } = replacement(prompt);
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
