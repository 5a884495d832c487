import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface Section {
  /** The file, relative to the root. */
  readonly name: string;
  readonly line: number;
  readonly text: string;
}

/** How a project describes itself. */
export interface Overview {
  readonly title: string | undefined;
  /** The first paragraph of its README, or else the description in its manifest. */
  readonly description: string | undefined;
  readonly sources: readonly Omit<Section, "text">[];
  readonly sections: readonly Section[];
}

const MANIFESTS = ["package.json", "pyproject.toml", "Cargo.toml", "composer.json", "pubspec.yaml"];

/** Reads a project's description from its README and manifest. It may find nothing. */
export async function overviewOf(
  root: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<Overview> {
  const names = await readdir(root).catch((): string[] => []);
  const linesOf = async (name: string | undefined): Promise<Section[]> => {
    const text = name === undefined ? undefined : await read(join(root, name));
    const lines = text?.split(/\r?\n/) ?? [];
    return lines.map((text, index) => ({ name: name ?? "", line: index + 1, text }));
  };
  const readmeName = names.find((name) => /^readme(\.(md|markdown|txt|rst|adoc))?$/i.test(name));
  const readme = parseReadme(await linesOf(readmeName));
  const manifest = await linesOf(MANIFESTS.find((name) => names.includes(name)));
  const paragraph = readme.paragraph.map(({ text }) => text.trim()).join(" ");
  const declared = firstMatch(manifest, fieldPattern("description"));
  const sources = [readme.paragraph[0], declared].filter((found) => found !== undefined);
  return {
    title: (readme.title ?? firstMatch(manifest, fieldPattern("name")))?.text,
    description: paragraph === "" ? declared?.text : paragraph.slice(0, MAX_PARAGRAPH_CHARS),
    sources,
    sections: readme.sections,
  };
}

const MAX_PARAGRAPH_CHARS = 600;

const BADGE_OR_LIST = /^\s*(\[?!\[|\[[^\]]*\]:|[-*+]\s|\d+[.)]\s|=+$|-+$|\|)/;

/** A README's title, first paragraph and sections, without badges, images, HTML and quotes. */
function parseReadme(lines: readonly Section[]) {
  let fenced = false;
  const prose = lines.map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line.text);
    if (isFence) fenced = !fenced;
    return isFence || fenced ? { ...line, text: "" } : line;
  });
  const isParagraph = ({ text }: Section): boolean =>
    /^\s*[\p{L}\p{N}*_`"'“([]/u.test(text) && !BADGE_OR_LIST.test(text);
  const start = prose.findIndex(isParagraph);
  const rest = start === -1 ? [] : prose.slice(start);
  const length = rest.findIndex((line) => !isParagraph(line));
  return {
    title: firstMatch(lines, /^#\s+(.+?)\s*#*$|<h1[^>]*>([^<]+)</i),
    paragraph: length === -1 ? rest : rest.slice(0, length),
    sections: prose.flatMap((line) => firstMatch([line], /^##\s+(.+?)\s*#*$/) ?? []),
  };
}

/** Finds a field of a JSON, TOML or YAML manifest, whose fields have a line each. */
function fieldPattern(key: string): RegExp {
  return new RegExp(`^\\s*"?${key}"?\\s*[:=]\\s*"?([^"\\n]+?)"?,?\\s*$`);
}

/** The first line that matches, with the group's text. */
function firstMatch(lines: readonly Section[], pattern: RegExp): Section | undefined {
  for (const line of lines) {
    const [, text, other] = pattern.exec(line.text) ?? [];
    const found = text ?? other;
    if (found !== undefined) return { ...line, text: found };
  }
  return undefined;
}
