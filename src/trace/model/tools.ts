import { objectField, stringField, type JsonObject } from "../../base/index.ts";
import type { FrameTable } from "./frame-table.ts";
import { paramsOf, updateOf } from "../message.ts";
import type { Mutable, TracedFrame, ToolCallOddity, TracedToolCall } from "./traced.ts";
import type { TurnTracker } from "./turns.ts";

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
    this.#frames.setTool(frame.row, call.number);
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
