import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  configFolder,
  hasCode,
  isJsonObject,
  type JsonObject,
  stateFolder,
  type UserEnvironment,
  writeAtomically,
} from "../../../base/index.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";

/** The limit for settings. The files that Dragoman keeps for itself are smaller. */
export const MAX_SETTINGS_BYTES = MIB;

const NAME = "settings.json";

export function userSettingsPath(user: UserEnvironment): string {
  return join(configFolder(user), NAME);
}

export function projectSettingsPath(cwd: string): string {
  return join(cwd, ".dragoman", NAME);
}

/** The text of a regular file of at most 1 MiB or `maxBytes`; undefined if it does not exist. */
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

/**
 * Small files in a folder of Dragoman's own, one for each key. A file is replaced as a whole, so that
 * concurrent runs cannot corrupt it.
 */
export class StateFiles {
  readonly #folder: string;

  constructor(io: UserEnvironment, folder: string) {
    this.#folder = join(stateFolder(io), folder);
  }

  /** The content for a key; undefined if there is none, or if its file is unreadable. */
  read(...key: readonly string[]): Promise<JsonObject | undefined> {
    return readObject(this.#file(key));
  }

  async write(key: readonly string[], content: object): Promise<void> {
    await writeAtomically(this.#file(key), `${JSON.stringify({ version: 1, ...content })}\n`);
  }

  async remove(...key: readonly string[]): Promise<void> {
    await rm(this.#file(key), { force: true });
  }

  /** The contents of at most so many files. Never rejects. */
  async all(most?: number): Promise<readonly (JsonObject | undefined)[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return Promise.all(names.slice(0, most).map((name) => readObject(join(this.#folder, name))));
  }

  #file(key: readonly string[]): string {
    return join(this.#folder, `${sha256Hex(key.join("\0"))}.json`);
  }
}

async function readObject(path: string): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse((await readIfPresent(path)) ?? "");
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file name of fixed length for any text. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
