import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred, type Deferred, quiet, unlessAborted } from "../../../base/index.ts";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

export interface RecordingLogOptions {
  /** How many bytes stay in memory. More of them go to a file. Default: 32 MiB. */
  readonly memoryBytes?: number | undefined;
  /** The folder for that file. Default: the temp folder. */
  readonly folder?: string | undefined;
}

/** Lines that were written together. */
interface Block {
  readonly start: number;
  /** The number of its first line; the header is line 0. */
  readonly firstLine: number;
  /** The bytes; undefined once they are in the file. */
  data: Buffer | undefined;
  used: number;
}

const MIB = 1024 * 1024;
const MEMORY_BYTES = 32 * MIB;
const BLOCK_BYTES = 256 * 1024;
const BLOCKS_PER_WRITE = 16;
/** How many bytes may wait for a slow disk before the source of the lines should wait too. */
const MOST_WAITING = 32 * MIB;
const NEWLINE = 0x0a;

/**
 * The lines of a recording, as bytes that any number of readers read at their own pace. Writing never waits.
 * The newest lines are in memory, the others in a file that only this process can reach.
 */
export class RecordingLog {
  readonly #memoryBytes: number;
  readonly #folder: string;
  readonly #blocks: Block[] = [];
  /** The index of the first block that is in memory. */
  #firstInMemory = 0;
  #inMemory = 0;
  #end = 0;
  #lines = 0;
  #isOpen = true;
  #leftOut = 0;
  #hasFailed = false;
  #file: Promise<SpillFile> | undefined;
  #spilling: Promise<void> | undefined;
  #changed: Deferred<void> | undefined;

  constructor({ memoryBytes = MEMORY_BYTES, folder = tmpdir() }: RecordingLogOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#folder = folder;
  }

