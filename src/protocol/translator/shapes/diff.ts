import {
  type JsonObject,
  definedFields,
  objectField,
  objectsField,
  stringField,
} from "../../../base/index.ts";
import type { V2ContentFields } from "../../acp/index.ts";
import { META_KEYS } from "../methods.ts";
// The whole package would bring its diffs of words, sentences and JSON into every bundle.
import { structuredPatch } from "diff/lib/patch/create.js";

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
interface DiffInV1 {
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
  const sections = isGit ? parseGitPatch(stringField(patch, "text") ?? "") : [];
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

/** One file of a change, as texts. An absent old text means a new file, an absent new one a deleted file. */
interface FileTexts {
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string | undefined;
}

/** The part of a patch about one file. */
interface PatchSection {
  /** The absolute paths in the section; `/dev/null` stands for a file that does not exist. */
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
  readonly text: string;
  readonly hunks: readonly PatchHunk[];
}

/** The lines of one hunk before and after the change, context included. */
interface PatchHunk {
  readonly oldText: string;
  readonly newText: string;
}

/** Texts that differ in more lines than this become one hunk, because comparing them takes too long. */
const MAX_EDITS = 1000;
const NO_FILE = "/dev/null";

/** A Git patch with absolute paths, as v2 asks for it. Pure. */
export function gitPatch({ path, oldText, newText }: FileTexts): string {
  const name = quoted(path);
  const from = oldText === undefined ? NO_FILE : name;
  const to = newText === undefined ? NO_FILE : name;
  const lines = [`diff --git ${name} ${name}`];
  if (oldText === undefined) lines.push("new file mode 100644");
  if (newText === undefined) lines.push("deleted file mode 100644");
  const hunks = hunksOf(oldText ?? "", newText ?? "");
  if (hunks.length > 0) lines.push(`--- ${from}`, `+++ ${to}`, ...hunks);
  return `${lines.join("\n")}\n`;
}

function hunksOf(oldText: string, newText: string): string[] {
  if (oldText === newText) return [];
  const compared = structuredPatch("", "", oldText, newText, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  if (!compared) return replacement(oldText, newText);
  return compared.hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines,
  ]);
}

/** One hunk that removes every line and adds every line. */
function replacement(oldText: string, newText: string): string[] {
  const removed = marked("-", oldText);
  const added = marked("+", newText);
  const count = (lines: readonly string[]): number =>
    lines.filter((line) => !line.startsWith("\\")).length;
  const header = `@@ -${range(1, count(removed))} +${range(1, count(added))} @@`;
  return [header, ...removed, ...added];
}

/** An empty range names the line before it. */
function range(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}

const NO_NEWLINE = "\\ No newline at end of file";

function marked(sign: "+" | "-", text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const isComplete = lines.at(-1) === "";
  if (isComplete) lines.pop();
  const signed = lines.map((line) => sign + line);
  return isComplete ? signed : [...signed, NO_NEWLINE];
}

/** Reads a patch into its sections, one for each file. Lines that belong to none are skipped. Pure. */
export function parseGitPatch(patch: string): readonly PatchSection[] {
  const starts = [...patch.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.map((start, i) => section(patch.slice(start, starts[i + 1])));
}

function section(text: string): PatchSection {
  let oldPath: string | undefined;
  let newPath: string | undefined;
  const hunks: { oldText: string; newText: string }[] = [];
  let hunk: { oldText: string; newText: string } | undefined;
  let last = " ";
  for (const line of text.split("\n")) {
    if (line.startsWith("@@")) {
      hunk = { oldText: "", newText: "" };
      hunks.push(hunk);
    } else if (hunk === undefined) {
      if (line.startsWith("--- ")) oldPath = unquoted(line.slice(4));
      else if (line.startsWith("+++ ")) newPath = unquoted(line.slice(4));
      else if (line.startsWith("rename from ") || line.startsWith("copy from "))
        oldPath = unquoted(line.slice(line.indexOf(" from ") + 6));
      else if (line.startsWith("rename to ") || line.startsWith("copy to "))
        newPath = unquoted(line.slice(line.indexOf(" to ") + 4));
    } else if (line.startsWith("\\")) {
      if (last !== "+") hunk.oldText = hunk.oldText.slice(0, -1);
      if (last !== "-") hunk.newText = hunk.newText.slice(0, -1);
    } else if (line !== "") {
      last = line.charAt(0);
      const content = `${line.slice(1)}\n`;
      if (last !== "+") hunk.oldText += content;
      if (last !== "-") hunk.newText += content;
    }
  }
  return { oldPath, newPath, text, hunks };
}

/** Git quotes a name with quotes, backslashes or control characters like a string of C. */
function quoted(path: string): string {
  if (!/["\\\p{Cc}]/u.test(path)) return path;
  const escaped = path.replaceAll(/["\\\p{Cc}]/gu, (char) => ESCAPES.get(char) ?? octal(char));
  return `"${escaped}"`;
}

const ESCAPES = /* @__PURE__ */ new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function octal(char: string): string {
  return [...new TextEncoder().encode(char)]
    .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
}

/** The path of a header line. Git ends a name with spaces by a tab. */
function unquoted(name: string): string | undefined {
  const given = name.replace(/\t.*$/, "").replace(/\r$/, "");
  if (given === NO_FILE) return undefined;
  if (!given.startsWith('"') || !given.endsWith('"')) return given;
  const bytes: number[] = [];
  const inner = given.slice(1, -1);
  const encoder = new TextEncoder();
  for (const [part, digits, escaped] of inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (digits !== undefined) bytes.push(Number.parseInt(digits, 8));
    else bytes.push(...encoder.encode(escaped === undefined ? part : unescaped(escaped)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function unescaped(char: string): string {
  return { n: "\n", r: "\r", t: "\t" }[char] ?? char;
}
