import type { SubagentDetails } from "../../../protocol/acp/index.ts";
import type { SubagentHandle } from "../../../agent/index.ts";
import type { ToolCallEvent, ToolProgressEvent, ToolResultEvent } from "../../../droid/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import { activityAfter, subagentDetails } from "../translate/subagents.ts";
import { TASK_TOOL } from "../translate/tool-names.ts";

/** The parts of a reported sub-agent that the relay uses. */
type ReportedSubagent = Pick<SubagentHandle, "describe" | "update">;

/** The parts of a session that the sub-agents of a turn need. */
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
  /** The inputs of the calls that start sub-agents, by Droid's id of the call. */
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
