import { HISTORY } from "../../input/input.ts";
import { join } from "node:path";
import { MIB } from "../../shell/regular-file.ts";
import { readIfPresent } from "../../settings/files.ts";
import { stateFolder, type UserEnvironment, writeAtomically } from "../../../../base/index.ts";

/** Pasted text may be long. */
const MAX_BYTES = 16 * MIB;

/** The prompts of earlier chats, newest first; empty if the file is missing or invalid. */
export async function readChatHistory(io: UserEnvironment): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse((await readIfPresent(fileOf(io), MAX_BYTES)) ?? "[]");
    return Array.isArray(value) ? value.filter((line) => typeof line === "string") : [];
  } catch {
    return [];
  }
}

/** Saves the prompts for the next chat, in a file that only the user can read. */
export async function writeChatHistory(
  io: UserEnvironment,
  lines: readonly string[],
): Promise<void> {
  await writeAtomically(fileOf(io), `${JSON.stringify(lines.slice(0, HISTORY))}\n`);
}

function fileOf(io: UserEnvironment): string {
  return join(stateFolder(io), "chat-history.json");
}
