import type { Context } from "../context/context.ts";
import type { EditorInputOptions } from "./editor-input.ts";
import { type ChatInput, type InputEvent, InputEvents } from "./input.ts";
import { createInterface, type Interface } from "node:readline";
import type { Io } from "../shell/io.ts";

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

/**
 * Reads the prompts of a chat line by line: from a pipe, a file, or a terminal that cannot show an
 * editor. A `\` at the end of a line continues the prompt on the next one.
 */
class Lines implements ChatInput {
  readonly #io: Io;
  readonly #reader: Interface;
  readonly #events: InputEvents;
  readonly #isTerminal: boolean;
  #unfinished = "";
  #closed = false;

  constructor(io: Io, history: readonly string[]) {
    this.#io = io;
    this.#events = new InputEvents(history);
    this.#isTerminal = io.stdinKind === "tty";
    this.#reader = createInterface({ input: io.stdin, terminal: false });
    this.#reader.on("line", (line) => this.#line(line));
    this.#reader.on("close", () => {
      this.#closed = true;
      if (this.#unfinished !== "") this.send(this.#unfinished);
      this.#events.emit({ kind: "end" });
    });
    this.#reader.pause();
  }

  get history(): readonly string[] {
    return this.#events.history;
  }

  send(text: string): void {
    this.#events.send(text);
  }

  async next(signal: AbortSignal): Promise<InputEvent> {
    if (!this.#closed) {
      if (this.#events.prompts.length === 0) this.#prompt("> ");
      this.#reader.resume();
    }
    const event = await this.#events.next(signal);
    // Since Node 24, a closed reader throws when it is paused.
    if (!this.#closed) this.#reader.pause();
    if (event.kind !== "prompt" && this.#isPrompting) this.#io.stderr.stream.write("\n");
    return event;
  }

  interrupt(): boolean {
    if (!this.#isTerminal || !this.#events.isAwaited) return false;
    this.#unfinished = "";
    this.#events.emit({ kind: "interrupt" });
    return true;
  }

  /** Lines of a pipe are kept. Those of a terminal were typed before the turn was cancelled. */
  takeBack(): void {
    if (!this.#isTerminal) return;
    while (this.#events.takeNewest() !== undefined);
  }

  close(): void {
    this.#reader.removeAllListeners("close");
    this.#reader.close();
    this.#closed = true;
  }

  get #isPrompting(): boolean {
    return this.#isTerminal && this.#io.stderr.isTty;
  }

  #line(line: string): void {
    const whole = this.#unfinished + line;
    if (whole.endsWith("\\")) {
      this.#unfinished = `${whole.slice(0, -1)}\n`;
      this.#prompt(". ");
      return;
    }
    this.#unfinished = "";
    this.send(whole);
  }

  #prompt(text: string): void {
    if (this.#isPrompting) this.#io.stderr.stream.write(text);
  }
}
