import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { randomId } from "../../../base/index.ts";
import type { LogEntry } from "./log-entry.ts";

interface Block {
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
  readonly file: string;
}

/**
 * The older entries of a session's log, in files of one block each. If the disk fails, its entries are
 * lost, and clients that still need them are cut off.
 */
export class LogBlocks {
  readonly #folder: string;
  readonly #limit: number;
  readonly #name = randomId();
  #blocks: Block[] = [];
  #bytes = 0;
  #written = 0;
  /** The block that was read last: clients read one entry after the other. */
  #cached: { readonly block: Block; readonly entries: Promise<readonly LogEntry[]> } | undefined;

  constructor(folder: string, limit: number) {
    this.#folder = folder;
    this.#limit = limit;
  }

  /** The position of the oldest entry; undefined if there is none. */
  get first(): number | undefined {
    return this.#blocks[0]?.first;
  }

  /**
   * Writes entries to a new block. Writing waits for the disk, so that an agent which floods cannot fill
   * the memory.
   */
  write(entries: readonly LogEntry[]): void {
    const [head] = entries;
    if (!head) return;
    const text = entries.map(encode).join("\n");
    const file = join(this.#folder, `${this.#name}.${++this.#written}`);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    } catch {
      // A gap would break the count of positions.
      this.close();
      return;
    }
    const block = { first: head.seq, count: entries.length, bytes: text.length, file };
    this.#blocks.push(block);
    this.#bytes += block.bytes;
    while (this.#bytes > this.#limit && this.#blocks.length > 1) this.#drop();
  }

  /** The entry at a position; undefined if it was dropped. */
  async read(seq: number): Promise<LogEntry | undefined> {
    const block = this.#blocks.find(({ first, count }) => seq >= first && seq < first + count);
    if (!block) return undefined;
    if (this.#cached?.block !== block) this.#cached = { block, entries: load(block) };
    try {
      return (await this.#cached.entries)[seq - block.first];
    } catch {
      return undefined;
    }
  }

  /** Removes all files. */
  close(): void {
    while (this.#blocks.length > 0) this.#drop();
    this.#cached = undefined;
  }

  #drop(): void {
    const block = this.#blocks.shift();
    if (!block) return;
    this.#bytes -= block.bytes;
    if (this.#cached?.block === block) this.#cached = undefined;
    rmSync(block.file, { force: true });
  }
}

/** `all 3 {...}`: the audience, the client that knows it already, and the line. */
function encode({ audience, except, line }: LogEntry): string {
  return `${audience} ${except ?? "-"} ${line}`;
}

async function load({ file, first }: Block): Promise<readonly LogEntry[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.map((text, index) => {
    const [, audience = "", except = "", line = ""] = /^(\w+) (\S+) (.*)$/s.exec(text) ?? [];
    return {
      seq: first + index,
      line,
      audience: audience === "all" ? "all" : "extension",
      except: except === "-" ? undefined : Number(except),
    };
  });
}
