import type { Context } from "../context/context.ts";
import type { EditorInputOptions } from "./editor-input.ts";
import type { ChatInput } from "./input.ts";
import { Lines } from "./lines.ts";

/** Whether there is a terminal that can show an editor below all output. */
export function hasEditor({ io, screen }: Pick<Context, "io" | "screen">): boolean {
  return io.stdinKind === "tty" && io.setRaw !== undefined && screen.canHaveFooter;
}

/** Opens the input of a chat: an editor, or plain lines where there cannot be one. */
export async function openInput(
  context: Pick<Context, "io" | "screen" | "style" | "interrupts">,
  options: Pick<EditorInputOptions, "history" | "complete" | "status" | "isBusy">,
): Promise<ChatInput> {
  const { io, screen, style, interrupts } = context;
  if (!hasEditor(context)) return new Lines(io, options.history);
  const { EditorInput } = await import("./editor-input.ts");
  const onCancel = (): void => interrupts.receive("SIGINT");
  return new EditorInput({ ...options, io, screen, style, onCancel });
}
