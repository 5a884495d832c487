import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { randomId } from "../../../base/index.ts";

/** Besides its text, an entry costs roughly this much memory. */
const ENTRY_OVERHEAD = 100;

/** The conversation of a session. Older entries are on disk; the oldest go when its share is used up. */
export class SessionLog {
  readonly #memoryBytes: number;
  readonly #blocks: LogBlocks;
  /** The newest entries, in order and without gaps. */
  #recent: LogEntry[] = [];
  #recentBytes = 0;
  /** The position of the newest entry; 0 if there is none. */
  last = 0;

  constructor(memoryBytes: number, blocks: LogBlocks) {
    this.#memoryBytes = memoryBytes;
    this.#blocks = blocks;
  }

  /** The position of the oldest entry that is still there. */
  get first(): number {
    return this.#blocks.first ?? this.#recent[0]?.seq ?? this.last + 1;
  }

  append(line: string, audience: LogEntry["audience"] = "all", except?: number): LogEntry {
    const entry = { seq: ++this.last, line, audience, except };
    this.#recent.push(entry);
    this.#recentBytes += sizeOf(entry);
    if (this.#recentBytes > this.#memoryBytes) this.#spill();
    return entry;
  }

  /** The entry at a position; undefined if it was dropped. */
  read(seq: number): LogEntry | undefined | Promise<LogEntry | undefined> {
    const oldest = this.#recent[0]?.seq ?? this.last + 1;
    return seq >= oldest ? this.#recent[seq - oldest] : this.#blocks.read(seq);
  }

  /** Drops every entry. Positions go on. */
  clear(): void {
    this.#recent = [];
    this.#recentBytes = 0;
    this.#blocks.close();
  }

  /** Moves the older half to disk. */
  #spill(): void {
    const half = this.#memoryBytes / 2;
    let count = 0;
    let bytes = this.#recentBytes;
    while (bytes > half && count < this.#recent.length) {
      const entry = this.#recent[count++];
      if (entry) bytes -= sizeOf(entry);
    }
    this.#blocks.write(this.#recent.slice(0, count));
    this.#recent = this.#recent.slice(count);
    this.#recentBytes = bytes;
  }
}

function sizeOf({ line }: LogEntry): number {
  return line.length + ENTRY_OVERHEAD;
}

interface Block {
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
  readonly file: string;
}

/** The older entries of a log, on disk. If it fails, clients that still need them are cut off. */
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

  /** Writes a new block, synchronously, so that an agent that floods cannot fill the memory. */
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

/** One line of a session, at its position. */
export interface LogEntry {
  /** The position, counted from 1. */
  readonly seq: number;
  /** The notification, as it is sent to clients. */
  readonly line: string;
  /** `extension`: only for clients that know the hub's own methods. */
  readonly audience: "all" | "extension";
  /** The number of the client that knows it already, because it sent the prompt. */
  readonly except: number | undefined;
}
