import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";

/** How long stdin may be silent before it is said what is being waited for. */
const SILENT_STDIN_MS = 1000;

/** Whether stdin holds a prompt: a pipe or a file does, a terminal or nothing at all does not. */
export function stdinHoldsText(io: Io): boolean {
  return io.stdinKind === "pipe" || io.stdinKind === "file";
}

/**
 * Reads stdin to its end. `silent` is called once when nothing came for a second, for a pipe that
 * nobody closes would otherwise look like an agent that does not answer.
 */
export async function readStdin(io: Io, silent: () => void, stop: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  const { stdin } = io;
  const timer = setTimeout(silent, SILENT_STDIN_MS);
  const abort = (): void => {
    stdin.destroy();
  };
  stop.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
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

/** Bytes as text. What holds NUL bytes is no text, and no prompt. */
export function decodeStdin(bytes: Uint8Array, source: string): string {
  const text = new TextDecoder("utf-8").decode(bytes);
  if (text.includes("\0")) throw usageError(`${source} is binary, not text`, "--image for images");
  return text;
}
