import { objectsField, stringField, type JsonObject } from "../../../../wire/index.ts";
import type { AgentRequest, Answerer, Reply } from "./reply.ts";

/** The kinds of permission options, in the order in which an answer falls back to the next. */
const ALLOWING = ["allow_once", "allow_always"];
const REJECTING = ["reject_once", "reject_always"];

export const CANCELLED: Reply = { result: { outcome: { outcome: "cancelled" } } };

/** The options of a permission request. */
export function optionsOf(request: AgentRequest): readonly JsonObject[] {
  return objectsField(request.params, "options");
}

export function isPermission({ method }: AgentRequest): boolean {
  return method === "session/request_permission";
}

/** The answer that selects an option. */
export function select(option: JsonObject | undefined): Reply {
  const optionId = option && stringField(option, "optionId");
  if (optionId === undefined) return CANCELLED;
  return { result: { outcome: { outcome: "selected", optionId } } };
}

/** The first option of one of the kinds. */
export function optionOfKind(
  request: AgentRequest,
  kinds: readonly string[],
): JsonObject | undefined {
  for (const kind of kinds) {
    const found = optionsOf(request).find((option) => option["kind"] === kind);
    if (found) return found;
  }
  return undefined;
}

/** Allows once if that is offered. */
export const allow: Answerer = (request) =>
  isPermission(request) ? select(optionOfKind(request, ALLOWING)) : undefined;

/** Rejects once if that is offered. */
export const reject: Answerer = (request) =>
  isPermission(request) ? select(optionOfKind(request, REJECTING)) : undefined;

/** The same answer to every permission request. */
export function permissionReply(reply: Reply): Answerer {
  return (request) => (isPermission(request) ? reply : undefined);
}
