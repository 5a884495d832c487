import { isPermissionOptionKind } from "../../acp/index.ts";
import {
  without,
  isJsonObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
} from "../../../base/index.ts";

import { META_KEYS } from "../methods.ts";

/** The v2 params of a v1 permission request. `toolCall` is the call in its v2 form. Pure. */
export function permissionToV2(
  params: JsonObject,
  toolCall: JsonObject,
  knownTitle: string | undefined,
): JsonObject {
  const title =
    stringField(params, "title") ?? stringField(toolCall, "title") ?? knownTitle ?? DEFAULT_TITLE;
  return {
    ...without(params, "toolCall", "title"),
    title,
    subject: { type: "tool_call", toolCall },
  };
}

const DEFAULT_TITLE = "Allow this tool call?";

/** The question of a v2 permission request, in v1's terms. */
export interface AskedInV1 {
  /** The v2 update of a tool call that the request carries; undefined if it names none. */
  readonly subject: JsonObject | undefined;
  /** The `toolCall` to ask about if the request has no tool call of its own. */
  readonly minted: JsonObject | undefined;
  readonly options: readonly JsonObject[];
  /** Whether an option has a kind that v1 does not know. */
  readonly hasUnknownKind: boolean;
}

/**
 * Reads a v2 permission request. A command, or a request without a subject, gets a tool call made up for
 * it, so that the title of a real one is not overwritten. `mintId` names it. Pure.
 */
export function permissionToV1(params: JsonObject, mintId: () => string): AskedInV1 {
  const subject = objectField(params, "subject");
  const given = objectsField(params, "options");
  const hasUnknownKind = given.some(({ kind }) => !isKnownKind(kind));
  const options = given.map((option) =>
    isKnownKind(option["kind"])
      ? option
      : {
          ...option,
          kind: "reject_once",
          _meta: { ...objectField(option, "_meta"), [META_KEYS.raw]: option["kind"] },
        },
  );
  const toolCall = subject?.["type"] === "tool_call" ? objectField(subject, "toolCall") : undefined;
  if (toolCall) return { subject: toolCall, minted: undefined, options, hasUnknownKind };
  const minted = mintedCall(params, subject, mintId());
  return { subject: undefined, minted, options, hasUnknownKind };
}

function isKnownKind(kind: unknown): boolean {
  return typeof kind === "string" && isPermissionOptionKind(kind);
}

function mintedCall(params: JsonObject, subject: JsonObject | undefined, id: string): JsonObject {
  const description = stringField(params, "description");
  const isCommand = subject?.["type"] === "command";
  return {
    toolCallId: id,
    title: stringField(params, "title") ?? DEFAULT_TITLE,
    kind: isCommand ? "execute" : "other",
    status: "pending",
    ...(isCommand ? { rawInput: { command: subject["command"], cwd: subject["cwd"] } } : {}),
    ...(description === undefined
      ? {}
      : { content: [{ type: "content", content: { type: "text", text: description } }] }),
  };
}

/** Whether the outcome of a permission request is one that v1 has, and names an offered option. Pure. */
export function isPermissionOutcomeInV1(outcome: unknown, options: readonly JsonObject[]): boolean {
  if (!isJsonObject(outcome)) return false;
  if (outcome["outcome"] === "cancelled") return true;
  if (outcome["outcome"] !== "selected") return false;
  return options.some(({ optionId }) => optionId === outcome["optionId"]);
}
