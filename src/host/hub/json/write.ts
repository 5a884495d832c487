import { errorObject } from "../errors.ts";

/** A response with a result. `id` is the id as it stands in the request. */
export function resultLine(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result ?? null)}}`;
}

/** A response with an error. */
export function errorLine(id: string, error: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(errorObject(error))}}`;
}

export function requestLine(id: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function notificationLine(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The notification that withdraws a request. */
export function cancelLine(requestId: string): string {
  return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${requestId}}}`;
}
