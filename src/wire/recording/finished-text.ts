/** How much of an unfinished line waits for its end. More is passed on as it is. */
const MOST_WAITING = 64 * 1024;

/**
 * Collects the pieces of a text and passes on finished lines. A pipe may cut a secret in two, and neither
 * half would be recognised, so an unfinished line waits, and so does an unfinished private key.
 */
export class FinishedText {
  readonly #emit: (text: string) => void;
  #waiting = "";

  /** Calls `emit` with one or more finished lines, never with an empty text. */
  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  /** Adds a piece. */
  push(text: string): void {
    this.#waiting += text;
    const { length } = this.#waiting;
    this.#pass(length > MOST_WAITING ? length : finishedLength(this.#waiting));
  }

  /** Passes on the rest. */
  flush(): void {
    this.#pass(this.#waiting.length);
  }

  #pass(length: number): void {
    const text = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    if (text !== "") this.#emit(text);
  }
}

/** How much of a text consists of finished lines and finished private keys. */
export function finishedLength(text: string): number {
  const lines = text.lastIndexOf("\n") + 1;
  const key = text.lastIndexOf("-----BEGIN ");
  return key > text.lastIndexOf("-----END ") ? Math.min(lines, key) : lines;
}
