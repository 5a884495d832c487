import { readdirSync } from "node:fs";
import type { Completions } from "../editor/editor.ts";
import { absolute, type BaseFolders } from "../prompt/mentions.ts";
import { sanitizeLine } from "../../../base/index.ts";

/** A mention at the cursor. It does not start inside a word, so that email addresses stay text. */
const MENTION = /(?<![\w@.\-/])@(?:"([^"\n]*)|([^\s@"'`()<>[\]{},;]*))$/;
const MOST_FILES = 200;

/** Files and folders that complete the `@path` before the cursor; undefined if there is none. */
export function filesFor(text: string, cursor: number, base: BaseFolders): Completions | undefined {
  const match = MENTION.exec(text.slice(0, cursor));
  if (match === null) return undefined;
  const [whole, quoted, plain = ""] = match;
  const typed = quoted ?? plain;
  const slash = typed.lastIndexOf("/") + 1;
  const folder = typed.slice(0, slash);
  const name = typed.slice(slash).toLowerCase();
  const items = entriesOf(absolute(folder, base))
    // Hidden files are offered only if the dot is typed.
    .filter((entry) => entry.name.toLowerCase().startsWith(name))
    .filter((entry) => name !== "" || !entry.name.startsWith("."))
    .filter((entry) => sanitizeLine(entry.name) === entry.name)
    .slice(0, MOST_FILES)
    .map(({ name: entry, isFolder }) => {
      const path = `${folder}${entry}${isFolder ? "/" : ""}`;
      return {
        // Completion goes on inside a folder, so its quotation mark stays open.
        word:
          isPlain(path) && quoted === undefined ? `@${path}` : `@"${path}${isFolder ? "" : '"'}`,
        detail: isFolder ? "folder" : "",
      };
    });
  return { start: cursor - whole.length, items };
}

function isPlain(path: string): boolean {
  return !/[\s@"'`()<>[\]{},;]/.test(path);
}

/** Folders first, each in alphabetical order. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .toSorted(
        (a, b) => Number(b.isFolder) - Number(a.isFolder) || a.name.localeCompare(b.name, "en"),
      );
  } catch {
    return [];
  }
}
