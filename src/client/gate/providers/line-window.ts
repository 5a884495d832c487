/** Part of a text: `limit` lines, starting at `line`. Line ends belong to their lines. */
export interface LineWindow {
  /** The first line, counted from 1. Default: 1. 0 means 1 too, because some agents count from 0. */
  readonly line?: number | undefined;
  /** How many lines to read. Default: all. */
  readonly limit?: number | undefined;
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
