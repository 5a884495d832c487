/** The result of waiting for a prompt. `interrupt` is a Ctrl-C while there is nothing to cancel. */
export type InputEvent =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" };

/** Where the prompts of a chat come from: an editor on a terminal, or plain lines. */
export interface ChatInput {
  /** Earlier prompts, newest first. */
  readonly history: readonly string[];
  /** Adds a prompt, as if the user had typed it. */
  send(text: string): void;
  /** Waits for the next prompt. Resolves with `end` if the signal is aborted or the input has ended. */
  next(signal: AbortSignal): Promise<InputEvent>;
  /**
   * Handles a Ctrl-C that arrived as a signal while no turn is running. Returns false if it should end
   * the chat.
   */
  interrupt(): boolean;
  /** Makes prompts that wait for the end of a cancelled turn editable again, instead of sending them. */
  takeBack(): void;
  close(): void;
}

export const HISTORY = 500;

/** Hands out events one by one: to the call that waits, or later to the next one. */
export class InputEvents {
  readonly #queue: InputEvent[] = [];
  #waiting: ((event: InputEvent) => void) | undefined;
  history: readonly string[];

  constructor(history: readonly string[]) {
    this.history = history;
  }

  get isAwaited(): boolean {
    return this.#waiting !== undefined;
  }

  /** The prompts that wait to be sent. */
  get prompts(): readonly string[] {
    return this.#queue.flatMap((event) => (event.kind === "prompt" ? [event.text] : []));
  }

  /** Adds a prompt. In the history, one that is already there moves to the front. */
  send(text: string): void {
    if (text.trim() !== "")
      this.history = [text, ...this.history.filter((one) => one !== text)].slice(0, HISTORY);
    this.emit({ kind: "prompt", text });
  }

  emit(event: InputEvent): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting(event);
    else if (event.kind !== "interrupt") this.#queue.push(event);
  }

  /** Resolves with the next event, or with `end` if the signal is aborted. */
  async next(signal: AbortSignal): Promise<InputEvent> {
    const ready = this.#queue.shift();
    if (ready !== undefined) return ready;
    if (signal.aborted) return { kind: "end" };
    const stop = (): void => this.emit({ kind: "end" });
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await new Promise<InputEvent>((resolve) => {
        this.#waiting = resolve;
      });
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  takeNewest(): string | undefined {
    const index = this.#queue.findLastIndex(({ kind }) => kind === "prompt");
    const [event] = index === -1 ? [] : this.#queue.splice(index, 1);
    return event?.kind === "prompt" ? event.text : undefined;
  }
}
