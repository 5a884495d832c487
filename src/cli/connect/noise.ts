import type { Logger } from "../../wire/index.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Context } from "../run/context.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The agent's output outside the protocol: its stderr, and lines on stdout that are not messages.
 * `--verbose` prints it at once. Otherwise the lines on stdout are counted and reported once.
 */
export class Noise {
  readonly logger: Logger;
  readonly stderr: (text: string) => void;
  readonly #context: Context;
  readonly #verbose: boolean;
  #lines = 0;

  constructor(context: Context, secrets: Secrets) {
    this.#context = context;
    this.#verbose = context.values.flag("verbose");
    this.logger = {
      warn: (message, fields) => {
        const line = fields?.["line"];
        if (typeof line === "string") this.#lines++;
        if (this.#verbose)
          this.#print("noise", typeof line === "string" ? secrets.hideAll(line) : message);
      },
      error: (message) => {
        if (this.#verbose) this.#print("error", message);
      },
    };
    this.stderr = (text) => {
      if (!this.#verbose) return;
      for (const line of secrets.hideAll(text).trimEnd().split("\n")) this.#print("stderr", line);
    };
  }

  /** Prints once how many lines were ignored. */
  summarise(): void {
    const count = this.#lines;
    this.#lines = 0;
    if (count === 0 || this.#verbose || this.#context.screen.closed) return;
    const [lines, them] =
      count === 1
        ? ["1 line on the agent's stdout that is not a protocol message", "it"]
        : [`${count} lines on the agent's stdout that are not protocol messages`, "them"];
    this.#context.renderer.note(`ignored ${lines}; --verbose shows ${them}`);
  }

  #print(tag: string, text: string): void {
    this.#context.screen.story(this.#context.style("dim", `[${tag}] ${sanitiseLine(text)}`));
  }
}
