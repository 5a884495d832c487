import { asObject, isJsonObject, type JsonObject } from "../../base/index.ts";
import type { ReadLine } from "../../trace/index.ts";
import type { JudgedFrame } from "./connection.ts";

/** An update of a session. */
export interface SeenUpdate {
  readonly sessionId: unknown;
  readonly kind: unknown;
  readonly update: JsonObject;
}

/** The update that a frame of the agent carries; undefined if it carries none. */
export function updateIn({ from, message }: JudgedFrame): SeenUpdate | undefined {
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
}: JudgedFrame): { readonly method: string; readonly params: JsonObject } | undefined {
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

/** Members that JSON-RPC allows in a message. */
const MEMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);

/** The members of a message that JSON-RPC does not have. */
export function unknownMembers(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.keys(value).filter((key) => !MEMBERS.has(key)) : [];
}

/** Whether a value says that it is JSON-RPC 2.0. */
export function isJsonRpc(value: unknown): boolean {
  return isJsonObject(value) && value["jsonrpc"] === "2.0";
}

/** Why a line is not a message; undefined if it is one. */
export function lineProblem({ message, skipped, value }: ReadLine): string | undefined {
  if (message.kind === "none") return message.problem;
  if (skipped !== "") return "has other text before the message";
  return isJsonRpc(value) ? undefined : 'has no "jsonrpc": "2.0"';
}
