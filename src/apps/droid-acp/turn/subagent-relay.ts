import {
  type SubagentDetails,
  ERROR_CODES,
  type SubagentActivity,
} from "../../../protocol/acp/index.ts";
import type { SubagentHandle } from "../../../agent/index.ts";
import type { ToolCallEvent, ToolProgressEvent, ToolResultEvent } from "../../../droid/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import { TASK_TOOL } from "../translate/tool-names.ts";
import { oneLine, visibleField } from "../translate/input.ts";

type ReportedSubagent = Pick<SubagentHandle, "describe" | "update">;

interface SubagentRelayHost {
  /** Reports a sub-agent to the client, under its id in Droid. */
  open(details: SubagentDetails, id: string): Promise<ReportedSubagent>;
  /** Whether Droid runs sub-agents in the background by default (from 0.215 on). */
  readonly background: boolean;
}

interface RunningSubagent {
  readonly handle: ReportedSubagent;
  messages: number;
}

/** Sends the sub-agents of one turn to the client, as sessions of their own. */
export class SubagentRelay {
  readonly #host: SubagentRelayHost;
  readonly #inputs = new Map<string, JsonObject>();
  readonly #running = new Map<string, RunningSubagent>();

  constructor(host: SubagentRelayHost) {
    this.#host = host;
  }

  call({ id, name, input }: ToolCallEvent): void {
    if (name === TASK_TOOL) this.#inputs.set(id, input);
  }

  /** Reports a sub-agent that has started, and its messages. */
  async progress({ id, text, raw, subagentSessionId }: ToolProgressEvent): Promise<void> {
    const input = this.#inputs.get(id);
    if (!input) return;
    if (subagentSessionId !== undefined && !this.#running.has(id)) {
      const handle = await this.#host.open(subagentDetails(input), subagentSessionId);
      this.#running.set(id, { handle, messages: 0 });
    }
    const subagent = this.#running.get(id);
    if (!subagent || raw["type"] !== "message" || text.trim() === "") return;
    const messageId = `${id}-${++subagent.messages}`;
    const content = { type: "text", text } as const;
    await subagent.handle.update({ sessionUpdate: "agent_message_chunk", messageId, content });
  }

  async result({ id, content, isError }: ToolResultEvent): Promise<void> {
    const subagent = this.#running.get(id);
    if (!subagent) return;
    this.#running.delete(id);
    const { background } = this.#host;
    const input = this.#inputs.get(id) ?? {};
    await subagent.handle.describe({
      state: activityAfter({ input, content, isError, background }),
    });
  }

  /** Reports sub-agents without a result as stopped. Call it when the turn is over. */
  async settle(): Promise<void> {
    for (const { handle } of this.#running.values())
      await handle.describe({ state: { state: "idle", stopReason: "cancelled" } });
    this.#running.clear();
  }
}

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
