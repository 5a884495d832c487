import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject } from "../../wire/index.ts";
import { readIfPresent, writeAtomically } from "./files.ts";
import { stateFolder, type UserEnvironment } from "../../wire/index.ts";

/**
 * Which project settings the user trusts. Trust covers a folder together with the exact content of
 * its file: after a clone or a pull that changes the file, nothing starts until the user trusts it.
 */
export class TrustStore {
  readonly #file: (folder: string) => string;

  constructor(io: UserEnvironment) {
    const base = join(stateFolder(io), "trusted");
    this.#file = (folder) => join(base, `${hash(folder)}.json`);
  }

  async trusts(settingsFile: string, content: string): Promise<boolean> {
    const folder = await folderOf(settingsFile);
    const text = await readIfPresent(this.#file(folder)).catch(() => undefined);
    if (text === undefined) return false;
    const entry = parsed(text);
    return entry?.["folder"] === folder && entry["content"] === hash(content);
  }

  async trust(settingsFile: string, content: string): Promise<void> {
    const folder = await folderOf(settingsFile);
    const entry = { version: 1, folder, content: hash(content) };
    await writeAtomically(this.#file(folder), `${JSON.stringify(entry)}\n`);
  }
}

/** The project's folder with links resolved, so that a link cannot use another folder's trust. */
async function folderOf(settingsFile: string): Promise<string> {
  return dirname(dirname(await realpath(settingsFile)));
}

/** A file name of fixed length for any text. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
