import type { JsonObject } from "../../wire/index.ts";
import { isObject } from "../parse/guards.ts";
import { UNKNOWN_OPTION_KIND } from "../permissions.ts";
import type { PermissionOptionKind } from "../vocabulary.ts";
import { without } from "./crow-keys.ts";

/**
 * Ids that say what an option does. Exact words only: an id or a title that merely contains one
 * ("approve_and_never_ask", "no problem, go on") says nothing that a policy may act on.
 */
const KIND_BY_ID: ReadonlyMap<unknown, PermissionOptionKind> = new Map([
  ["approve", "allow_once"],
  ["approve_once", "allow_once"],
  ["allow", "allow_once"],
  ["allow_once", "allow_once"],
  ["yes", "allow_once"],
  ["approve_always", "allow_always"],
  ["allow_always", "allow_always"],
  ["reject", "reject_once"],
  ["reject_once", "reject_once"],
  ["deny", "reject_once"],
  ["deny_once", "reject_once"],
  ["no", "reject_once"],
  ["reject_always", "reject_always"],
  ["deny_always", "reject_always"],
]);

/** A kind that is said outright stands, known or not: the id must not overrule it. */
function kindOf(id: unknown, given: unknown): string {
  if (typeof given === "string") return given;
  return (given === undefined ? KIND_BY_ID.get(id) : undefined) ?? UNKNOWN_OPTION_KIND;
}

function readOption(option: unknown): unknown {
  if (!isObject(option)) return option;
  const id = option["id"] ?? option["optionId"] ?? option["option_id"];
  const primary = option["is_primary"];
  const meta = isObject(option["_meta"]) ? option["_meta"] : {};
  return {
    ...without(option, "id", "option_id", "title", "is_primary"),
    optionId: id,
    name: option["name"] ?? option["title"] ?? id,
    kind: kindOf(id, option["kind"]),
    ...(typeof primary === "boolean" ? { _meta: { ...meta, is_primary: primary } } : {}),
  };
}

function writeOption(option: unknown): unknown {
  if (!isObject(option)) return option;
  const id = option["optionId"];
  const kind = option["kind"];
  const meta = isObject(option["_meta"]) ? option["_meta"] : {};
  const primary = meta["is_primary"];
  const otherMeta = without(meta, "is_primary");
  return {
    ...without(option, "optionId", "name", "kind", "_meta"),
    id,
    title: option["name"],
    // Where the id does not say it, the kind rides along, for readers that know the field.
    ...(kind === undefined || kind === kindOf(id, undefined) ? {} : { kind }),
    ...(typeof primary === "boolean" ? { is_primary: primary } : {}),
    ...(Object.keys(otherMeta).length > 0 ? { _meta: otherMeta } : {}),
  };
}

/** The params of `session/request_permission` from crow's update (keys already canonical). */
export function readPermissionRequest(sessionId: unknown, update: JsonObject): JsonObject {
  const given = update["permission_options"] ?? update["options"];
  return {
    sessionId,
    toolCall: {
      ...without(update, "@type", "arguments", "permission_options", "options"),
      ...(update["arguments"] === undefined ? {} : { rawInput: update["arguments"] }),
    },
    options: Array.isArray(given) ? given.map(readOption) : given,
  };
}

/**
 * The updates crow's client sees for a `session/request_permission`: the question, and before it,
 * when the request says more of the tool call than the question can hold, a `tool_call_update`,
 * so that nobody decides on a change without having seen it.
 */
export function writePermissionRequest(params: JsonObject): readonly JsonObject[] {
  const call = isObject(params["toolCall"]) ? params["toolCall"] : {};
  const options = params["options"];
  const more = without(call, "toolCallId", "title", "rawInput");
  const question = {
    "@type": "permission_request",
    tool_call_id: call["toolCallId"],
    title: call["title"] ?? call["name"] ?? call["kind"] ?? call["toolCallId"],
    ...(call["rawInput"] === undefined ? {} : { arguments: call["rawInput"] }),
    permission_options: Array.isArray(options) ? options.map(writeOption) : [],
  };
  if (Object.keys(more).length === 0) return [question];
  return [{ "@type": "tool_call_update", tool_call_id: call["toolCallId"], ...more }, question];
}

/** The ids of a canonical request's options. */
export function optionIds(params: JsonObject): readonly unknown[] {
  const options = params["options"];
  return Array.isArray(options)
    ? options.map((option) => (isObject(option) ? option["optionId"] : undefined))
    : [];
}

/**
 * The option id to answer crow with. Crow has no word for "nobody decided", so a cancelled or failed
 * question is answered with the option that rejects once, and with null when there is none.
 */
export function answerFor(params: JsonObject, response: JsonObject): unknown {
  const result = response["result"];
  const outcome = isObject(result) ? result["outcome"] : undefined;
  if (isObject(outcome) && outcome["outcome"] === "selected") return outcome["optionId"] ?? null;
  const options = Array.isArray(params["options"]) ? params["options"] : [];
  const reject: unknown = options.find(
    (option) => isObject(option) && option["kind"] === "reject_once",
  );
  return isObject(reject) ? reject["optionId"] : null;
}
