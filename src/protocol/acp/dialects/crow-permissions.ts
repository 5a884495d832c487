import type { JsonObject } from "../../../base/index.ts";
import { isObject } from "../parse/guards.ts";
import { UNKNOWN_OPTION_KIND } from "../permissions.ts";
import type { PermissionOptionKind } from "../types.ts";
import { without } from "./crow-keys.ts";

/**
 * Ids that reveal an option's kind. Only exact matches count: a policy must not act on an id or title
 * that merely contains such a word ("approve_and_never_ask", "no problem, go on").
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

/** An explicit kind takes precedence over the id, whether the kind is known or not. */
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
    // If the id does not reveal the kind, send it too, for readers that know the field.
    ...(kind === undefined || kind === kindOf(id, undefined) ? {} : { kind }),
    ...(typeof primary === "boolean" ? { is_primary: primary } : {}),
    ...(Object.keys(otherMeta).length > 0 ? { _meta: otherMeta } : {}),
  };
}

/** Reads the params of `session/request_permission` from crow's update. Its keys must be canonical. */
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
 * Writes the updates that a crow client sees for a `session/request_permission`. If the request has
 * more tool call fields than crow's permission request can hold, a `tool_call_update` with them comes
 * first, so that users see a change before they decide on it.
 */
export function writePermissionRequest(params: JsonObject): readonly JsonObject[] {
  const call = isObject(params["toolCall"]) ? params["toolCall"] : {};
  const options = params["options"];
  const otherFields = without(call, "toolCallId", "title", "rawInput");
  const request = {
    "@type": "permission_request",
    tool_call_id: call["toolCallId"],
    title: call["title"] ?? call["name"] ?? call["kind"] ?? call["toolCallId"],
    ...(call["rawInput"] === undefined ? {} : { arguments: call["rawInput"] }),
    permission_options: Array.isArray(options) ? options.map(writeOption) : [],
  };
  if (Object.keys(otherFields).length === 0) return [request];
  return [
    { "@type": "tool_call_update", tool_call_id: call["toolCallId"], ...otherFields },
    request,
  ];
}

/** The option ids of a canonical permission request. */
export function optionIds(params: JsonObject): readonly unknown[] {
  const options = params["options"];
  return Array.isArray(options)
    ? options.map((option) => (isObject(option) ? option["optionId"] : undefined))
    : [];
}

/**
 * The option id to answer crow with. Crow cannot express that no decision was made, so a cancelled or
 * failed permission request gets the `reject_once` option, or null if there is none.
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
