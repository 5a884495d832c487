import { type JsonObject, numberField, objectField, stringField } from "../../base/index.ts";
import {
  isRecordedLine,
  type RecordedDecision,
  type RecordedEvent,
  toRecordingEntry,
} from "../../transport/wire/index.ts";
import type { ImportLoss, SessionEntry, SessionHeader } from "../formats/format.ts";
import { int32, FrameTable, LineStore, frameKind } from "./frame-table.ts";
import { ConversationTracker } from "./conversation.ts";
import { LaneTracker, TurnTracker } from "./turns.ts";
import { wireIdKey, methodOf, readWireLine, updateOf } from "../message.ts";
import { PermissionTracker, CallTracker } from "./tool-calls.ts";
import { TerminalTracker } from "./terminals.ts";
import type {
  IdleGap,
  TracedFrame,
  TracedEvent,
  TracedItem,
  TracedLane,
  TracedPermission,
  TracedSession,
  TracedTerminal,
  TracedToolCall,
  TracedTurn,
  TracedUsage,
} from "./traced.ts";

/** Without any traffic for this long, a timeline folds the time. */
const IDLE_MS = 5000;

/** A decision of the client, and the permission request that it answered; -1 if it answered another request. */
export interface TracedDecision {
  readonly decision: RecordedDecision;
  readonly ms: number;
  readonly permission: number;
}

const UNKNOWN_HEADER: SessionHeader = { format: "dragoman", isTimed: true };

/**
 * Everything about a session or recording, built from its entries one by one, so that a live session and a file
 * are read alike. The lines are kept as bytes and the facts about frames as columns; only what people read,
 * such as turns and tool calls, are objects.
 */
export class SessionModel {
  readonly frames = new FrameTable();
  readonly usage: TracedUsage[] = [];
  readonly decisions: TracedDecision[] = [];
  readonly idleGaps: IdleGap[] = [];
  header: SessionHeader = UNKNOWN_HEADER;
  losses: readonly ImportLoss[] = [];
  readonly #lanes = new LaneTracker(this.frames);
  readonly #turns = new TurnTracker(this.frames);
  readonly #tools = new CallTracker(this.frames, this.#turns);
  readonly #permissions = new PermissionTracker(
    this.frames,
    this.#turns,
    (call) => this.#tools.list[call]?.id,
  );
  readonly #terminals = new TerminalTracker(this.frames);
  readonly #conversation = new ConversationTracker(this.frames);
  readonly sessions: readonly TracedSession[] = this.#turns.sessions;
  readonly turns: readonly TracedTurn[] = this.#turns.turns;
  readonly toolCalls: readonly TracedToolCall[] = this.#tools.list;
  readonly permissions: readonly TracedPermission[] = this.#permissions.list;
  readonly terminals: readonly TracedTerminal[] = this.#terminals.list;
  /** The conversation, in order of first appearance. */
  readonly items: readonly TracedItem[] = this.#conversation.items;
  /** The lines of all events as JSON, for a search. */
  readonly eventLines = new LineStore();
  readonly #eventBefore = int32();
  #exit: Extract<RecordedEvent, { readonly event: "exit" }> | undefined;
  #lastMs = 0;

  get lanes(): readonly TracedLane[] {
    return this.#lanes.list;
  }

  /** The requests without a response, oldest first. */
  get openRequests(): readonly number[] {
    return this.#lanes.open;
  }

  /** How the agent ended; undefined while it runs, and if the recording does not say. */
  get exit(): { readonly code: number | null; readonly signal: string | null } | undefined {
    return this.#exit;
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  get eventCount(): number {
    return this.eventLines.count;
  }

  event(number: number): TracedEvent {
    const entry = toRecordingEntry(JSON.parse(this.eventLines.text(number)), number + 1);
    if (isRecordedLine(entry)) throw new Error("an event is not a line");
    return { entry, before: this.#eventBefore.get(number) };
  }

  /** Adds an entry. Returns its frame; undefined for an event. */
  append(entry: SessionEntry): TracedFrame | undefined {
    this.#noteIdle(entry.ms);
    if (!isRecordedLine(entry)) {
      this.#event(entry);
      return undefined;
    }
    const { ms, direction, line, lane = "", isNotUtf8 = false } = entry;
    // An agent that speaks again was started again.
    if (direction === "in") this.#exit = undefined;
    const { value, message, skipped } = readWireLine(line);
    const update = updateOf(message);
    const row = this.frames.push({
      ms,
      direction,
      line,
      kind: frameKind(message),
      method: methodOf(message),
      idKey: "id" in message ? wireIdKey(message.id) : "",
      update: (update && stringField(update, "sessionUpdate")) ?? "",
      lane,
    });
    const request = this.#lanes.take(row, { direction, lane, message });
    const frame: TracedFrame = {
      row,
      ms,
      direction,
      lane,
      line,
      isNotUtf8,
      value,
      message,
      skipped,
      request,
      method: request < 0 ? methodOf(message) : this.frames.method(request),
    };
    this.#take(frame, update);
    return frame;
  }

  #take(frame: TracedFrame, update: JsonObject | undefined): void {
    const isV2 = this.#lanes.isV2(frame.lane);
    this.#turns.take(frame, isV2);
    const call = this.#tools.take(frame, isV2);
    const permission = this.#permissions.take(frame, call);
    this.#terminals.take(frame);
    const turn = this.#turns.turnOf(frame.row);
    const ended = turn?.end === frame.row ? turn.number : -1;
    this.#conversation.take(frame, { call, permission, ended }, isV2);
    if (update?.["sessionUpdate"] === "usage_update") this.#noteUsage(frame, update);
  }

  #noteUsage({ row, ms }: TracedFrame, update: JsonObject): void {
    const used = numberField(update, "used");
    const size = numberField(update, "size");
    if (used === undefined || size === undefined) return;
    const given = objectField(update, "cost") ?? {};
    const amount = numberField(given, "amount");
    const cost =
      amount === undefined ? undefined : { amount, currency: stringField(given, "currency") ?? "" };
    const session = this.frames.session(row);
    this.usage.push({ row, ms, session, turn: this.frames.turn(row), used, size, cost });
  }

  #event(entry: RecordedEvent): void {
    this.eventLines.push(JSON.stringify(entry.event === "unknown" ? entry.raw : entry));
    this.#eventBefore.push(this.frames.count);
    if (entry.event === "exit") this.#exit = entry;
    if (entry.event === "permission") {
      const { ms, event: _, ...decision } = entry;
      this.decisions.push({ decision, ms, permission: this.#permissions.decide(decision) });
    }
  }

  #noteIdle(ms: number): void {
    if (ms - this.#lastMs > IDLE_MS && this.frames.count > 0)
      this.idleGaps.push({ fromMs: this.#lastMs, toMs: ms, after: this.frames.count - 1 });
    this.#lastMs = Math.max(this.#lastMs, ms);
  }
}
