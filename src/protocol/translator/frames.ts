import { type JsonObject, isList } from "../../base/index.ts";
import { ERROR_CODES } from "../acp/index.ts";

/** The frames that one frame becomes: none, one, or several in order. */
export type Translated = JsonObject | readonly JsonObject[] | undefined;

export function listOf(translated: Translated): readonly JsonObject[] {
  if (translated === undefined) return [];
  return isList(translated) ? translated : [translated];
}

/** Sends frames that answer a message on the way, instead of passing it on. */
export interface Replies {
  toClient(frame: JsonObject): void;
  toAgent(frame: JsonObject): void;
}

export function updateFrame(sessionId: string, update: JsonObject, meta?: unknown): JsonObject {
  const params = meta === undefined ? { sessionId, update } : { sessionId, update, _meta: meta };
  return { jsonrpc: "2.0", method: "session/update", params };
}

export function resultFrame(id: unknown, result: unknown): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

export function errorFrame(id: unknown, code: number, message: string, data?: unknown): JsonObject {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: "2.0", id, error };
}

/** The answer to a prompt that was withdrawn before its turn started. */
export function withdrawnPromptFrame(id: unknown): JsonObject {
  return errorFrame(id, ERROR_CODES.requestCancelled, "The prompt was withdrawn");
}

export function cancelRequestFrame(requestId: unknown): JsonObject {
  return { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } };
}
