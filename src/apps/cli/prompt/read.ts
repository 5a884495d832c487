import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import type { Io } from "../shell/io.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { ContentBlock } from "../../../protocol/acp/index.ts";
import { absolute, type BaseFolders, linksOf } from "./mentions.ts";
import { imageTypeOf } from "./mime-types.ts";

/** Reads the prompt from the words, the files and stdin. Throws a usage error if it is empty but required. */
export async function readPrompt(
  context: Context,
  words: readonly string[],
  isOptional: boolean,
): Promise<AssembledPrompt> {
  const { values, io } = context;
  const files = values.list("file").filter((file) => file !== "-");
  const stdin = await promptFromStdin(context, values.list("file").length > files.length);
  const parts = { words, files, images: values.list("image"), stdin };
  const prompt = await assemblePrompt(parts, { cwd: io.cwd, home: io.home });
  if (prompt.blocks.length === 0 && !isOptional) {
    throw usageError(
      "there is no prompt",
      'dragoman "a question", dragoman chat, or dragoman --help',
    );
  }
  return prompt;
}

/** The prompt that a typed line is. Prints the notes about it. */
export async function typedPrompt(
  { io, renderer }: Context,
  line: string,
): Promise<readonly ContentBlock[]> {
  const parts = { words: [line], files: [], images: [], stdin: undefined };
  const { blocks, notes } = await assemblePrompt(parts, { cwd: io.cwd, home: io.home });
  for (const note of notes) renderer.note(note);
  return blocks;
}

async function promptFromStdin(
  context: Context,
  isRequested: boolean,
): Promise<string | undefined> {
  const { io, values } = context;
  if (isRequested && values.flag("no-stdin"))
    throw usageError("-f - and --no-stdin contradict each other");
  if (values.flag("no-stdin") || (!isRequested && !stdinHoldsText(io))) return undefined;
  return textFromStdin(context);
}

/** Everything on stdin. Throws the interruption if a signal arrives meanwhile. */
export function textFromStdin({ io, interrupts, screen }: Context): Promise<string> {
  const silent = (): void =>
    screen.printLine("dragoman: waiting for stdin; use --no-stdin to ignore it");
  return interrupts.aborting((signal) => readStdin(io, silent, signal));
}

/** How long stdin may be silent before Dragoman reports that it is waiting for it. */
const SILENT_STDIN_MS = 1000;

/** Whether stdin may hold prompt text: true for a pipe or a file, false for a terminal or no stdin. */
export function stdinHoldsText(io: Io): boolean {
  return io.stdinKind === "pipe" || io.stdinKind === "file";
}

/**
 * Reads stdin to its end. Calls `silent` once if nothing arrives for a second: otherwise a pipe that
 * stays open would look like an agent that does not answer. Rejects when `stop` is aborted, and with
 * a usage error if stdin is too large.
 */
export async function readStdin(io: Io, silent: () => void, stop: AbortSignal): Promise<string> {
  stop.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  const { stdin } = io;
  const timer = setTimeout(silent, SILENT_STDIN_MS);
  const abort = (): void => {
    stdin.destroy();
  };
  stop.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > MAX_PART_BYTES)
        throw usageError(`stdin is larger than ${MAX_PART_BYTES / MIB} MiB`);
      chunks.push(bytes);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", abort);
  }
  stop.throwIfAborted();
  return decodeText(Buffer.concat(chunks), "stdin");
}

export interface PromptParts {
  readonly words: readonly string[];
  readonly files: readonly string[];
  readonly images: readonly string[];
  readonly stdin: string | undefined;
}

export interface AssembledPrompt {
  /** Text first, then links, then images; empty if the prompt is empty. */
  readonly blocks: readonly ContentBlock[];
  readonly notes: readonly string[];
}

/** The limit for each part of a prompt. Agents accept far less. */
const MAX_PART_BYTES = 32 * MIB;

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
  const { blocks: links, missing } = await linksOf(own === "" ? piped : own, base);
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

/** Decodes bytes as text. Throws a usage error if they contain NUL, which means that they are binary. */
function decodeText(bytes: Uint8Array, source: string): string {
  const text = new TextDecoder("utf-8").decode(bytes);
  if (text.includes("\0")) throw usageError(`${source} is binary, not text`, "--image for images");
  return text;
}
