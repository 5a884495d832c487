import { hasCode, configFolder, type UserEnvironment } from "../../../base/index.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";
import { join } from "node:path";

/** The limit for settings. The files that Dragoman keeps for itself are smaller. */
export const MAX_SETTINGS_BYTES = MIB;

/**
 * The text of a regular file; undefined if the file does not exist. Rejects if it is anything else,
 * or larger than `maxBytes`. Default: 1 MiB.
 */
export async function readIfPresent(
  path: string,
  maxBytes = MAX_SETTINGS_BYTES,
): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, maxBytes)).toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

const NAME = "settings.json";

/** The settings of the user. */
export function userSettingsPath(user: UserEnvironment): string {
  return join(configFolder(user), NAME);
}

/** The settings of a project in this folder. */
export function projectSettingsPath(cwd: string): string {
  return join(cwd, ".dragoman", NAME);
}

/**
 * Parses JSON that may have comments and trailing commas. Throws a usage error with the line and the
 * column. Most files are plain JSON, so the parser for comments is loaded only if there are some.
 */
export async function parseJson(text: string, file: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    const { parseJsonWithComments } = await import("./json-with-comments.ts");
    return parseJsonWithComments(text, file);
  }
}
