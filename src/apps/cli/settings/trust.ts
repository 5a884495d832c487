import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  isJsonObject,
  stateFolder,
  type UserEnvironment,
  writeAtomically,
} from "../../../base/index.ts";
import { readIfPresent } from "./files.ts";

/**
 * Which project settings the user trusts. Trust covers a folder, by its real path, together with the
 * exact content of its file: after a clone or a pull that changes the file, nothing starts until the
 * user trusts it. The folder is the one that agents start in, because `./agent.mjs` in the same
 * settings is another program in another folder.
 */
export class TrustStore {
  readonly #file: (folder: string) => string;

  constructor(io: UserEnvironment) {
    const base = join(stateFolder(io), "trusted");
    this.#file = (folder) => join(base, `${hash(folder)}.json`);
  }

  async trusts(folder: string, content: string): Promise<boolean> {
    const text = await readIfPresent(this.#file(folder)).catch(() => undefined);
    if (text === undefined) return false;
    const entry = parsed(text);
    return entry?.["folder"] === folder && entry["content"] === hash(content);
  }

  async trust(folder: string, content: string): Promise<void> {
    const entry = { version: 1, folder, content: hash(content) };
    await writeAtomically(this.#file(folder), `${JSON.stringify(entry)}\n`);
  }
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
