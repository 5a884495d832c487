import { objectsField, stringField, type JsonObject } from "../../../../wire/index.ts";
import type { ClientAnswer, SubjectRequest, RequestAnswerer } from "../../../harness/incoming.ts";

export const PERMISSION = "session/request_permission";

/** The answer that closes the question without a choice. */
export const CANCELLED = { result: { outcome: { outcome: "cancelled" } } };

/** The options of a permission request. */
export function optionsOf({ params }: Pick<SubjectRequest, "params">): readonly JsonObject[] {
  return objectsField(params, "options");
}

/** The answer that selects an option; `cancelled` if there is none. */
export function select(option: JsonObject | undefined): Exclude<ClientAnswer, "hold"> {
  const optionId = option && stringField(option, "optionId");
  if (optionId === undefined) return CANCELLED;
  return { result: { outcome: { outcome: "selected", optionId } } };
}

/** The first option of one of the kinds, in the order of the kinds. */
export function optionOfKind(
  request: Pick<SubjectRequest, "params">,
  kinds: readonly string[],
): JsonObject | undefined {
  for (const kind of kinds) {
    const found = optionsOf(request).find((option) => option["kind"] === kind);
    if (found) return found;
  }
  return undefined;
}

/** Allows once if that is offered. */
export const allow: RequestAnswerer = (request) =>
  select(optionOfKind(request, ["allow_once", "allow_always"]));

/** Rejects once if that is offered. */
export const reject: RequestAnswerer = (request) =>
  select(optionOfKind(request, ["reject_once", "reject_always"]));

export const hold: RequestAnswerer = () => "hold";
