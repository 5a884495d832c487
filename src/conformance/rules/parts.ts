import { asObject, isJsonObject, type JsonObject } from "../../wire/index.ts";
import type { ReadFrame } from "./message.ts";

/** An update of a session. */
export interface SeenUpdate {
  readonly sessionId: unknown;
  readonly kind: unknown;
  readonly update: JsonObject;
}

/** The update that a frame of the agent carries; undefined if it carries none. */
export function updateIn({ from, message }: ReadFrame): SeenUpdate | undefined {
  if (from !== "agent" || message.kind !== "notification") return undefined;
  if (message.method !== "session/update") return undefined;
  const params = asObject(message.params) ?? {};
  const update = asObject(params["update"]);
  return update && { sessionId: params["sessionId"], kind: update["sessionUpdate"], update };
}

/** The request of the agent in a frame; undefined if there is none. */
export function agentRequest({
  from,
  message,
}: ReadFrame): { readonly method: string; readonly params: JsonObject } | undefined {
  if (from !== "agent" || message.kind !== "request") return undefined;
  return { method: message.method, params: asObject(message.params) ?? {} };
}

/** The objects in a list; nothing if it is not a list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A value as JSON, cut for a report. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
