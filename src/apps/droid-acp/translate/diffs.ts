/** The changes of a tool call as whole files. Pure: callers pass in what they read from disk. */
import type { ToolCallContent } from "../../../protocol/acp/index.ts";
import { META_KEYS } from "../../../protocol/translator/index.ts";
import type { ConfirmationDetails } from "../../../droid/index.ts";
import {
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  stringField,
} from "../../../base/index.ts";
import { visibleField, toolPath } from "./tool-input.ts";
import { isEditTool } from "./tool-names.ts";
import { addedText, patchTargets, patchText } from "./patch.ts";

/** The text of a file; null if there is no file; undefined if the text is unknown. */
export type FileText = string | null | undefined;

export interface FileChange {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  /** Empty for a file that is deleted. */
  readonly newText: string;
  readonly isDeleted?: boolean;
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

export function diffContent(changes: readonly FileChange[]): ToolCallContent[] {
  return changes.map(({ path, oldText, newText, isDeleted }) => ({
    type: "diff",
    path,
    oldText,
    newText,
    // Clients of v1 see an empty file; v2 has a word for it.
    ...(isDeleted === true ? { _meta: { [META_KEYS.operation]: "delete" } } : {}),
  }));
}

/** The absolute paths of the files that a call will write, so that callers can read them first. */
export function writtenPaths(name: string, input: JsonObject, cwd: string): readonly string[] {
  if (name === "ApplyPatch") {
    const targets = patchTargets(patchText(input) ?? "");
    const paths = targets.flatMap(({ path, movedTo }) => (movedTo ? [path, movedTo] : [path]));
    return [...new Set(paths.map((path) => toolPath(path, cwd)))];
  }
  const path = name === "Create" || isEditTool(name) ? visibleField(input, "file_path") : undefined;
  return path === undefined ? [] : [toolPath(path, cwd)];
}

/** The exact changes, as whole files, that Droid sends in a permission request. */
export function permissionChanges(
  details: ConfirmationDetails,
  cwd: string,
  before: (path: string) => FileText,
): readonly FileChange[] {
  switch (details.kind) {
    case "create": {
      const path = toolPath(details.filePath, cwd);
      return [{ path, oldText: before(path) ?? null, newText: details.content }];
    }
    case "edit":
      return [
        {
          path: toolPath(details.filePath, cwd),
          oldText: details.oldContent,
          newText: details.newContent,
        },
      ];
    case "apply_patch":
      return details.files
        .filter(({ filePath }) => filePath !== "")
        .map(({ filePath, oldContent, newContent, operation }) => ({
          path: toolPath(filePath, cwd),
          oldText: oldContent ?? null,
          newText: newContent ?? "",
          ...(operation === "delete" ? { isDeleted: true } : {}),
        }));
    case "exec":
    case "mcp_tool":
    case "exit_spec_mode":
    case "unknown":
      return [];
  }
}

/** The changes that a call will make, from its input and the current files. */
export function plannedChanges(
  name: string,
  input: JsonObject,
  cwd: string,
  before: (path: string) => FileText,
): readonly FileChange[] {
  if (name === "ApplyPatch") {
    const patch = patchText(input) ?? "";
    return patchTargets(patch).flatMap(({ path, operation }): FileChange[] => {
      const newText = operation === "add" ? addedText(patch, path) : undefined;
      return newText === undefined ? [] : [{ path: toolPath(path, cwd), oldText: null, newText }];
    });
  }
  const [path] = writtenPaths(name, input, cwd);
  if (path === undefined) return [];
  const old = before(path);
  if (name === "Create") {
    const newText = stringField(input, "content");
    return newText === undefined ? [] : [{ path, oldText: old ?? null, newText }];
  }
  const replacements = replacementsIn(input);
  if (typeof old === "string") {
    const newText = applied(old, replacements);
    if (newText !== undefined) return [{ path, oldText: old, newText }];
  }
  return fragments(path, replacements);
}

/** The changes that a call has made: whole files if possible, otherwise parts from its input. */
export function madeChanges(
  name: string,
  input: JsonObject,
  cwd: string,
  // `before` may already contain the change, if it was read too late.
  seen: (path: string) => { readonly before: FileText; readonly after: FileText },
): readonly FileChange[] {
  const replacements = isEditTool(name) ? replacementsIn(input) : [];
  return writtenPaths(name, input, cwd).flatMap((path): readonly FileChange[] => {
    const { before, after } = seen(path);
    if (after === undefined || (after === null && typeof before !== "string")) {
      const planned = plannedChanges(name, input, cwd, () => before);
      return planned.filter((change) => change.path === path);
    }
    const newText = after ?? "";
    // The file was read too late and already had the change, so the change is undone.
    if (isEditTool(name) && (before === undefined || before === after)) {
      const oldText = unapplied(newText, replacements);
      return oldText === undefined ? fragments(path, replacements) : [{ path, oldText, newText }];
    }
    if (before === after && name === "ApplyPatch") return [];
    const isLate = name === "Create" && before === after;
    if (after === null) return [{ path, oldText: before ?? null, newText, isDeleted: true }];
    return [{ path, oldText: isLate ? null : (before ?? null), newText }];
  });
}

/** The changes of a call from the history, of which only input and result are known. */
export function storedChanges(
  name: string,
  input: JsonObject,
  cwd: string,
  result: string,
): readonly FileChange[] {
  const stored = storedText(result);
  if (isEditTool(name) && stored !== undefined) {
    const [path] = writtenPaths(name, input, cwd);
    const oldText = unapplied(stored, replacementsIn(input));
    if (path !== undefined && oldText !== undefined) return [{ path, oldText, newText: stored }];
  }
  return plannedChanges(name, input, cwd, () => undefined);
}

/** Up to 0.117, the result of an edit has the whole new text of the file. */
function storedText(result: string): string | undefined {
  const value = parseJsonObject(result);
  return value && stringField(value, "content");
}

function replacementsIn(input: JsonObject): readonly Replacement[] {
  const list = input["edits"] ?? input["changes"];
  const entries = Array.isArray(list) ? list.filter(isJsonObject) : [input];
  return entries.flatMap((entry) => {
    const from = stringField(entry, "old_str");
    const to = stringField(entry, "new_str");
    if (from === undefined || to === undefined) return [];
    return [{ from, to, all: entry["change_all"] === true }];
  });
}

function applied(text: string, replacements: readonly Replacement[]): string | undefined {
  let result = text;
  for (const { from, to, all } of replacements) {
    if (from === "" || !result.includes(from)) return undefined;
    // A function, because a replacement text would give `$` a meaning.
    result = all ? result.replaceAll(from, () => to) : result.replace(from, () => to);
  }
  return replacements.length === 0 ? undefined : result;
}

/** Undoes replacements. Returns undefined if the old text is not certain. */
function unapplied(text: string, replacements: readonly Replacement[]): string | undefined {
  let result = text;
  for (const { from, to, all } of replacements.toReversed()) {
    if (to === "") return undefined;
    const parts = result.split(to);
    if (parts.length < 2 || (!all && parts.length > 2)) return undefined;
    result = parts.join(from);
  }
  return replacements.length === 0 ? undefined : result;
}

function fragments(path: string, replacements: readonly Replacement[]): readonly FileChange[] {
  return replacements.map(({ from, to }) => ({ path, oldText: from, newText: to }));
}
