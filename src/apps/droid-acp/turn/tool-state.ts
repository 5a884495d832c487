import type { ToolCallStatus, ToolCallContent } from "../../../protocol/acp/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { FileChange, FileText } from "../translate/diffs.ts";
import type { ReportedTerminal } from "../../../agent/index.ts";

export interface ToolState {
  readonly id: string;
  readonly name: string;
  input: JsonObject;
  complete: boolean;
  status: ToolCallStatus;
  /** The files that the call will write, as they were when Droid first announced it. */
  readonly before: Map<string, FileText>;
  permissionChanges: readonly FileChange[] | undefined;
  streamed: string;
  /** The terminal of a command that has started; only on v2. */
  terminal: CommandTerminal | undefined;
  lines: readonly string[];
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

/**
 * The id for the thoughts of a message. In Droid, thoughts and text share one id; in ACP they are two
 * messages.
 */
export function thoughtId(messageId: string): string {
  return `${messageId}-thoughts`;
}

/**
 * The ids of a session's tool calls. Some models number their calls from one in every turn. For the
 * client, an id names one call, so a later call with the same id gets a suffix.
 */
export class ToolIds {
  readonly #uses = new Map<string, number>();

  /** The client's id for a new call with this id in Droid. */
  next(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : `${id}-${uses}`;
  }
}
