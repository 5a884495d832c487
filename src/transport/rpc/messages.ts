import { type JsonObject, isJsonObject } from "../../base/index.ts";

/** The id of a request. Peers use numbers and strings; a few broken ones send null. */
export type RequestId = number | string | null;

/** The `error` member of a response, as on the wire. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The error codes that JSON-RPC defines, and the one for a cancelled request. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
} as const;

/** A parsed object, classified by {@link classifyMessage}. */
export type Message =
  | {
      readonly kind: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId; readonly error: ErrorObject }
  | { readonly kind: "invalid"; readonly id: RequestId };

/** Classifies a message by its fields. Never throws: a message that fits no kind is `invalid`. */
export function classifyMessage(frame: JsonObject): Message {
  const { method, id } = frame;
  if (typeof method === "string") {
    if (id === undefined) return { kind: "notification", method, params: frame["params"] };
    if (!isRequestId(id)) return { kind: "invalid", id: null };
    return { kind: "request", id, method, params: frame["params"] };
  }
  const knownId = isRequestId(id) ? id : null;
  // Some libraries write the fields they do not use as null.
  if (method !== undefined && method !== null) return { kind: "invalid", id: knownId };
  const { error } = frame;
  if (error !== undefined && error !== null)
    return { kind: "error", id: knownId, error: readError(error) };
  if ("result" in frame && isRequestId(id)) return { kind: "result", id, result: frame["result"] };
  return { kind: "invalid", id: knownId };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "number" || typeof value === "string" || value === null;
}

/** Whether a value is a protocol message, as opposed to other JSON that a program may print. */
export function isJsonRpcMessage(value: unknown): boolean {
  return isJsonObject(value) && "jsonrpc" in value;
}

/** Some agents send HTTP statuses as codes and objects as messages; both stay readable. */
function readError(error: unknown): ErrorObject {
  if (typeof error !== "object" || error === null) {
    return { code: RpcCode.internalError, message: String(error), data: error };
  }
  const code =
    "code" in error && typeof error.code === "number" ? error.code : RpcCode.internalError;
  const message =
    "message" in error && typeof error.message === "string" ? error.message : asText(error);
  return "data" in error ? { code, message, data: error.data } : { code, message };
}

function asText(error: object): string {
  try {
    return JSON.stringify(error);
  } catch {
    // It is nested deeper than the stack allows.
    return "the error is nested too deeply to show";
  }
}

export interface Envelope {
  requestId(n: number): NonNullable<RequestId>;
  request(id: RequestId, method: string, params: unknown): JsonObject;
  notification(method: string, params: unknown): JsonObject;
  result(id: RequestId, result: unknown): JsonObject;
  error(id: RequestId, error: ErrorObject): JsonObject;
  /** The notification that cancels the request named by `requestId`, if the protocol has one. */
  readonly cancelMethod?: string | undefined;
}

/** Standard JSON-RPC 2.0, with the `$/cancel_request` notification that ACP uses. */
export const plainEnvelope: Envelope = {
  requestId: (n) => n,
  request: (id, method, params) => ({ jsonrpc: "2.0", id, method, params }),
  notification: (method, params) => ({ jsonrpc: "2.0", method, params }),
  result: (id, result) => ({ jsonrpc: "2.0", id, result }),
  error: (id, error) => ({ jsonrpc: "2.0", id, error }),
  cancelMethod: "$/cancel_request",
};

/** The members that JSON-RPC allows in a message. */
export const MESSAGE_MEMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);