  /** How many lines there are after the header. */
  get entries(): number {
    return Math.max(0, this.#lines - 1);
  }

  get bytes(): number {
    return this.#end;
  }

  get bytesInMemory(): number {
    return this.#inMemory;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** How many lines were left out because the disk failed. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Whether the disk is so far behind that the source of the lines should wait. */
  get isOverloaded(): boolean {
    return !this.#hasFailed && this.#inMemory > this.#memoryBytes + MOST_WAITING;
  }

  /** Resolves when the log is not overloaded anymore. Never rejects. */
  async relieved(): Promise<void> {
    while (this.isOverloaded && this.#spilling) await this.#spilling;
  }

  /** Adds one line, with its newline. The first line is the header. */
  write(line: string): void {
    if (this.#hasFailed && this.#inMemory > this.#memoryBytes) {
      this.#leftOut++;
      return;
    }
    const bytes = Buffer.byteLength(line);
    const { data, block } = this.#blockFor(bytes);
    block.used += data.write(line, block.used);
    this.#end += bytes;
    this.#inMemory += bytes;
    this.#lines++;
    if (this.#inMemory > this.#memoryBytes) this.#spill();
    this.#report();
  }

  /** Says that nothing more comes for now. */
  end(): void {
    this.#isOpen = false;
    this.#report();
  }

  /** Says that more comes after all. */
  reopen(): void {
    this.#isOpen = true;
  }

  /** Resolves at the next line, or when the log ends. */
  changed(): Promise<void> {
    this.#changed ??= deferred();
    return this.#changed.promise;
  }

  /** Some bytes from a position on; empty at the end. Rejects if the file cannot be read. */
  async read(position: number): Promise<Buffer> {
    const block = this.#blocks[this.#indexOf(({ start }) => start <= position)];
    if (!block) return Buffer.alloc(0);
    return (await this.#bytesOf(block)).subarray(position - block.start);
  }

  /** The position of a line; that of the end if there is no such line. Rejects if the file cannot be read. */
  async positionOf(line: number): Promise<number> {
    if (line >= this.#lines) return this.#end;
    const block = this.#blocks[this.#indexOf(({ firstLine }) => firstLine <= line)];
    if (!block) return 0;
    const bytes = await this.#bytesOf(block);
    let position = 0;
    for (let left = line - block.firstLine; left > 0; left--)
      position = bytes.indexOf(NEWLINE, position) + 1;
    return block.start + position;
  }

  /** Removes the file. The log must not be used anymore. Never rejects. */
  async close(): Promise<void> {
    this.end();
    // Lines may still come, and must not open a new file.
    this.#hasFailed = true;
    await this.#spilling;
    const file = await this.#file?.catch(() => undefined);
    await file?.close();
  }

  #report(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  /** The last block that fits the condition, which holds for all blocks before it. */
  #indexOf(fits: (block: Block) => boolean): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle];
      if (block && fits(block)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #blockFor(bytes: number): { readonly data: Buffer; readonly block: Block } {
    const last = this.#blocks.at(-1);
    if (last?.data && last.data.length - last.used >= bytes)
      return { data: last.data, block: last };
    const data = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, bytes));
    const block = { start: this.#end, firstLine: this.#lines, data, used: 0 };
    this.#blocks.push(block);
    return { data, block };
  }

  async #bytesOf({ start, used, data }: Block): Promise<Buffer> {
    if (data) return data.subarray(0, used);
    const file = await this.#file;
    if (!file) throw new Error("the file of the log is gone");
    return file.read(start, used);
  }

  #spill(): void {
    if (this.#spilling || this.#hasFailed) return;
    this.#spilling = quiet(this.#spillBlocks()).finally(() => {
      this.#spilling = undefined;
    });
  }

  /** Moves the oldest blocks to the file, until half of the memory is free. The newest one still grows. */
  async #spillBlocks(): Promise<void> {
    try {
      this.#file ??= quiet(SpillFile.create(this.#folder));
      const file = await this.#file;
      while (this.#inMemory > this.#memoryBytes / 2) {
        const blocks = this.#blocks.slice(this.#firstInMemory, -1).slice(0, BLOCKS_PER_WRITE);
        const [first] = blocks;
        if (!first) return;
        const parts = blocks.flatMap(({ data, used }) => (data ? [data.subarray(0, used)] : []));
        await file.write(parts, first.start);
        for (const block of blocks) {
          block.data = undefined;
          this.#inMemory -= block.used;
        }
        this.#firstInMemory += blocks.length;
      }
    } catch {
      // The lines that are in memory stay, and later ones are counted as left out.
      this.#hasFailed = true;
    }
  }
}

/** A file without a name, where the system allows it, so that it is gone when the process ends. */
class SpillFile {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  static async create(folder: string): Promise<SpillFile> {
    const path = join(folder, `dragoman-inspect-${randomUUID()}`);
    const handle = await open(path, "wx+", 0o600);
    // Windows keeps the name while the file is open.
    const file = new SpillFile(handle, path);
    if (process.platform === "win32") return file;
    try {
      await rm(path, { force: true });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async write(parts: readonly Buffer[], position: number): Promise<void> {
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const { bytesWritten } = await this.#handle.writev([...parts], position);
    // A full disk takes a part of it.
    if (bytesWritten < size) throw new Error("the disk is full");
  }

  async read(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.#handle.read(bytes, done, length - done, position + done);
      if (bytesRead === 0) throw new Error("the file of the log was cut");
      done += bytesRead;
    }
    return bytes;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** Lines that come within this time are sent together, which costs the least for both sides. */
const BATCH_MS = 16;

/**
 * Sends a recording from an entry on: first the header, then the entries, and those that follow as long as the
 * log is open. A reader that is slow or has stopped only delays itself. Resolves at the end of the log.
 * Rejects if the signal is aborted, and if the log cannot be read.
 */
export async function streamLog(
  log: RecordingLog,
  from: number,
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const send = async (bytes: Buffer): Promise<void> => {
    if (!output.write(bytes)) await once(output, "drain", { signal });
  };
  while (log.bytes === 0 && log.isOpen) await unlessAborted(log.changed(), signal);
  let position = 0;
  if (from > 0) {
    const header = await log.read(0);
    await send(header.subarray(0, await log.positionOf(1)));
    position = await log.positionOf(from + 1);
  }
  for (;;) {
    signal.throwIfAborted();
    const isLast = !log.isOpen;
    const bytes = await log.read(position);
    position += bytes.length;
    if (bytes.length > 0) await send(bytes);
    else if (isLast) return;
    else {
      await unlessAborted(log.changed(), signal);
      await pause(BATCH_MS, undefined, { signal });
    }
  }
}
