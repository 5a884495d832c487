import {
  KeptMap,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallState,
  type Update,
} from "../../../protocol/acp/index.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";

/** Says in a few words what an agent is doing, for the spinner. Follows the updates of a session. */
export class Activity {
  readonly #otherwise: string;
  readonly #calls = new KeptMap<ToolCallState>(TOOL_CALL_RULES);
  #label: string;

  /** `otherwise` is the label while nothing is known, such as "waiting for droid". */
  constructor(otherwise: string) {
    this.#otherwise = sanitiseLine(otherwise);
    this.#label = this.#otherwise;
  }

  /** The label after an update. */
  take(update: Update): string {
    switch (update.type) {
      case "agent_thought_chunk":
        this.#label = "thinking";
        break;
      case "agent_message_chunk":
        this.#label = "writing";
        break;
      case "tool_call":
      case "tool_call_update": {
        const { toolCallId } = update;
        const call = mergeToolCall(this.#calls.get(toolCallId), update);
        if (isRunning(call)) this.#calls.set(toolCallId, call);
        else this.#calls.delete(toolCallId);
        this.#label = this.#runningCall() ?? this.#otherwise;
        break;
      }
      case "state_update":
        if (update.activity === "requires_action") this.#label = "waiting for you";
        else if (this.#label === "waiting for you") this.#label = this.#otherwise;
        break;
      default:
    }
    return this.#label;
  }

  /** The call that started last, and how many others run. */
  #runningCall(): string | undefined {
    const calls = [...this.#calls.values()];
    const newest = calls.at(-1);
    if (newest === undefined) return undefined;
    const title = sanitiseLine(newest.title === "" ? (newest.name ?? newest.kind) : newest.title);
    return calls.length === 1 ? title : `${title} and ${calls.length - 1} more`;
  }
}

function isRunning({ status }: ToolCallState): boolean {
  return status === "pending" || status === "in_progress";
}
