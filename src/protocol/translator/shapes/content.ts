import { isContentBlock } from "../../acp/index.ts";
import { without, isJsonObject, type JsonObject } from "../../../base/index.ts";

import { diffToV2 } from "./diff.ts";

/** The v1 form of a v2 content block, and whether something of it could not be expressed. */
export interface BlockInV1 {
  /** Undefined if v1 has no such block. */
  readonly block: JsonObject | undefined;
  readonly isComplete: boolean;
}

/** The v1 form of a v2 content block: of a known type, without the icons of a link. Pure. */
export function blockToV1(content: unknown): BlockInV1 {
  if (!isJsonObject(content)) return { block: undefined, isComplete: false };
  const { type, icons } = content;
  if (type === "resource_link" && icons !== undefined) {
    return { block: without(content, "icons"), isComplete: icons === null };
  }
  return isContentBlock(content)
    ? { block: content, isComplete: true }
    : { block: undefined, isComplete: false };
}

/** The v2 form of the content of a v1 tool call. Terminals must belong to the agent. Pure. */
export function contentToV2(content: readonly unknown[]): readonly unknown[] {
  return content.map((item) =>
    isJsonObject(item) && item["type"] === "diff" && item["changes"] === undefined
      ? diffToV2(item)
      : item,
  );
}
