import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "./walk.ts";

/** What a project says of itself. */
export interface Overview {
  readonly title: string | undefined;
  /** Its first paragraph, or the description in its manifest. */
  readonly description: string | undefined;
  /** Where that stands: names relative to the root. */
  readonly sources: readonly { readonly name: string; readonly line: number }[];
  /** The sections of its README, in their order. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly line: number;
  readonly text: string;
}

const LONGEST = 512 * 1024;
const MANIFESTS = ["package.json", "pyproject.toml", "Cargo.toml", "composer.json", "pubspec.yaml"];

/** Reads what a project says of itself in its README and manifest. Total: it may say nothing. */
export async function overviewOf(
  root: string,
  read: (path: string) => Promise<string | undefined> = (path) => readText(path, LONGEST),
): Promise<Overview> {
  const names = await readdir(root).catch((): string[] => []);
  const readme = names.find((name) => /^readme(\.(md|markdown|txt|rst|adoc))?$/i.test(name));
  const fromReadme = readme === undefined ? undefined : await read(join(root, readme));
  const said = fromReadme === undefined ? undefined : parseReadme(fromReadme);
  const manifest = MANIFESTS.find((name) => names.includes(name));
  const text = manifest === undefined ? undefined : await read(join(root, manifest));
  const declared = text === undefined ? undefined : parseManifest(text);
  const sources = [
    ...(readme !== undefined && said?.line !== undefined
      ? [{ name: readme, line: said.line }]
      : []),
    ...(manifest !== undefined && declared?.line !== undefined
      ? [{ name: manifest, line: declared.line }]
      : []),
  ];
  return {
    title: said?.title ?? declared?.name,
    description: said?.paragraph ?? declared?.description,
    sources,
    sections: (said?.sections ?? []).map((section) => ({ name: readme ?? "", ...section })),
  };
}

interface Readme {
  readonly title: string | undefined;
  readonly paragraph: string | undefined;
  readonly line: number | undefined;
  readonly sections: readonly Omit<Section, "name">[];
}

const LONGEST_PARAGRAPH = 600;

/** The title, first paragraph and sections of a README; badges, images, HTML and quotes are passed over. Pure. */
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
    const isProse = !fenced && /^\s*[\p{L}\p{N}*_`"'“([]/u.test(line) && !isFurniture(line);
    const heading = fenced ? undefined : /^##\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ line: index + 1, text: heading });
    if (isProse && !isDone) {
      start ??= index + 1;
      paragraph.push(line.trim());
    } else if (start !== undefined) {
      isDone = true;
    }
  }
  const joined = paragraph.join(" ").slice(0, LONGEST_PARAGRAPH);
  return { title, paragraph: joined === "" ? undefined : joined, line: start, sections };
}

function isFurniture(line: string): boolean {
  return /^\s*(\[?!\[|\[[^\]]*\]:|[-*+]\s|\d+[.)]\s|=+$|-+$|\|)/.test(line);
}

interface Manifest {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly line: number | undefined;
}

/** Name and description of a manifest in JSON, TOML or YAML, told by their lines. Pure. */
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
