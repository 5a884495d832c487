import { FinishedText, type Logger, sanitizeLine } from "../../../base/index.ts";
import type { Context } from "../context/context.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The agent's output outside the protocol: its stderr, and lines on stdout that are not messages.
 * `--verbose` prints it line by line. Otherwise the lines on stdout are counted and reported once.
 */
export class StrayOutput {
  readonly logger: Logger;
  readonly stderr: (text: string) => void;
  readonly #context: Context;
  readonly #secrets: Secrets;
  readonly #verbose: boolean;
  #lines = 0;
  /** The stderr output, without the line that is not finished yet. */
  readonly #finished = new FinishedText((text) => this.#printStderr(text));
  /** How many lines were left out since the last one that was printed. */
  #leftOut = 0;

  constructor(context: Context, secrets: Secrets, verbose = context.values.flag("verbose")) {
    this.#context = context;
    this.#secrets = secrets;
    this.#verbose = verbose;
    this.logger = {
      warn: (message, fields) => {
        const line = fields?.["line"];
        if (typeof line === "string") this.#lines++;
        if (!this.#verbose) return;
        this.#print(
          "noise",
          typeof line === "string" ? secrets.hideAllCut(line) : secrets.hideAll(message),
        );
      },
      error: (message) => {
        if (this.#verbose) this.#print("error", secrets.hideAll(message));
      },
    };
    this.stderr = (text) => {
      if (this.#verbose) this.#finished.push(text);
    };
  }

  /** Ignored lines are not reported, because the failure of the start shows them. */
  forget(): void {
    this.#lines = 0;
  }

  /** Prints the rest, and once how many lines were ignored. */
  end(): void {
    this.#finished.flush();
    this.#reportLeftOut();
    const count = this.#lines;
    this.#lines = 0;
    if (count === 0 || this.#verbose || this.#context.screen.closed) return;
    const [lines, them] =
      count === 1
        ? ["1 line on the agent's stdout that is not a protocol message", "it"]
        : [`${count} lines on the agent's stdout that are not protocol messages`, "them"];
    this.#context.renderer.note(`ignored ${lines}; --verbose shows ${them}`);
  }

  #printStderr(text: string): void {
    for (const line of this.#secrets.hideAll(text).trimEnd().split("\n"))
      this.#print("stderr", line);
  }

  /** An agent that writes to stderr cannot be made to wait, so lines that nothing reads are left out. */
  #print(tag: string, text: string): void {
    if (this.#context.screen.isStderrFull) {
      this.#leftOut++;
      return;
    }
    this.#reportLeftOut();
    this.#printLine(tag, text);
  }

  #reportLeftOut(): void {
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count > 0) this.#printLine("missing", `${count} lines, because the output was not read`);
  }

  #printLine(tag: string, text: string): void {
    this.#context.screen.printLine(this.#context.style("dim", `[${tag}] ${sanitizeLine(text)}`));
  }
}
