import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import type { Io } from "../shell/io.ts";
import { MIB } from "../shell/regular-file.ts";
import { assemblePrompt, type AssembledPrompt, decodeText, MAX_PART_BYTES } from "./assemble.ts";

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
    screen.story("dragoman: waiting for stdin; use --no-stdin to ignore it");
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
