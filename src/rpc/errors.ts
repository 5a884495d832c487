import { type CloseReason, describeClose } from "../wire/index.ts";
import { RpcCode, type ErrorObject } from "./messages.ts";

/**
 * An error with a JSON-RPC code. A handler throws it to choose the error that the other side
 * receives.
 */
export class RpcError extends Error {
  override readonly name: string = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  static methodNotFound(method: string): RpcError {
    return new RpcError(RpcCode.methodNotFound, `Method not found: ${method}`, { method });
  }

  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(RpcCode.invalidParams, message, data);
  }
}

/** The other side answered a call with an error. Code, message and data are as received. */
export class RemoteError extends RpcError {
  override readonly name = "RemoteError";
  /** The method of the call that failed; undefined if the error response named no call. */
  readonly method: string | undefined;

  constructor(error: ErrorObject, method?: string) {
    super(error.code, error.message, error.data);
    this.method = method;
  }
}

/** The connection closed before the call was answered. `reason` holds the cause. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly reason: CloseReason;
  /** The method of the call that was waiting, if there was one. */
  readonly method: string | undefined;

  constructor(reason: CloseReason, method?: string) {
    const cause = reason.kind === "failed" ? reason.error : undefined;
    super(`${method === undefined ? "" : `${method}: `}${describeClose(reason)}`, { cause });
    this.reason = reason;
    this.method = method;
  }
}

/** The caller cancelled the call through its AbortSignal. The signal's reason is the `cause`. */
export class CallCancelledError extends Error {
  override readonly name = "CallCancelledError";
  readonly method: string;

  constructor(method: string, cause: unknown) {
    super(`${method}: cancelled by the caller`, { cause });
    this.method = method;
  }
}

/** Turns anything a handler threw into the error to send, without its stack. Never throws. */
export function toErrorObject(error: unknown, cancelled: boolean): ErrorObject {
  if (cancelled) return { code: RpcCode.requestCancelled, message: "Request cancelled" };
  if (error instanceof RpcError) {
    const { message, data } = error;
    const code = Number.isFinite(error.code) ? error.code : RpcCode.internalError;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const details = describeThrown(error);
  return { code: RpcCode.internalError, message: "Internal error", data: { details } };
}

function describeThrown(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "a value that cannot be shown as text was thrown";
  }
}
