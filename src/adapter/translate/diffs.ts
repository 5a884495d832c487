/** The changes of a tool call as whole files. Pure: what was read from disk is passed in. */
import type { ToolCallContent } from "../../acp/index.ts";
import type { ConfirmationDetails } from "../../droid/index.ts";
import { isJsonObject, type JsonObject, stringField } from "../../wire/index.ts";
import { visibleField } from "./fields.ts";
import { addedText, patchTargets, patchText } from "./patches.ts";
import { absolute } from "./paths.ts";
import { isEditTool } from "./tool-names.ts";

/** A file's text; null where there is no file; undefined where it is not known. */
export type FileText = string | null | undefined;

export interface FileChange {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** What was on disk around a call. */
export interface SeenFile {
  /** Before the call, as far as that could be caught. */
  readonly before: FileText;
  /** After it. */
  readonly after: FileText;
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

/** The content blocks that show changes. */
export function diffContent(changes: readonly FileChange[]): ToolCallContent[] {
  return changes.map(({ path, oldText, newText }) => ({ type: "diff", path, oldText, newText }));
}

/** The absolute paths of the files a call will write, so that they can be looked at before. */
export function writtenPaths(name: string, input: JsonObject, cwd: string): readonly string[] {
  if (name === "ApplyPatch") {
    const targets = patchTargets(patchText(input) ?? "");
    const paths = targets.flatMap(({ path, movedTo }) => (movedTo ? [path, movedTo] : [path]));
    return [...new Set(paths.map((path) => absolute(path, cwd)))];
  }
  const path = name === "Create" || isEditTool(name) ? visibleField(input, "file_path") : undefined;
  return path === undefined ? [] : [absolute(path, cwd)];
}

/** The changes as Droid itself tells them when it asks: whole files, exactly. */
export function askedChanges(
  details: ConfirmationDetails,
  cwd: string,
  before: (path: string) => FileText,
): readonly FileChange[] {
  switch (details.kind) {
    case "create": {
      const path = absolute(details.filePath, cwd);
      return [{ path, oldText: before(path) ?? null, newText: details.content }];
    }
    case "edit":
      return [
        {
          path: absolute(details.filePath, cwd),
          oldText: details.oldContent,
          newText: details.newContent,
        },
      ];
    case "apply_patch":
      return details.files
        .filter(({ filePath }) => filePath !== "")
        .map(({ filePath, oldContent, newContent }) => ({
          path: absolute(filePath, cwd),
          oldText: oldContent ?? null,
          newText: newContent ?? "",
        }));
    case "exec":
    case "mcp_tool":
    case "exit_spec_mode":
    case "unknown":
      return [];
  }
}

/** What a call is going to change, from its input and the files as they are. */
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
      return newText === undefined ? [] : [{ path: absolute(path, cwd), oldText: null, newText }];
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

/** What a call has changed, whole files where the disk tells enough, else the parts in its input. */
export function madeChanges(
  name: string,
  input: JsonObject,
  cwd: string,
  seen: (path: string) => SeenFile,
): readonly FileChange[] {
  const replacements = isEditTool(name) ? replacementsIn(input) : [];
  return writtenPaths(name, input, cwd).flatMap((path): readonly FileChange[] => {
    const { before, after } = seen(path);
    if (after === undefined || (after === null && typeof before !== "string")) {
      const lost = plannedChanges(name, input, cwd, () => before);
      return lost.filter((change) => change.path === path);
    }
    const newText = after ?? "";
    // Looked at too late: the change was on disk already, and is taken back out of it.
    if (isEditTool(name) && (before === undefined || before === after)) {
      const oldText = unapplied(newText, replacements);
      return oldText === undefined ? fragments(path, replacements) : [{ path, oldText, newText }];
    }
    if (before === after && name === "ApplyPatch") return [];
    const isLate = name === "Create" && before === after;
    return [{ path, oldText: isLate ? null : (before ?? null), newText }];
  });
}

/** The changes of a call of before, of which only input and result are known. */
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

/** Up to 0.117 the result of an edit has the whole new text of the file. */
function storedText(result: string): string | undefined {
  if (!result.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(result);
    return isJsonObject(value) ? stringField(value, "content") : undefined;
  } catch {
    return undefined;
  }
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
    if (all) result = result.split(from).join(to);
    else result = replacedOnce(result, from, to);
  }
  return replacements.length === 0 ? undefined : result;
}

/** Takes replacements back, where it is certain what stood there before. */
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

function replacedOnce(text: string, from: string, to: string): string {
  const at = text.indexOf(from);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

function fragments(path: string, replacements: readonly Replacement[]): readonly FileChange[] {
  return replacements.map(({ from, to }) => ({ path, oldText: from, newText: to }));
}
