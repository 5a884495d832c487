import type { Logger } from "../../wire/index.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Context } from "../run/context.ts";
import type { Secrets } from "./secrets.ts";

/**
 * What an agent says beside the protocol: its stderr, and lines on stdout that are no messages.
 * Shown as it comes with `--verbose`; otherwise the lines are counted and told of once.
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
          this.#tell("noise", typeof line === "string" ? secrets.hideAll(line) : message);
      },
      error: (message) => {
        if (this.#verbose) this.#tell("error", message);
      },
    };
    this.stderr = (text) => {
      if (!this.#verbose) return;
      for (const line of secrets.hideAll(text).trimEnd().split("\n")) this.#tell("stderr", line);
    };
  }

  /** Tells once how much was left out. */
  summarise(): void {
    const count = this.#lines;
    this.#lines = 0;
    if (count === 0 || this.#verbose || this.#context.screen.closed) return;
    const [lines, them] =
      count === 1
        ? ["1 line that is no protocol message was", "it"]
        : [`${count} lines that are no protocol messages were`, "them"];
    this.#context.renderer.note(`${lines} ignored on the agent's stdout; --verbose shows ${them}`);
  }

  #tell(tag: string, text: string): void {
    this.#context.screen.story(this.#context.style("dim", `[${tag}] ${sanitiseLine(text)}`));
  }
}
