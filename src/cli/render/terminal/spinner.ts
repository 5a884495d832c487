import type { Output } from "../../io.ts";
import { cutToColumns } from "./columns.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** Work that ends sooner shows no spinner. */
const DELAY_MS = 200;
const DEFAULT_COLUMNS = 80;

/** One line that shows what is happening. It is redrawn in place and leaves no trace. */
export class Spinner {
  readonly #output: Output;
  #timer: NodeJS.Timeout | undefined;
  #label = "";
  #frame = 0;
  #drawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows a label, which the caller has sanitised. */
  show(label: string): void {
    this.#label = label;
    this.#timer ??= setTimeout(() => this.#draw(), DELAY_MS).unref();
  }

  /** Erases the line to make room for other output. The spinner comes back after a delay. */
  clear(): void {
    this.#erase();
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), DELAY_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? "";
    // Some terminals report zero columns.
    const width = (this.#output.columns() || DEFAULT_COLUMNS) - 4;
    this.#output.stream.write(`\r\u001b[K${frame} ${cutToColumns(this.#label, width)}`);
    this.#drawn = true;
    this.#timer = setTimeout(() => this.#draw(), FRAME_MS).unref();
  }

  #erase(): void {
    if (this.#drawn) this.#output.stream.write("\r\u001b[K");
    this.#drawn = false;
  }
}
