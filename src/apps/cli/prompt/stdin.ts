import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { MIB } from "../shell/regular-file.ts";

/** How long stdin may be silent before Dragoman reports that it is waiting for it. */
const SILENT_STDIN_MS = 1000;

/** The limit for each part of a prompt. Agents accept far less. */
export const MAX_PART_BYTES = 32 * MIB;

/** Whether stdin may hold prompt text: true for a pipe or a file, false for a terminal or no stdin. */
export function stdinHoldsText(io: Io): boolean {
  return io.stdinKind === "pipe" || io.stdinKind === "file";
}

/**
 * Reads stdin to its end. Calls `silent` once if nothing arrives for a second: otherwise a pipe that
 * stays open would look like an agent that does not answer. Rejects when `stop` is aborted, and with
 * a usage error if stdin is too large.
 */
export async function readStdin(io: Io, silent: () => void, stop: AbortSignal): Promise<string> {
  stop.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  const { stdin } = io;
  const timer = setTimeout(silent, SILENT_STDIN_MS);
  const abort = (): void => {
    stdin.destroy();
  };
  stop.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > MAX_PART_BYTES)
        throw usageError(`stdin is larger than ${MAX_PART_BYTES / MIB} MiB`);
      chunks.push(bytes);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", abort);
  }
  stop.throwIfAborted();
  return decodeStdin(Buffer.concat(chunks), "stdin");
}

/** Decodes bytes as text. Throws a usage error if they contain NUL, which means that they are binary. */
export function decodeStdin(bytes: Uint8Array, source: string): string {
  const text = new TextDecoder("utf-8").decode(bytes);
  if (text.includes("\0")) throw usageError(`${source} is binary, not text`, "--image for images");
  return text;
}
