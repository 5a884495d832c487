import type { ToolCallEvent, ToolResultEvent } from "./events.ts";
import type { Emit } from "./messages.ts";
import { PLAN_TOOL, readPlan } from "../protocol/plan.ts";
import type { ToolUse } from "../protocol/protocol.ts";

interface KnownCall {
  name: string;
  input: ToolUse["input"];
  /** The input as JSON, to detect whether a repeated call has changed. */
  inputJson: string;
  complete: boolean;
  phase: ToolCallEvent["phase"];
  messageId: string | undefined;
  hasResult: boolean;
}

/**
 * The tool calls of a turn. Droid repeats them (0.99 sends every growing snapshot of the input, and
 * the call once more before the result), so an event is emitted only when something has changed.
 */
export class ToolCallTracker {
  readonly #emit: Emit;
  #known = new Map<string, KnownCall>();
  /** The calls of the previous turn, so that a late result is not emitted twice. */
  #previousTurn = new Map<string, KnownCall>();
  #lastPlan = "";

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  startTurn(): void {
    this.#previousTurn = this.#known;
    this.#known = new Map();
  }

  /** A call that the model is still writing. */
  call(toolUse: ToolUse): void {
    this.#upsert(toolUse, {});
  }

  /** A call from a finished message. */
  finished(toolUse: ToolUse, messageId: string | undefined): void {
    this.#upsert(toolUse, { complete: true, messageId });
  }

  phase(id: string, name: string, phase: ToolCallEvent["phase"]): void {
    const known = this.#known.get(id);
    const toolUse = known ? { id, name: known.name, input: known.input } : { id, name, input: {} };
    this.#upsert(toolUse, { phase });
  }

  result(result: Omit<ToolResultEvent, "type">): void {
    const known = this.#known.get(result.id) ?? this.#previousTurn.get(result.id);
    if (known?.hasResult) return;
    if (known) known.hasResult = true;
    else this.#known.set(result.id, { ...newCall(), hasResult: true });
    this.#emit({ type: "tool_result", ...result });
  }

  #upsert(
    toolUse: ToolUse,
    update: Partial<Pick<KnownCall, "complete" | "phase" | "messageId">>,
  ): void {
    const { id } = toolUse;
    const inputJson = JSON.stringify(toolUse.input);
    let known = this.#known.get(id);
    // An id may be reused in a new turn or after its result: some models count from one each time.
    if (!known || (known.hasResult && inputJson !== known.inputJson)) {
      known = newCall();
      this.#known.set(id, known);
    }
    const hasChanged =
      known.name === "" ||
      inputJson !== known.inputJson ||
      (update.complete === true && !known.complete) ||
      (update.phase !== undefined && update.phase !== known.phase) ||
      (update.messageId !== undefined && update.messageId !== known.messageId);
    if (!hasChanged || known.hasResult) return;
    known.name = toolUse.name || known.name;
    known.input = toolUse.input;
    known.inputJson = inputJson;
    known.complete ||= update.complete === true;
    known.phase = update.phase ?? known.phase;
    known.messageId = update.messageId ?? known.messageId;
    const { name, input, complete, phase, messageId } = known;
    this.#emit({ type: "tool_call", id, name, input, complete, phase, messageId });
    if (name === PLAN_TOOL && complete) this.#plan(id, known);
  }

  #plan(toolId: string, { input, inputJson }: KnownCall): void {
    const entries = readPlan(input);
    const key = toolId + inputJson;
    if (!entries || key === this.#lastPlan) return;
    this.#lastPlan = key;
    this.#emit({ type: "plan", toolId, entries });
  }
}

function newCall(): KnownCall {
  return {
    name: "",
    input: {},
    inputJson: "",
    complete: false,
    phase: undefined,
    messageId: undefined,
    hasResult: false,
  };
}
