import type { JsonObject } from "../wire/index.ts";
import { isList } from "../wire/index.ts";

/** The frames that one frame becomes: none, one, or several in order. */
export type Translated = JsonObject | readonly JsonObject[] | undefined;

/** The frames as a list. */
export function listOf(translated: Translated): readonly JsonObject[] {
  if (translated === undefined) return [];
  return isList(translated) ? translated : [translated];
}

/** Sends frames that answer a message on the way, instead of passing it on. */
export interface Replies {
  toClient(frame: JsonObject): void;
  toAgent(frame: JsonObject): void;
}

/** A `session/update` notification. */
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

/** The object without some of its keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
