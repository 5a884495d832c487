import {
  DragomanError,
  type ErrorCode,
  isJsonObject,
  type JsonObject,
  redactText,
  messageOf,
} from "../../base/index.ts";
import { type CloseReason, describeClose } from "../wire/index.ts";
import { RpcCode, type ErrorObject } from "./messages.ts";

/** An error with a JSON-RPC code. Handlers throw it to choose what the other side receives. */
export class RpcError extends DragomanError {
  override readonly name: string = "RpcError";
  /** The code of JSON-RPC or ACP, such as -32602. `code` is the word for it. */
  readonly rpcCode: number;
  /** More about the error, as JSON; undefined if there is nothing more. */
  readonly data: unknown;

  /** Creates an error with a code, a message for people, and more data. */
  constructor(rpcCode: number, message: string, data?: unknown) {
    super(wordFor(rpcCode), message);
    this.rpcCode = rpcCode;
    this.data = data;
  }

  /** The error "no such method" (-32601). */
  static methodNotFound(method: string): RpcError {
    return new RpcError(RpcCode.methodNotFound, `Method not found: ${method}`, { method });
  }

  /** The error "invalid params" (-32602). */
  static invalidParams(message: string, data?: unknown): RpcError {
    return new RpcError(RpcCode.invalidParams, message, data);
  }
}

/** The word for a JSON-RPC code. Those of ACP are here too, because this is the one class of both. */
function wordFor(rpcCode: number): ErrorCode {
  switch (rpcCode) {
    case RpcCode.parseError:
    case RpcCode.invalidRequest:
      return "protocol";
    case RpcCode.methodNotFound:
      return "unsupported";
    case RpcCode.invalidParams:
      return "invalid_argument";
    case RpcCode.requestCancelled:
      return "cancelled";
    case AUTH_REQUIRED:
      return "auth_required";
    case RESOURCE_NOT_FOUND:
      return "not_found";
    default:
      return "remote_error";
  }
}

/** The JSON-RPC code of an error, thrown or raw from the wire. Undefined if it has none. Never throws. */
export function rpcCodeOf(error: unknown): unknown {
  if (error instanceof RpcError) return error.rpcCode;
  return isJsonObject(error) ? error["code"] : undefined;
}

const AUTH_REQUIRED = -32000;
const RESOURCE_NOT_FOUND = -32002;

/**
 * The other side answered a call with an error. Code and data are as received. So is the message,
 * unless it only names the kind of error: then `details` follows it.
 */
export class RemoteError extends RpcError {
  override readonly name = "RemoteError";
  /** The method of the call that failed; undefined if the error response named no call. */
  readonly method: string | undefined;
  /** The error object, exactly as received. */
  readonly received: ErrorObject;
  /** The cause from `data`, shortened to one line, without secrets; undefined if there is none. */
  readonly details: string | undefined;

  constructor(error: ErrorObject, method?: string) {
    const details = detailsOf(error.data);
    const isEnough = details === undefined || !GENERIC_MESSAGE.test(error.message);
    const message = error.message.trim() || "Error";
    super(error.code, isEnough ? error.message : `${message}: ${details}`, error.data);
    this.method = method;
    this.received = error;
    this.details = details;
  }
}

/** Texts that say no more than the error's code, as JSON-RPC and agents write them. */
const GENERIC_MESSAGE =
  /^\s*(?:(?:(?:internal|server|internal server|unknown|unexpected|parse) )?error|invalid (?:request|params)|request failed)?[.!]?\s*$/i;

const MAX_DETAILS_CHARS = 200;

/** Agents put the cause of an error into one of these fields, if anywhere. */
function detailsOf(data: unknown): string | undefined {
  const { details, message, error }: JsonObject = isJsonObject(data) ? data : { details: data };
  const nested = isJsonObject(error) ? error["message"] : error;
  const text = [details, message, nested].find(
    (value) => typeof value === "string" && value.trim() !== "",
  );
  return typeof text === "string" ? shortened(text) : undefined;
}

function shortened(text: string): string {
  // Redacted as a whole, because part of a secret may not look like one.
  const line = redactText(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > MAX_DETAILS_CHARS ? `${line.slice(0, MAX_DETAILS_CHARS - 1)}…` : line;
}

/**
 * The connection closed before the call was answered. `reason` holds the cause. `code` is `closed` if this
 * side closed it, otherwise `connection_lost`.
 */
export class ConnectionError extends DragomanError {
  override readonly name = "ConnectionError";
  /** Why the connection closed. */
  readonly reason: CloseReason;
  /** The method of the call that was waiting, if there was one. */
  readonly method: string | undefined;

  /** Describes the end of a connection while a method was waiting. */
  constructor(reason: CloseReason, method?: string) {
    const cause = reason.kind === "failed" ? reason.error : undefined;
    super(
      reason.kind === "closed" ? "closed" : "connection_lost",
      `${method === undefined ? "" : `${method}: `}${describeClose(reason)}`,
      { cause },
    );
    this.reason = reason;
    this.method = method;
  }
}

/** The caller cancelled the call through its AbortSignal. The signal's reason is the `cause`. */
export class CallCancelledError extends DragomanError {
  override readonly name = "CallCancelledError";
  readonly method: string;

  /** Describes a call that was cancelled, with the reason of its signal. */
  constructor(method: string, cause: unknown) {
    super("cancelled", `${method}: cancelled by the caller`, { cause });
    this.method = method;
  }
}

/** Turns anything a handler threw into the error to send, without its stack. Never throws. */
export function toErrorObject(error: unknown, cancelled: boolean): ErrorObject {
  if (cancelled) return { code: RpcCode.requestCancelled, message: "Request cancelled" };
  if (error instanceof RpcError) {
    const { message, data } = error;
    const code = Number.isFinite(error.rpcCode) ? error.rpcCode : RpcCode.internalError;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const details = describeThrown(error);
  return { code: RpcCode.internalError, message: "Internal error", data: { details } };
}

function describeThrown(error: unknown): string {
  try {
    return messageOf(error);
  } catch {
    return "a value that cannot be shown as text was thrown";
  }
}
