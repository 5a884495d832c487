import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { writeAtomically, hasCode, messageOf } from "../../../base/index.ts";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import type { Values } from "../shell/parse.ts";
import { readIfPresent, userSettingsPath } from "./files.ts";
import { parseSettings } from "./schema.ts";

/** The file that `dragoman config` changes: the one from `--settings`, or else the user's. */
export function settingsToEdit(io: Io, values: Values): string {
  const given = values.text("settings");
  return given === undefined ? userSettingsPath(io) : resolve(io.cwd, given);
}

/**
 * Sets one value in the user's settings, or removes it if it is undefined. Comments stay. Resolves with
 * the path of the file. Throws a usage error if the settings are invalid before or after the change, or
 * cannot be written.
 */
export async function editSettings(
  { io, values }: { readonly io: Io; readonly values: Values },
  path: readonly string[],
  value: unknown,
): Promise<string> {
  const file = settingsToEdit(io, values);
  const text = (await readIfPresent(file)) ?? "";
  if (text.trim() !== "") await parseSettings(text, file);
  // The parser is large, and runs that change nothing do not need it.
  const { withoutValue, withValue } = await import("./json-with-comments.ts");
  const changed = value === undefined ? withoutValue(text, path) : withValue(text, path, value);
  await parseSettings(changed, file);
  try {
    // Managers of dotfiles make the file a link, which must stay one.
    await writeAtomically(await realFile(file), changed);
  } catch (error) {
    throw usageError(`could not write ${file}: ${messageOf(error)}`);
  }
  return file;
}

async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return file;
    throw error;
  }
}
