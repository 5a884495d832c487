import { objectField, objectsField, stringField } from "../../base/index.ts";
import type { RecordedDecision } from "../../transport/wire/index.ts";
import { paramsOf, resultOf } from "../message.ts";
import type { FrameTable } from "./frame-table.ts";
import type { OpenToolCall } from "./tools.ts";
import type { Mutable, PermissionFlag, TracedFrame, TracedPermission } from "./traced.ts";
import type { TurnTracker } from "./turns.ts";

interface OpenPermission extends Mutable<TracedPermission> {
  readonly flags: PermissionFlag[];
}

const RUNNING = new Set(["in_progress", "completed"]);

/** The permission requests, with their answers and the decisions behind them. */
export class PermissionTracker {
  readonly list: TracedPermission[] = [];
  readonly #frames: FrameTable;
  readonly #turns: TurnTracker;
  readonly #toolId: (call: number) => string | undefined;
  readonly #open = new Map<number, OpenPermission>();

  /** The request that was answered last. */
  #answered: readonly OpenPermission[] = [];

  constructor(
    frames: FrameTable,
    turns: TurnTracker,
    toolId: (call: number) => string | undefined,
  ) {
    this.#frames = frames;
    this.#turns = turns;
    this.#toolId = toolId;
  }

  /** Returns the permission that a frame asks for. `call` is the tool call of the frame. */
  take(frame: TracedFrame, call: OpenToolCall | undefined): TracedPermission | undefined {
    if (frame.method !== "session/request_permission") {
      if (call && this.#open.size > 0) this.#noteRun(call);
      return undefined;
    }
    if (frame.message.kind === "request") return this.#ask(frame, call);
    const open = this.#open.get(frame.request);
    if (open) this.#answer(open, frame);
    return undefined;
  }

  /**
   * Finds the request that a decision is about. Returns its number, or -1. A hub names the method instead of the
   * tool call, and decides about one request after the other, perhaps right after the answer.
   */
  decide(decision: RecordedDecision): number {
    const { toolCallId, what } = decision;
    const requests = [...this.#answered, ...this.#open.values()];
    const undecided = requests.filter((request) => request.decision === undefined);
    const open =
      toolCallId === undefined
        ? undecided.find(() => what.startsWith("session/request_permission"))
        : undecided.find(({ tool }) => this.#toolId(tool) === toolCallId);
    if (!open) return -1;
    open.decision = decision;
    return open.number;
  }

  #ask(frame: TracedFrame, call: OpenToolCall | undefined): TracedPermission {
    const { row, ms, message } = frame;
    const turn = this.#turns.turnOf(row);
    const permission: OpenPermission = {
      number: this.list.length,
      session: this.#frames.session(row),
      turn: turn?.number ?? -1,
      tool: call?.number ?? -1,
      request: row,
      response: -1,
      options: objectsField(paramsOf(message), "options").map((option) => ({
        optionId: stringField(option, "optionId") ?? "",
        name: stringField(option, "name") ?? "",
        kind: stringField(option, "kind") ?? "",
      })),
      outcome: "open",
      optionId: undefined,
      askedMs: ms,
      answeredMs: undefined,
      decision: undefined,
      flags: [],
    };
    this.list.push(permission);
    this.#open.set(row, permission);
    turn?.permissions.push(permission.number);
    call?.permissions.push(permission.number);
    return permission;
  }

  #answer(open: OpenPermission, { row, ms, message }: TracedFrame): void {
    this.#open.delete(open.request);
    this.#answered = [open];
    open.response = row;
    open.answeredMs = ms;
    if (message.kind === "error") {
      open.outcome = "error";
      return;
    }
    const outcome = objectField(resultOf(message), "outcome");
    if (outcome?.["outcome"] !== "selected") {
      open.outcome = "cancelled";
      if (!this.#turns.isCancelled(open.request)) open.flags.push("cancelled_without_cancel");
      return;
    }
    open.outcome = "selected";
    open.optionId = stringField(outcome, "optionId");
    const chosen = open.options.find(({ optionId }) => optionId === open.optionId);
    if (!chosen) open.flags.push("answer_not_offered");
    else if (chosen.kind.endsWith("_always")) open.flags.push("always");
  }

  /** The tool call of an open permission moved on. */
  #noteRun(call: OpenToolCall): void {
    const last = call.steps.at(-1);
    if (!last || !RUNNING.has(last.status)) return;
    for (const open of this.#open.values()) {
      if (open.tool !== call.number || last.row < open.request) continue;
      if (!open.flags.includes("ran_before_answer")) open.flags.push("ran_before_answer");
    }
  }
}
