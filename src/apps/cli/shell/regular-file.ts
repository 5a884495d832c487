import { hasCode, messageOf } from "../../../base/index.ts";
import { constants, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { usageError, type CliError } from "./exit.ts";

export const MIB = 1024 * 1024;

/** The path leads to something that is never read, or to too much of it. */
export class UnusableFileError extends Error {
  override readonly name = "UnusableFileError";
  /** The rest of a sentence about the file, such as "is a pipe, not a file". */
  readonly problem: string;

  constructor(problem: string) {
    super(`it ${problem}`);
    this.problem = problem;
  }
}

/** Non-blocking, because opening a pipe waits for its writer. A terminal must not become ours. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a regular file of at most `maxBytes`. Rejects with an UnusableFileError for anything else,
 * such as a pipe or a device, which could block forever or never end. The opened file is checked, so
 * that nothing can take its place after the check. `check` may throw for other reasons.
 */
export async function readRegularFile(
  path: string,
  maxBytes: number,
  check?: (stats: Stats) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const options = { maxBytes, check, isWhole: true };
  for await (const chunk of regularChunks(path, options)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface ChunkOptions {
  readonly maxBytes: number;
  readonly check?: ((stats: Stats) => void) | undefined;
  readonly from?: number | undefined;
  /** Whether to read as much as possible at once. */
  readonly isWhole?: boolean;
}

const CHUNK_BYTES = 64 * 1024;

/** Counts the bytes that are read, because a file may grow, and those in `/proc` have no size. */
async function* regularChunks(
  path: string,
  { maxBytes, check, from, isWhole = false }: ChunkOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const tooLarge = (): Error =>
    new UnusableFileError(`is larger than ${Math.round(maxBytes / MIB)} MiB`);
  const file = await opened(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UnusableFileError(`is ${kindOf(stats)}, not a file`);
    check?.(stats);
    if (stats.size > maxBytes) throw tooLarge();
    const length = isWhole ? Math.max(CHUNK_BYTES, stats.size + 1) : CHUNK_BYTES;
    let total = from ?? 0;
    for (;;) {
      const at = from === undefined ? null : total;
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) return;
      total += bytesRead;
      if (total > maxBytes) throw tooLarge();
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, READ_ONLY);
  } catch (error) {
    if (hasCode(error, "EISDIR")) throw new UnusableFileError("is a folder, not a file");
    if (hasCode(error, "ENXIO") || hasCode(error, "EOPNOTSUPP"))
      throw new UnusableFileError("is a socket or a device, not a file");
    throw error;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

/** How a file that the user named is read. */
export interface GivenFileOptions {
  readonly maxBytes: number;
  readonly what?: string;
  readonly check?: (stats: Stats) => void;
  /** The byte to begin with, for a file that has grown. Default: the first. */
  readonly from?: number;
}

/** Reads a file that the user named. Throws a usage error if that fails. */
export async function readGivenFile(
  path: string,
  name: string,
  options: GivenFileOptions,
): Promise<Buffer> {
  const { maxBytes, check } = options;
  try {
    return await readRegularFile(path, maxBytes, check);
  } catch (error) {
    throw givenFileError(name, error, options);
  }
}

/** The same in pieces, for large files. An error of `take` is passed on as it is. */
export async function readGivenFileChunks(
  path: string,
  name: string,
  options: GivenFileOptions,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const chunks = regularChunks(path, options);
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw givenFileError(name, error, options);
      });
      if (next.done === true) return;
      take(next.value);
    }
  } finally {
    // Closes the file if `take` has thrown.
    await chunks.return();
  }
}

function givenFileError(
  name: string,
  error: unknown,
  { what = "file" }: GivenFileOptions,
): CliError {
  return hasCode(error, "ENOENT")
    ? usageError(`${name}: no such ${what}`)
    : unreadableFile(name, error);
}

export function unreadableFile(name: string, error: unknown): CliError {
  return error instanceof UnusableFileError
    ? usageError(`${name} ${error.problem}`)
    : usageError(`could not read ${name}: ${messageOf(error)}`);
}
