import {
  definedFields,
  isJsonObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
} from "../../wire/index.ts";
import type { V2ContentFields } from "../../acp/index.ts";
import { META_KEYS } from "../methods.ts";
import { gitPatch, patchSections, type PatchSection } from "./git-patch.ts";

/** The v2 form of a v1 diff. The texts stay in `_meta`, because a patch may not contain all of them. Pure. */
export function diffToV2(item: JsonObject): JsonObject {
  const path = stringField(item, "path") ?? "";
  const oldText = stringField(item, "oldText");
  const newText = stringField(item, "newText") ?? "";
  const { [META_KEYS.operation]: given, ...meta } = objectField(item, "_meta") ?? {};
  const isDeleted = given === "delete";
  const operation = isDeleted ? "delete" : oldText === undefined ? "add" : "modify";
  const after = isDeleted ? undefined : newText;
  return {
    type: "diff",
    changes: [{ operation, path, fileType: "text" }],
    patch: { format: "git_patch", text: gitPatch({ path, oldText, newText: after }) },
    _meta: {
      ...meta,
      [META_KEYS.texts]: { ...(oldText === undefined ? {} : { oldText }), newText },
    },
  };
}

/** The v1 items of a v2 diff, and whether something of it could not be expressed. */
export interface DiffInV1 {
  readonly items: readonly JsonObject[];
  readonly isComplete: boolean;
}

/**
 * The v1 form of a v2 diff: one item for each hunk of each file. Changes without a text, such as
 * moves and binary files, become a line of text. With `details`, each item also has the v2 change and
 * its part of the patch. Pure.
 */
export function diffToV1(item: JsonObject, details: boolean): DiffInV1 {
  const texts = objectField(objectField(item, "_meta") ?? {}, META_KEYS.texts);
  const changes = objectsField(item, "changes");
  const patch = objectField(item, "patch");
  const isGit = patch !== undefined && patch["format"] === "git_patch";
  const sections = isGit ? patchSections(stringField(patch, "text") ?? "") : [];
  const [only] = changes;
  if (texts && only && changes.length === 1) {
    const { [META_KEYS.texts]: _, ...meta } = objectField(item, "_meta") ?? {};
    const path = stringField(only, "path") ?? "";
    const restored = {
      type: "diff",
      path,
      ...texts,
      ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
      ...(details ? fieldsOf(only, sections[0]) : {}),
    };
    return { items: [restored], isComplete: true };
  }
  let isComplete = true;
  const items = changes.flatMap((change) => {
    const section = sectionFor(change, sections);
    const shown = diffItems(change, section);
    if (shown.length === 0 || change["operation"] === "move" || change["operation"] === "copy") {
      isComplete = false;
    }
    const all = shown.length > 0 ? shown : [describedChange(change)];
    return details ? all.map((one) => ({ ...one, ...fieldsOf(change, section) })) : all;
  });
  return { items, isComplete };
}

/** The fields that only v2 has, in the form of `V2ContentFields`. */
function fieldsOf(change: JsonObject, section: PatchSection | undefined): V2ContentFields {
  const texts = {
    oldPath: stringField(change, "oldPath"),
    fileType: stringField(change, "fileType"),
    mimeType: stringField(change, "mimeType"),
  };
  return definedFields({
    change: {
      operation: stringField(change, "operation") ?? "",
      path: stringField(change, "path") ?? "",
      ...definedFields(texts),
    },
    patch: section?.text,
  });
}

function sectionFor(
  change: JsonObject,
  sections: readonly PatchSection[],
): PatchSection | undefined {
  const path = stringField(change, "path");
  const oldPath = stringField(change, "oldPath") ?? path;
  return sections.find(
    (section) => section.newPath === path || (section.oldPath === oldPath && !section.newPath),
  );
}

function diffItems(change: JsonObject, section: PatchSection | undefined): readonly JsonObject[] {
  const path = stringField(change, "path") ?? "";
  const moved = stringField(change, "oldPath") !== undefined;
  if (section === undefined || section.hunks.length === 0 || moved) return [];
  return section.hunks.map(({ oldText, newText }) => ({
    type: "diff",
    path,
    ...(change["operation"] === "add" ? {} : { oldText }),
    newText: change["operation"] === "delete" ? "" : newText,
  }));
}

function describedChange(change: JsonObject): JsonObject {
  const operation = stringField(change, "operation") ?? "change";
  const path = stringField(change, "path") ?? "";
  const oldPath = stringField(change, "oldPath");
  const fileType = stringField(change, "fileType");
  const what = fileType === undefined || fileType === "text" ? "" : ` (${fileType})`;
  const text =
    oldPath === undefined
      ? `${operation} ${path}${what}`
      : `${operation} ${oldPath} to ${path}${what}`;
  return { type: "content", content: { type: "text", text } };
}

/** The v2 form of the content of a v1 tool call. Terminals must belong to the agent. Pure. */
export function contentToV2(content: readonly unknown[]): readonly unknown[] {
  return content.map((item) =>
    isJsonObject(item) && item["type"] === "diff" && item["changes"] === undefined
      ? diffToV2(item)
      : item,
  );
}
