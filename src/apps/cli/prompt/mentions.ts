import { stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "../../../protocol/acp/index.ts";
import { mimeTypeOf } from "./mime-types.ts";

export type Mention =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "path"; readonly path: string; readonly quoted: boolean };

/** A mention does not start inside a word, so that email addresses stay text. */
const MENTION = /(?<![\w@.\-/])@(?:"([^"\n]+)"|(https?:\/\/[^\s<>"'`]+)|([^\s@"'`()<>[\]{},;]+))/gi;

/** Punctuation that often follows a mention but rarely belongs to it. */
const TRAILING = /[.,;:!?)\]}'"*]+$/;

/** A line, a line and column, or a range of lines, as tools and agents print them after a path. */
const LINE = /:\d+(?:[:-]\d+)?$/;

/** Finds the mentions in a prompt, in order. Does not check whether a path exists. */
export function findMentions(text: string): readonly Mention[] {
  return [...text.matchAll(MENTION)].map((match): Mention => {
    const [, quoted, url, plain] = match;
    if (url !== undefined) return { kind: "url", url: url.replace(TRAILING, "") };
    if (quoted !== undefined && /^https?:\/\//i.test(quoted)) return { kind: "url", url: quoted };
    return { kind: "path", path: quoted ?? plain ?? "", quoted: quoted !== undefined };
  });
}

/** The folders that paths in a prompt start from. */
export interface BaseFolders {
  /** For relative paths. */
  readonly cwd: string;
  /** For paths that start with `~`. */
  readonly home: string;
}

interface Links {
  readonly blocks: readonly ContentBlock[];
  /** Mentions that look like paths but match no file or folder. */
  readonly missing: readonly string[];
}

/** Makes a link from every mention that is a URL or matches a file. The prompt's text does not change. */
export async function linksOf(text: string, base: BaseFolders): Promise<Links> {
  const blocks = new Map<string, ContentBlock>();
  const missing = new Set<string>();
  for (const mention of findMentions(text)) {
    if (mention.kind === "url") {
      const block = urlLink(mention.url);
      if (block !== undefined) blocks.set(mention.url, block);
      continue;
    }
    const found = await findPath(mention, base);
    if (found !== undefined) blocks.set(found.path, fileLink(found.path, found));
    else if (mention.quoted || /[/\\.]/.test(mention.path)) missing.add(mention.path);
  }
  return { blocks: [...blocks.values()], missing: [...missing] };
}

async function findPath(
  mention: { readonly path: string; readonly quoted: boolean },
  base: BaseFolders,
): Promise<(MentionedFile & { readonly path: string }) | undefined> {
  const trimmed = mention.quoted ? mention.path : mention.path.replace(TRAILING, "");
  const lineless = mention.quoted ? trimmed : trimmed.replace(LINE, "");
  for (const spelling of new Set([mention.path, trimmed, lineless])) {
    if (spelling === "") continue;
    const path = absolute(spelling, base);
    const found = await fileAt(path);
    if (found !== undefined) return { ...found, path };
  }
  return undefined;
}

interface MentionedFile {
  readonly isFolder: boolean;
  readonly size: number;
}

/** Pipes and devices are not linked: an agent that follows the link might wait forever. */
async function fileAt(path: string): Promise<MentionedFile | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() && !found?.isDirectory()) return undefined;
  return { isFolder: found.isDirectory(), size: found.size };
}

export function absolute(path: string, base: BaseFolders): string {
  if (path === "~") return base.home;
  if (path.startsWith("~/")) return join(base.home, path.slice(2));
  return isAbsolute(path) ? path : resolve(base.cwd, path);
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
