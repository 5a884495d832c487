import type { ToolCallContent } from "../../acp/index.ts";
import type { ReportedTerminal } from "../../agent/index.ts";

/**
 * A command of Droid as a terminal of the agent. Droid repeats all of the output so far, and 0.99 only
 * its last lines, so output that does not continue the known one replaces it.
 */
export class CommandTerminal {
  readonly #terminal: ReportedTerminal;
  #known = "";

  constructor(terminal: ReportedTerminal) {
    this.#terminal = terminal;
  }

  get content(): ToolCallContent {
    return this.#terminal.content;
  }

  async output(output: string): Promise<void> {
    const known = this.#known;
    if (output === known) return;
    this.#known = output;
    if (output.startsWith(known)) await this.#terminal.write(output.slice(known.length));
    else await this.#terminal.replace(output);
  }

  /** Ends with the whole output. The exit code is undefined if Droid does not report one. */
  async end(output: string, exitCode: number | undefined): Promise<void> {
    // Droid removes blank lines at the end of the result.
    if (output !== this.#known.trimEnd()) await this.output(output);
    await this.#terminal.exit(exitCode === undefined ? {} : { exitCode });
  }
}
