import { basename, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "../../acp/index.ts";
import { mimeTypeOf } from "./mime.ts";

/** One `@...` in a prompt. */
export type Mention =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "path"; readonly path: string; readonly quoted: boolean };

/** Not inside a word, so that mail addresses stay text. */
const MENTION = /(?<![\w@.\-/])@(?:"([^"\n]+)"|(https?:\/\/[^\s<>"'`]+)|([^\s@"'`()<>[\]{},;]+))/gi;

/** What often stands after a mention but rarely belongs to it. */
const TRAILING = /[.,;:!?)\]}'"*]+$/;

/** A line, with or without a column, or some lines, as tools and agents print them after a path. */
const LINE = /:\d+(?:[:-]\d+)?$/;

/** Finds the mentions of a prompt, in their order. Pure: whether a path exists is for others to say. */
export function findMentions(text: string): readonly Mention[] {
  return [...text.matchAll(MENTION)].map((match): Mention => {
    const [, quoted, url, plain] = match;
    if (url !== undefined) return { kind: "url", url: url.replace(TRAILING, "") };
    if (quoted !== undefined && /^https?:\/\//i.test(quoted)) return { kind: "url", url: quoted };
    return { kind: "path", path: quoted ?? plain ?? "", quoted: quoted !== undefined };
  });
}

/** What the file system says of a path; undefined if there is nothing. */
export type FindFile = (path: string) => Promise<MentionedFile | undefined>;

export interface MentionedFile {
  readonly isFolder: boolean;
  readonly size: number;
}

export interface Links {
  readonly blocks: readonly ContentBlock[];
  /** Mentions that look like paths and lead nowhere. */
  readonly missing: readonly string[];
}

/** Makes a link of every mention that leads somewhere. The text of the prompt stays as it is. */
export async function linksOf(
  text: string,
  where: { readonly cwd: string; readonly home: string },
  look: FindFile,
): Promise<Links> {
  const blocks = new Map<string, ContentBlock>();
  const missing = new Set<string>();
  for (const mention of findMentions(text)) {
    if (mention.kind === "url") {
      const block = urlLink(mention.url);
      if (block !== undefined) blocks.set(mention.url, block);
      continue;
    }
    const found = await findPath(mention, where, look);
    if (found !== undefined) blocks.set(found.path, fileLink(found.path, found));
    else if (mention.quoted || /[/\\.]/.test(mention.path)) missing.add(mention.path);
  }
  return { blocks: [...blocks.values()], missing: [...missing] };
}

async function findPath(
  mention: { readonly path: string; readonly quoted: boolean },
  where: { readonly cwd: string; readonly home: string },
  look: FindFile,
): Promise<(MentionedFile & { readonly path: string }) | undefined> {
  const trimmed = mention.quoted ? mention.path : mention.path.replace(TRAILING, "");
  const lineless = mention.quoted ? trimmed : trimmed.replace(LINE, "");
  for (const spelling of new Set([mention.path, trimmed, lineless])) {
    if (spelling === "") continue;
    const path = absolute(spelling, where);
    const found = await look(path);
    if (found !== undefined) return { ...found, path };
  }
  return undefined;
}

/** `~` is the home folder; what is relative starts at the workspace. */
export function absolute(
  path: string,
  where: { readonly cwd: string; readonly home: string },
): string {
  if (path === "~") return where.home;
  if (path.startsWith("~/")) return join(where.home, path.slice(2));
  return isAbsolute(path) ? path : resolve(where.cwd, path);
}

function fileLink(path: string, found: MentionedFile): ContentBlock {
  const mimeType = found.isFolder ? "inode/directory" : mimeTypeOf(path);
  return {
    type: "resource_link",
    uri: pathToFileURL(path).href,
    name: basename(path) || path,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(found.isFolder ? {} : { size: found.size }),
  };
}

function urlLink(text: string): ContentBlock | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const mimeType = mimeTypeOf(url.pathname);
  return {
    type: "resource_link",
    uri: text,
    name: basename(url.pathname) || url.host,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}
