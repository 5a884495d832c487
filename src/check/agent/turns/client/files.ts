import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { numberField, stringField } from "../../../../wire/index.ts";
import { NOT_FOUND, refuse, type AgentRequest, type Answerer, type Reply } from "./reply.ts";

/** The files of the checking client: those on disk, and unsaved ones that differ from the disk. */
export class ClientFiles {
  /** The text of files with unsaved changes, by path. */
  readonly unsaved = new Map<string, string>();
  /** The writes of the agent, oldest first. */
  readonly writes: { readonly path: string; readonly content: string }[] = [];
  /** The paths that the agent has read. */
  readonly reads: string[] = [];
  /** The answer for a missing file. */
  missing: Reply = refuse(NOT_FOUND, "the file does not exist");

  readonly answer: Answerer = (request) => {
    if (request.method === "fs/read_text_file") return this.#read(request);
    if (request.method === "fs/write_text_file") return this.#write(request);
    return undefined;
  };

  async #read({ params }: AgentRequest): Promise<Reply> {
    const path = stringField(params, "path") ?? "";
    this.reads.push(path);
    const text = this.unsaved.get(path) ?? (await readFile(path, "utf8").catch(() => undefined));
    if (text === undefined) return this.missing;
    return {
      result: {
        content: windowOf(text, numberField(params, "line"), numberField(params, "limit")),
      },
    };
  }

  async #write({ params }: AgentRequest): Promise<Reply> {
    const path = stringField(params, "path") ?? "";
    const content = stringField(params, "content") ?? "";
    this.writes.push({ path, content });
    this.unsaved.delete(path);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return { result: {} };
    } catch (error) {
      return refuse(-32603, `cannot write the file: ${String(error)}`);
    }
  }
}

/** The lines from `line` on, at most `limit` of them. Pure. */
export function windowOf(
  text: string,
  line: number | undefined,
  limit: number | undefined,
): string {
  if (line === undefined && limit === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  const from = Math.max(1, line ?? 1) - 1;
  return lines.slice(from, limit === undefined ? undefined : from + limit).join("");
}
