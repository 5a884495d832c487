import { DragomanError } from "../../../base/index.ts";
/** Default limit for the length of a line: 64 MiB. A longer line fails the connection. */
export const DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line is longer than the limit. The connection it came from closes with this error. */
export class LineTooLongError extends DragomanError {
  override readonly name = "LineTooLongError";
  /** The longest line accepted, in bytes. */
  readonly limit: number;

  /** Describes a line over the limit, in bytes. */
  constructor(limit: number) {
    super("limit_exceeded", `line is longer than the limit of ${limit} bytes`);
    this.limit = limit;
  }
}
