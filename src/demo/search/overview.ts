import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "./walk.ts";

/** How a project describes itself. */
export interface Overview {
  readonly title: string | undefined;
  /** Its first paragraph, or the description in its manifest. */
  readonly description: string | undefined;
  /** Where that was found. Names are relative to the root. */
  readonly sources: readonly { readonly name: string; readonly line: number }[];
  /** The sections of its README, in order. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly line: number;
  readonly text: string;
}

const MAX_FILE_BYTES = 512 * 1024;
const MANIFESTS = ["package.json", "pyproject.toml", "Cargo.toml", "composer.json", "pubspec.yaml"];

/** Reads a project's description from its README and manifest. Never throws; it may find nothing. */
export async function overviewOf(
  root: string,
  read: (path: string) => Promise<string | undefined> = (path) => readText(path, MAX_FILE_BYTES),
): Promise<Overview> {
  const names = await readdir(root).catch((): string[] => []);
  const readme = names.find((name) => /^readme(\.(md|markdown|txt|rst|adoc))?$/i.test(name));
  const readmeText = readme === undefined ? undefined : await read(join(root, readme));
  const described = readmeText === undefined ? undefined : parseReadme(readmeText);
  const manifest = MANIFESTS.find((name) => names.includes(name));
  const manifestText = manifest === undefined ? undefined : await read(join(root, manifest));
  const declared = manifestText === undefined ? undefined : parseManifest(manifestText);
  const sources = [
    ...(readme !== undefined && described?.line !== undefined
      ? [{ name: readme, line: described.line }]
      : []),
    ...(manifest !== undefined && declared?.line !== undefined
      ? [{ name: manifest, line: declared.line }]
      : []),
  ];
  return {
    title: described?.title ?? declared?.name,
    description: described?.paragraph ?? declared?.description,
    sources,
    sections: (described?.sections ?? []).map((section) => ({ name: readme ?? "", ...section })),
  };
}

interface Readme {
  readonly title: string | undefined;
  readonly paragraph: string | undefined;
  readonly line: number | undefined;
  readonly sections: readonly Omit<Section, "name">[];
}

const MAX_PARAGRAPH_CHARS = 600;

/** Finds a README's title, first paragraph and sections; skips badges, images, HTML and quotes. Pure. */
export function parseReadme(text: string): Readme {
  const lines = text.split(/\r?\n/);
  const title = lines
    .map((line) => /^#\s+(.+?)\s*#*$/.exec(line)?.[1] ?? /<h1[^>]*>([^<]+)</i.exec(line)?.[1])
    .find((found) => found !== undefined);
  let fenced = false;
  let start: number | undefined;
  const paragraph: string[] = [];
  const sections: Omit<Section, "name">[] = [];
  let isDone = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const isProse = !fenced && /^\s*[\p{L}\p{N}*_`"'“([]/u.test(line) && !isMarkup(line);
    const heading = fenced ? undefined : /^##\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ line: index + 1, text: heading });
    if (isProse && !isDone) {
      start ??= index + 1;
      paragraph.push(line.trim());
    } else if (start !== undefined) {
      isDone = true;
    }
  }
  const joined = paragraph.join(" ").slice(0, MAX_PARAGRAPH_CHARS);
  return { title, paragraph: joined === "" ? undefined : joined, line: start, sections };
}

function isMarkup(line: string): boolean {
  return /^\s*(\[?!\[|\[[^\]]*\]:|[-*+]\s|\d+[.)]\s|=+$|-+$|\|)/.test(line);
}

interface Manifest {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly line: number | undefined;
}

/** Finds the name and description in a JSON, TOML or YAML manifest, line by line. Pure. */
export function parseManifest(text: string): Manifest {
  const field = (key: string): { value: string; line: number } | undefined => {
    const pattern = new RegExp(`^\\s*"?${key}"?\\s*[:=]\\s*"?([^"\\n]+?)"?,?\\s*$`);
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      const value = pattern.exec(line)?.[1];
      if (value !== undefined) return { value, line: index + 1 };
    }
    return undefined;
  };
  const description = field("description");
  return { name: field("name")?.value, description: description?.value, line: description?.line };
}
