import type { ToolCallStatus } from "../../acp/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { FileChange, FileText } from "../translate/diffs.ts";

/** What is known of one tool call while its turn runs. */
export interface ToolState {
  /** The id the client knows it by. */
  readonly id: string;
  name: string;
  input: JsonObject;
  /** Whether the input is all there. */
  complete: boolean;
  status: ToolCallStatus;
  /** The files it will write, as they were when it was first heard of. */
  readonly before: Map<string, FileText>;
  /** The changes as Droid told them when it asked. */
  asked: readonly FileChange[] | undefined;
  /** Output that went out as terminal output. */
  streamed: string;
  /** What a sub-agent told of itself. */
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
    asked: undefined,
    streamed: "",
    lines: [],
  };
}

export function isSettled({ status }: ToolState): boolean {
  return status === "completed" || status === "failed";
}
