import { stat } from "node:fs/promises";
import type { ContentBlock } from "../../../protocol/acp/index.ts";
import { usageError } from "../shell/exit.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import { absolute, linksOf, type MentionedFile, imageTypeOf } from "./mentions.ts";

export interface PromptParts {
  readonly words: readonly string[];
  readonly files: readonly string[];
  readonly images: readonly string[];
  readonly stdin: string | undefined;
}

/** The folders that paths in a prompt start from. */
export interface BaseFolders {
  /** For relative paths. */
  readonly cwd: string;
  /** For paths that start with `~`. */
  readonly home: string;
}

export interface AssembledPrompt {
  /** Text first, then links, then images; empty if the prompt is empty. */
  readonly blocks: readonly ContentBlock[];
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
}

/** The limit for each part of a prompt. Agents accept far less. */
export const MAX_PART_BYTES = 32 * MIB;

/**
 * Assembles a prompt: the argument, then files, then stdin, with a blank line between them. Mentions
 * count in the argument and files, but not in text that is piped in along with them. Throws a usage
 * error for a file that cannot be used.
 */
export async function assemblePrompt(
  parts: PromptParts,
  base: BaseFolders,
): Promise<AssembledPrompt> {
  const written = [parts.words.join(" ")];
  for (const file of parts.files) written.push(await readText(absolute(file, base), file));
  const own = joined(written);
  const piped = parts.stdin ?? "";
  const { blocks: links, missing } = await linksOf(own === "" ? piped : own, base, inspect);
  const images = [];
  for (const file of parts.images) images.push(await imageBlock(absolute(file, base), file));
  const text = joined([own, piped]);
  const textBlocks: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  return {
    blocks: [...textBlocks, ...links, ...images],
    notes: missing.map((path) => `@${path} is not a file or folder; sent as text only`),
  };
}

/** Joins the texts that are not blank, with a blank line between them. A single one stays as it is. */
function joined(texts: readonly string[]): string {
  const filled = texts.filter((text) => text.trim() !== "");
  if (filled.length === 1) return filled[0] ?? "";
  return filled.map((text) => text.replace(/\n+$/, "")).join("\n\n");
}

async function readText(path: string, name: string): Promise<string> {
  return decodeText(await readBytes(path, name), name);
}

async function imageBlock(path: string, name: string): Promise<ContentBlock> {
  const bytes = await readBytes(path, name);
  const mimeType = imageTypeOf(bytes);
  if (mimeType === undefined) throw usageError(`${name} is not a PNG, JPEG, GIF or WebP image`);
  return { type: "image", mimeType, data: bytes.toString("base64") };
}

function readBytes(path: string, name: string): Promise<Buffer> {
  return readGivenFile(path, name, { maxBytes: MAX_PART_BYTES });
}

/** Pipes and devices are not linked: an agent that follows the link might wait forever. */
async function inspect(path: string): Promise<MentionedFile | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() && !found.isDirectory()) return undefined;
    return { isFolder: found.isDirectory(), size: found.size };
  } catch {
    return undefined;
  }
}

/** Decodes bytes as text. Throws a usage error if they contain NUL, which means that they are binary. */
export function decodeText(bytes: Uint8Array, source: string): string {
  const text = new TextDecoder("utf-8").decode(bytes);
  if (text.includes("\0")) throw usageError(`${source} is binary, not text`, "--image for images");
  return text;
}
