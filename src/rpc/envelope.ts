import type { JsonObject } from "../wire/index.ts";
import type { ErrorObject, RequestId } from "./messages.ts";

/** How a protocol wraps its JSON-RPC messages. */
export interface Envelope {
  /** Returns the id for the n-th request. */
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
