import type { ToolCallStatus, ToolCallContent } from "../../../protocol/acp/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { FileChange, FileText } from "../translate/diffs.ts";
import type { ReportedTerminal } from "../../../agent/index.ts";

/** The state of one tool call while its turn runs. */
export interface ToolState {
  readonly id: string;
  name: string;
  input: JsonObject;
  /** Whether the input is complete. */
  complete: boolean;
  status: ToolCallStatus;
  /** The files that the call will write, as they were when Droid first announced it. */
  readonly before: Map<string, FileText>;
  /** The changes from the permission request. */
  permissionChanges: readonly FileChange[] | undefined;
  /** Output already sent as terminal output. */
  streamed: string;
  /** The terminal of a command that has started; only on v2. */
  terminal: CommandTerminal | undefined;
  /** Progress lines of a sub-agent. */
  lines: readonly string[];
}

export function newToolState(id: string, name: string, before: Map<string, FileText>): ToolState {
  return {
    id,
    name,
    input: {},
    complete: false,
    status: "pending",
    before,
    permissionChanges: undefined,
    streamed: "",
    terminal: undefined,
    lines: [],
  };
}

export function isSettled({ status }: ToolState): boolean {
  return status === "completed" || status === "failed";
}

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
