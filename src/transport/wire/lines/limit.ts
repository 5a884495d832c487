/** Default limit for the length of a line: 64 MiB. A longer line fails the connection. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line is longer than the limit. The connection it came from closes with this error. */
export class LineTooLongError extends Error {
  override readonly name = "LineTooLongError";
  /** The longest line accepted, in bytes. */
  readonly limit: number;

  /** Describes a line over the limit, in bytes. */
  constructor(limit: number) {
    super(`line is longer than the limit of ${limit} bytes`);
    this.limit = limit;
  }
}

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Whether a text takes more than `limit` bytes in UTF-8. Most texts are not encoded to find out. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length * MAX_BYTES_PER_UNIT <= limit) return false;
  return text.length > limit || new TextEncoder().encode(text).length > limit;
}
