import type { JsonObject } from "../../../base/index.ts";
import {
  type SubagentDetails,
  ERROR_CODES,
  type SubagentActivity,
} from "../../../protocol/acp/index.ts";
import { oneLine, visibleField } from "../translate/tool-input.ts";

/** The purpose of a sub-agent, from the input of the call that started it. */
export function subagentDetails(input: JsonObject): SubagentDetails {
  const kind = visibleField(input, "subagent_type");
  const task = visibleField(input, "description");
  const title = task ?? kind;
  return {
    ...(title === undefined ? {} : { title: oneLine(title, 80) }),
    ...(kind === undefined ? {} : { description: oneLine(kind, 80) }),
    state: { state: "running" },
  };
}

interface SubagentResult {
  readonly input: JsonObject;
  readonly content: string;
  readonly isError: boolean;
  /** Whether a call returns before the work is done, unless its input has `await: true`. */
  readonly background: boolean;
}

/**
 * The state of a sub-agent after the result of its call. Droid reports the end of work in the
 * background only to the model.
 */
export function activityAfter(result: SubagentResult): SubagentActivity {
  const { input, content, isError, background } = result;
  if (isError) {
    const error = { code: ERROR_CODES.internalError, message: content };
    return { state: "idle", stopReason: "error", error };
  }
  if (background && input["await"] !== true) return { state: "unknown" };
  return { state: "idle", stopReason: "end_turn" };
}
