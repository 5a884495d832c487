import { objectField, stringField, type JsonObject, objectsField } from "../../base/index.ts";
import type { FrameTable } from "./frame-table.ts";
import { paramsOf, updateOf, resultOf } from "../message.ts";
import type {
  Mutable,
  TracedFrame,
  ToolCallOddity,
  TracedToolCall,
  PermissionFlag,
  TracedPermission,
} from "./traced.ts";
import type { TurnTracker } from "./turns.ts";
import type { RecordedDecision } from "../../transport/wire/index.ts";

export interface OpenToolCall extends Mutable<TracedToolCall> {
  readonly steps: { readonly status: string; readonly ms: number; readonly row: number }[];
  readonly frames: number[];
  readonly permissions: number[];
  readonly oddities: ToolCallOddity[];
  isAnnounced: boolean;
}

const OVER = new Set(["completed", "failed", "cancelled"]);

/** The tool calls, by session and id. Calls, updates and permission requests may come in any order. */
export class CallTracker {
  readonly list: OpenToolCall[] = [];
  readonly #frames: FrameTable;
  readonly #turns: TurnTracker;
  readonly #byId = new Map<string, OpenToolCall>();

  constructor(frames: FrameTable, turns: TurnTracker) {
    this.#frames = frames;
    this.#turns = turns;
  }

  /** Returns the tool call that a frame is about. */
  take(frame: TracedFrame, isV2: boolean): OpenToolCall | undefined {
    const update = updateOf(frame.message);
    if (update) {
      const kind = update["sessionUpdate"];
      if (kind !== "tool_call" && kind !== "tool_call_update") return undefined;
      // In v2 every frame about a call is an update.
      return this.#patch(frame, update, isV2 ? "upsert" : kind);
    }
    if (frame.method !== "session/request_permission" || frame.message.kind !== "request")
      return undefined;
    const params = paramsOf(frame.message);
    const call = objectField(params, "toolCall") ?? subjectOf(params);
    return call && this.#patch(frame, call, "asked");
  }

  #patch(
    frame: TracedFrame,
    patch: JsonObject,
    way: "tool_call" | "tool_call_update" | "upsert" | "asked",
  ): OpenToolCall | undefined {
    const id = stringField(patch, "toolCallId");
    const session = this.#frames.session(frame.row);
    if (id === undefined || session < 0) return undefined;
    const key = `${session}\n${id}`;
    const known = this.#byId.get(key);
    const call = known ?? this.#create(key, id, frame);
    this.#noteOddity(call, way, known === undefined);
    if (way === "tool_call" || way === "upsert") call.isAnnounced = true;
    call.frames.push(frame.row);
    this.#frames.set("tool", frame.row, call.number);
    call.title = stringField(patch, "title") ?? call.title;
    call.kind = stringField(patch, "kind") ?? call.kind;
    const status = stringField(patch, "status") ?? (known ? undefined : "pending");
    if (status !== undefined && (status !== call.status || !known)) this.#step(call, status, frame);
    return call;
  }

  #create(key: string, id: string, { row, ms }: TracedFrame): OpenToolCall {
    const turn = this.#turns.turnOf(row);
    const call: OpenToolCall = {
      number: this.list.length,
      session: this.#frames.session(row),
      turn: turn?.number ?? -1,
      id,
      title: "",
      kind: "",
      status: "pending",
      steps: [],
      frames: [],
      startMs: ms,
      endMs: undefined,
      permissions: [],
      oddities: [],
      isAnnounced: false,
    };
    turn?.tools.push(call.number);
    this.#byId.set(key, call);
    this.list.push(call);
    return call;
  }

  #step(call: OpenToolCall, status: string, { row, ms }: TracedFrame): void {
    call.status = status;
    call.steps.push({ status, ms, row });
    call.endMs = OVER.has(status) ? ms : undefined;
  }

  #noteOddity(call: OpenToolCall, way: string, isNew: boolean): void {
    const oddity = oddityOf(call, way, isNew);
    if (oddity && !call.oddities.includes(oddity)) call.oddities.push(oddity);
  }
}

function oddityOf(call: OpenToolCall, way: string, isNew: boolean): ToolCallOddity | undefined {
  if (way === "tool_call_update" && !call.isAnnounced) return "update_before_call";
  if (way === "tool_call" && call.isAnnounced) return "announced_twice";
  return way === "asked" && isNew ? "asked_before_call" : undefined;
}

/** In v2 a permission is about a subject, which may be a tool call. */
function subjectOf(params: JsonObject): JsonObject | undefined {
  const subject = objectField(params, "subject");
  return subject && objectField(subject, "toolCall");
}

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
