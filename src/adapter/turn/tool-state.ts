import type { ToolCallStatus } from "../../acp/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { FileChange, FileText } from "../translate/diffs.ts";
import type { CommandTerminal } from "./command-terminal.ts";

/** The state of one tool call while its turn runs. */
export interface ToolState {
  /** The id that the client knows. */
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
