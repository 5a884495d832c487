import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type JsonObject, numberField, stringField } from "../../../../wire/index.ts";
import type { ClientAnswer, RequestAnswerer } from "../../../harness/incoming.ts";

/** The code that says that a file or a terminal does not exist. */
export const NOT_FOUND = -32002;

/** The answer for a missing file. */
export const MISSING = { error: { code: NOT_FOUND, message: "the file does not exist" } };

/** The files of the checking client: those on disk, and unsaved ones that differ from the disk. */
export class ClientFiles {
  /** The text of files with unsaved changes, by path. */
  readonly unsaved = new Map<string, string>();
  /** The writes of the agent, oldest first. */
  readonly writes: { readonly path: string; readonly content: string }[] = [];
  /** The paths that the agent has read. */
  readonly reads: string[] = [];
  /** The answer for a missing file. */
  missing: ClientAnswer = MISSING;

  readonly read: RequestAnswerer = async ({ params }) => {
    const path = stringField(params, "path") ?? "";
    this.reads.push(path);
    const text = this.unsaved.get(path) ?? (await readFile(path, "utf8").catch(() => undefined));
    return text === undefined ? this.missing : { result: { content: windowOf(text, params) } };
  };

  readonly write: RequestAnswerer = async ({ params }) => {
    const path = stringField(params, "path") ?? "";
    const content = stringField(params, "content") ?? "";
    this.writes.push({ path, content });
    this.unsaved.delete(path);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return { result: {} };
    } catch (error) {
      return { error: { code: -32603, message: `cannot write the file: ${String(error)}` } };
    }
  };
}

/** The lines from `line` on, at most `limit` of them. Pure. */
export function windowOf(text: string, params: JsonObject): string {
  const line = numberField(params, "line");
  const limit = numberField(params, "limit");
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(1, line ?? 1) - 1;
  const lines = text.split(/(?<=\n)/);
  return lines.slice(from, limit === undefined ? undefined : from + limit).join("");
}
