/** Events of Droid about one tool call. */
import type {
  ToolCallEvent,
  ToolProgressEvent,
  ToolResultEvent,
} from "../../../../src/droid/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";

export function toolCall(
  name: string,
  input: JsonObject,
  more: Partial<ToolCallEvent> = {},
): ToolCallEvent {
  const call = { id: "t", name, input, isComplete: true, phase: undefined, messageId: undefined };
  return { type: "tool_call", ...call, ...more };
}

export function toolProgress(
  name: string,
  text: string,
  more: Partial<ToolProgressEvent> = {},
): ToolProgressEvent {
  const none = { output: undefined, subagentSessionId: undefined, isError: false, raw: {} };
  return { type: "tool_progress", id: "t", name, text, ...none, ...more };
}

export function toolResult(content: string, isError = false, id = "t"): ToolResultEvent {
  return { type: "tool_result", id, messageId: undefined, content, isError };
}
