import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writePrivate } from "../../base/index.ts";

/** Arguments for Droid that refer to a file, and the removal of that file. */
export interface InstructionsFile {
  readonly args: readonly string[];
  /** Removes the file. Droid reads it once, before it opens a session. */
  readonly remove: () => Promise<void>;
}

/**
 * Writes instructions for Droid to append to its own. All tested versions have the option for it, and
 * none stores the instructions with the session. They are passed in a file that only the user can read:
 * other users can see the arguments of a process.
 */
export async function writeInstructions(text: string): Promise<InstructionsFile> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-instructions-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = join(folder, "instructions.txt");
  try {
    await writePrivate(file, text);
  } catch (error) {
    await remove();
    throw error;
  }
  return { args: ["--append-system-prompt-file", file], remove };
}
