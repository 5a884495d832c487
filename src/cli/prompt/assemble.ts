import { readFile, stat } from "node:fs/promises";
import type { ContentBlock } from "../../acp/index.ts";
import { usageError } from "../exit.ts";
import { hasCode, messageOf } from "../io.ts";
import { absolute, linksOf, type MentionedFile } from "./mentions.ts";
import { imageTypeOf } from "./mime.ts";
import { decodeStdin } from "./stdin.ts";

/** What a prompt is made of. */
export interface PromptParts {
  /** The words of the command line. */
  readonly words: readonly string[];
  /** Files given with `-f`. */
  readonly files: readonly string[];
  /** Files given with `--image`. */
  readonly images: readonly string[];
  /** What came from stdin, if it was read. */
  readonly stdin: string | undefined;
}

export interface Where {
  /** Where paths on the command line start. */
  readonly cwd: string;
  readonly home: string;
}

export interface AssembledPrompt {
  /** Text first, then links, then images; empty if there is nothing to say. */
  readonly blocks: readonly ContentBlock[];
  /** Things to tell the person, one line each. */
  readonly notes: readonly string[];
}

/**
 * Puts a prompt together: the argument, then files, then stdin, a blank line between them. Mentions
 * are looked for in what the person wrote, not in piped material that came along with it.
 */
export async function assemblePrompt(parts: PromptParts, where: Where): Promise<AssembledPrompt> {
  const written = [parts.words.join(" ")];
  for (const file of parts.files) written.push(await readText(absolute(file, where), file));
  const own = joined(written);
  const piped = parts.stdin ?? "";
  const { blocks: links, missing } = await linksOf(own === "" ? piped : own, where, look);
  const images = [];
  for (const file of parts.images) images.push(await imageBlock(absolute(file, where), file));
  const text = joined([own, piped]);
  const textBlocks: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  return {
    blocks: [...textBlocks, ...links, ...images],
    notes: missing.map((path) => `@${path}: no such file; sent as text only`),
  };
}

/** The texts that say anything, a blank line between them. A single one stays exactly as it is. */
function joined(texts: readonly string[]): string {
  const said = texts.filter((text) => text.trim() !== "");
  if (said.length === 1) return said[0] ?? "";
  return said.map((text) => text.replace(/\n+$/, "")).join("\n\n");
}

async function readText(path: string, name: string): Promise<string> {
  return decodeStdin(await readBytes(path, name), name);
}

async function imageBlock(path: string, name: string): Promise<ContentBlock> {
  const bytes = await readBytes(path, name);
  const mimeType = imageTypeOf(bytes);
  if (mimeType === undefined) throw usageError(`${name} is not a PNG, JPEG, GIF or WebP image`);
  return { type: "image", mimeType, data: bytes.toString("base64") };
}

async function readBytes(path: string, name: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw usageError(`${name}: no such file`);
    if (hasCode(error, "EISDIR")) throw usageError(`${name} is a folder, not a file`);
    throw usageError(`${name} cannot be read: ${messageOf(error)}`);
  }
}

async function look(path: string): Promise<MentionedFile | undefined> {
  try {
    const found = await stat(path);
    return { isFolder: found.isDirectory(), size: found.size };
  } catch {
    return undefined;
  }
}
