import type { LogBlocks } from "./log-blocks.ts";
import type { LogEntry } from "./log-entry.ts";

/** Besides its text, an entry costs roughly this much memory. */
const ENTRY_OVERHEAD = 100;

/**
 * The conversation of a session, at numbered positions. The newest entries are in memory and older ones in
 * blocks on disk. The oldest blocks are dropped when the disk's share is used up.
 */
export class SessionLog {
  readonly #memoryBytes: number;
  readonly #blocks: LogBlocks;
  /** The newest entries, in order and without gaps. */
  #recent: LogEntry[] = [];
  #recentBytes = 0;
  #last = 0;

  constructor(memoryBytes: number, blocks: LogBlocks) {
    this.#memoryBytes = memoryBytes;
    this.#blocks = blocks;
  }

  /** The position of the newest entry; 0 if there is none. */
  get last(): number {
    return this.#last;
  }

  /** The position of the oldest entry that is still there. */
  get first(): number {
    return this.#blocks.first ?? this.#recent[0]?.seq ?? this.#last + 1;
  }

  append(line: string, audience: LogEntry["audience"] = "all", except?: number): LogEntry {
    const entry = { seq: ++this.#last, line, audience, except };
    this.#recent.push(entry);
    this.#recentBytes += sizeOf(entry);
    if (this.#recentBytes > this.#memoryBytes) this.#spill();
    return entry;
  }

  /** The entry at a position; undefined if it was dropped. */
  read(seq: number): LogEntry | undefined | Promise<LogEntry | undefined> {
    const oldest = this.#recent[0]?.seq ?? this.#last + 1;
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
