import { hasCode } from "../../../base/index.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";

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
