import type { FileHandle } from "node:fs/promises";
import { cancelledError } from "../rpc-errors.ts";
import { JailError } from "../jail/errors.ts";
import type { LineWindow } from "./provider.ts";

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * Reads a window of an open file. Memory is bounded by the window, not by the file. Stops reading
 * where the window ends. Rejects with JailError `too-large` if the window itself is over `maxBytes`,
 * and with RpcError if a signal is aborted, because finding a line may take a long time.
 */
export async function readWindow(
  handle: FileHandle,
  path: string,
  { line, limit }: LineWindow,
  maxBytes: number,
  signals: readonly AbortSignal[] = [],
): Promise<Buffer> {
  let toSkip = Math.max(1, line ?? 1) - 1;
  let toTake = limit ?? Infinity;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const parts: Buffer[] = [];
  let bytes = 0;
  let position = 0;
  while (toTake > 0) {
    if (signals.some((signal) => signal.aborted)) throw cancelledError();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = chunk.subarray(0, bytesRead);
    const skipped = passLines(read, 0, toSkip);
    toSkip -= skipped.lines;
    if (toSkip > 0) continue;
    const taken = passLines(read, skipped.end, toTake);
    toTake -= taken.lines;
    const part = read.subarray(skipped.end, taken.end);
    bytes += part.length;
    if (bytes > maxBytes) throw new JailError("too-large", path);
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}

/** Skips `count` line ends, or goes to the end of the bytes. */
function passLines(
  bytes: Buffer,
  start: number,
  count: number,
): { readonly end: number; readonly lines: number } {
  let end = start;
  let lines = 0;
  while (lines < count) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return { end: bytes.length, lines };
    end = newline + 1;
    lines++;
  }
  return { end, lines };
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes as text, unchanged, including a byte order mark and CRLF. Throws JailError `binary`. */
export function decodeWindow(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) throw new JailError("binary", path);
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new JailError("binary", path, cause);
  }
}

/**
 * Pure: the lines of a text that a read request asks for. For providers that have the whole text, such
 * as an unsaved editor buffer or a file in memory.
 */
export function sliceLines(text: string, { line, limit }: LineWindow): string {
  const start = afterLines(text, 0, Math.max(1, line ?? 1) - 1);
  return text.slice(start, limit === undefined ? undefined : afterLines(text, start, limit));
}

function afterLines(text: string, start: number, count: number): number {
  let end = start;
  for (let lines = 0; lines < count; lines++) {
    const newline = text.indexOf("\n", end);
    if (newline === -1) return text.length;
    end = newline + 1;
  }
  return end;
}
