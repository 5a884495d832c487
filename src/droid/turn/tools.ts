import type { ToolCallEvent, ToolResultEvent } from "./events.ts";
import type { Emit } from "./messages.ts";
import { PLAN_TOOL, readPlan } from "../protocol/plan.ts";
import type { ToolUse } from "../protocol/protocol.ts";

interface Known {
  name: string;
  input: ToolUse["input"];
  /** The input as text, to tell whether a repetition brings anything new. */
  written: string;
  complete: boolean;
  phase: ToolCallEvent["phase"];
  messageId: string | undefined;
  hasResult: boolean;
}

/**
 * The tool calls of a turn. Droid repeats them (0.99: every growing snapshot of the input, and once
 * more before the result); an event is given only where something new is known.
 */
export class ToolCallTracker {
  readonly #emit: Emit;
  #known = new Map<string, Known>();
  /** Those of the turn before, so that a late result is not given twice. */
  #before = new Map<string, Known>();
  #lastPlan = "";

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  startTurn(): void {
    this.#before = this.#known;
    this.#known = new Map();
  }

  /** A call as it is being written. */
  call(toolUse: ToolUse): void {
    this.#upsert(toolUse, {});
  }

  /** A call as the finished message has it. */
  finished(toolUse: ToolUse, messageId: string | undefined): void {
    this.#upsert(toolUse, { complete: true, messageId });
  }

  phase(id: string, name: string, phase: ToolCallEvent["phase"]): void {
    const known = this.#known.get(id);
    const toolUse = known ? { id, name: known.name, input: known.input } : { id, name, input: {} };
    this.#upsert(toolUse, { phase });
  }

  result(result: Omit<ToolResultEvent, "type">): void {
    const known = this.#known.get(result.id) ?? this.#before.get(result.id);
    if (known?.hasResult) return;
    if (known) known.hasResult = true;
    else this.#known.set(result.id, { ...unheardOf(), hasResult: true });
    this.#emit({ type: "tool_result", ...result });
  }

  #upsert(toolUse: ToolUse, news: Partial<Pick<Known, "complete" | "phase" | "messageId">>): void {
    const { id } = toolUse;
    const written = JSON.stringify(toolUse.input);
    let known = this.#known.get(id);
    // An id is new again in a new turn, or after its result: some models count from one each time.
    if (!known || (known.hasResult && written !== known.written)) {
      known = unheardOf();
      this.#known.set(id, known);
    }
    const isNew =
      known.name === "" ||
      written !== known.written ||
      (news.complete === true && !known.complete) ||
      (news.phase !== undefined && news.phase !== known.phase) ||
      (news.messageId !== undefined && news.messageId !== known.messageId);
    if (!isNew || known.hasResult) return;
    known.name = toolUse.name || known.name;
    known.input = toolUse.input;
    known.written = written;
    known.complete ||= news.complete === true;
    known.phase = news.phase ?? known.phase;
    known.messageId = news.messageId ?? known.messageId;
    const { name, input, complete, phase, messageId } = known;
    this.#emit({ type: "tool_call", id, name, input, complete, phase, messageId });
    if (name === PLAN_TOOL && complete) this.#plan(id, known);
  }

  #plan(toolId: string, { input, written }: Known): void {
    const entries = readPlan(input);
    const key = toolId + written;
    if (!entries || key === this.#lastPlan) return;
    this.#lastPlan = key;
    this.#emit({ type: "plan", toolId, entries });
  }
}

function unheardOf(): Known {
  return {
    name: "",
    input: {},
    written: "",
    complete: false,
    phase: undefined,
    messageId: undefined,
    hasResult: false,
  };
}
