/** Why a tool server cannot be used. */
export type ToolServerErrorCode = "invalid_definition" | "unavailable" | "closed";

/**
 * A tool or a tool server cannot be used. `code` is the reason: `invalid_definition` (the name or the
 * schema of a tool is not usable), `unavailable` (the transport cannot be opened here; `cause` has the
 * error behind it) or `closed` (the server was closed first).
 */
export class ToolServerError extends Error {
  override readonly name = "ToolServerError";
  /** The kind of error. */
  readonly code: ToolServerErrorCode;

  /** Creates an error; `options.cause` keeps the error behind it. */
  constructor(code: ToolServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
