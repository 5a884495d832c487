import { stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock } from "../../../protocol/acp/index.ts";

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

/** File types that people mention to coding agents, by their endings. For others the agent decides. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/json": "json",
  "application/jsonl": "jsonl",
  "application/pdf": "pdf",
  "application/sql": "sql",
  "application/toml": "toml",
  "application/wasm": "wasm",
  "application/x-sh": "bash sh",
  "application/xml": "xml",
  "application/yaml": "yaml yml",
  "application/zip": "zip",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "text/css": "css",
  "text/csv": "csv",
  "text/html": "htm html",
  "text/javascript": "cjs js mjs",
  "text/jsx": "jsx",
  "text/markdown": "md",
  "text/mdx": "mdx",
  "text/plain": "log txt",
  "text/tab-separated-values": "tsv",
  "text/tsx": "tsx",
  "text/typescript": "ts",
  "text/x-c": "c h",
  "text/x-c++": "cc cpp hpp",
  "text/x-csharp": "cs",
  "text/x-dart": "dart",
  "text/x-diff": "diff patch",
  "text/x-go": "go",
  "text/x-java": "java",
  "text/x-kotlin": "kt",
  "text/x-lua": "lua",
  "text/x-php": "php",
  "text/x-python": "py",
  "text/x-ruby": "rb",
  "text/x-rust": "rs",
  "text/x-scss": "scss",
  "text/x-swift": "swift",
  "video/mp4": "mp4",
};

const BY_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([type, endings]) =>
    endings.split(" ").map((ending) => [ending, type] as const),
  ),
);

const BY_NAME = new Map([
  ["dockerfile", "text/x-dockerfile"],
  ["license", "text/plain"],
  ["makefile", "text/x-makefile"],
  ["readme", "text/plain"],
]);

/** The likely mime type of a file or of a URL's path, by its name; undefined if unknown. */
export function mimeTypeOf(name: string): string | undefined {
  const base = name
    .slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const dot = base.lastIndexOf(".");
  return dot === -1 ? BY_NAME.get(base) : BY_ENDING.get(base.slice(dot + 1));
}

/** The type of an image by its first bytes; undefined if it is not one that agents accept. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}
