import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import { assemblePrompt, type AssembledPrompt } from "./assemble.ts";
import { readStdin, stdinHoldsText } from "./stdin.ts";

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
export async function textFromStdin({ io, interrupts, screen }: Context): Promise<string> {
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort(interrupts.error()) });
  const silent = (): void =>
    screen.story("dragoman: waiting for stdin; use --no-stdin to ignore it");
  try {
    return await readStdin(io, silent, controller.signal);
  } finally {
    stop();
  }
}
