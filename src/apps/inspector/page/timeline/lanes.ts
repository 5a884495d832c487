import {
  sessionDetails,
  type SessionModel,
  type TracedSession,
  turnSpans,
  type IdleGap,
  type FrameTable,
} from "../../../../trace/index.ts";
import { count } from "../parts/format.ts";

export type BarKind = "turn" | "tool" | "person" | "client" | "cancel" | "error";

export interface TimelineBar {
  readonly kind: BarKind;
  readonly fromMs: number;
  readonly toMs: number;
  readonly row: number;
  readonly label: string;
  /** The line of its lane, from 0. */
  readonly line: number;
  /** The parts of a turn that are not the agent's time. */
  readonly parts?:
    | readonly {
        readonly cause: "tool" | "client" | "person";
        readonly fromMs: number;
        readonly toMs: number;
      }[]
    | undefined;
  readonly isFailed?: boolean | undefined;
}

export interface TimelineLane {
  readonly session: number;
  readonly title: string;
  /** The names of its lines. The second one is the density of messages. */
  readonly lines: readonly string[];
  /** In the order of their lines, and within a line in the order of time. */
  readonly bars: readonly TimelineBar[];
}

/** Calls that run at the same time take lines of their own, up to this many. */
const MOST_TOOL_LINES = 8;

/** The sessions of a recording with everything that takes time in them. */
export function timelineLanes(model: SessionModel): readonly TimelineLane[] {
  return model.sessions.map((session) => laneOf(model, session));
}

function laneOf(model: SessionModel, session: TracedSession): TimelineLane {
  const bars: TimelineBar[] = turnBars(model, session);
  const lines = ["turns", "messages"];
  const calls = toolBars(model, session, lines.length);
  const toolLines = calls.reduce((most, { line }) => Math.max(most, line + 1), lines.length) - 2;
  for (let index = 0; index < toolLines; index++) lines.push(index === 0 ? "tools" : "");
  bars.push(...calls);
  for (const kind of ["person", "client"] as const) {
    const requests = requestBars(model, session, kind, lines.length);
    if (requests.length === 0) continue;
    lines.push(kind);
    bars.push(...requests);
  }
  const { title, id } = sessionDetails(model, session);
  return { session: session.number, title: title ?? id, lines, bars };
}

function turnBars(model: SessionModel, session: TracedSession): TimelineBar[] {
  return session.turns.flatMap((number): readonly TimelineBar[] => {
    const turn = model.turns[number];
    if (!turn) return [];
    const spans = turnSpans(model, turn);
    const { whole } = spans;
    const parts = (["tool", "client", "person"] as const).flatMap((cause) =>
      spans[cause].map(([fromMs, toMs]) => ({ cause, fromMs, toMs })),
    );
    const label = `turn ${count(number + 1)}`;
    const bar: TimelineBar = {
      kind: "turn",
      fromMs: whole[0],
      toMs: whole[1],
      row: turn.prompt,
      label,
      line: 0,
      parts,
      isFailed: turn.error !== undefined,
    };
    const mark = (kind: BarKind, row: number, text: string): readonly TimelineBar[] => {
      const ms = model.frames.ms(row);
      return row < 0 ? [] : [{ kind, fromMs: ms, toMs: ms, row, label: text, line: 0 }];
    };
    return [
      bar,
      ...mark("cancel", turn.cancel, `${label} cancelled`),
      ...mark("error", turn.error ? turn.end : -1, turn.error?.message ?? ""),
    ];
  });
}

function toolBars(model: SessionModel, session: TracedSession, first: number): TimelineBar[] {
  const ends: number[] = [];
  return model.toolCalls
    .filter((call) => call.session === session.number)
    .map((call) => {
      const toMs = call.endMs ?? model.lastMs;
      const free = ends.findIndex((end) => end <= call.startMs);
      const line = free >= 0 ? free : Math.min(ends.length, MOST_TOOL_LINES - 1);
      ends[line] = toMs;
      return {
        kind: "tool",
        fromMs: call.startMs,
        toMs,
        row: call.frames[0] ?? -1,
        label: call.title || call.id,
        line: first + line,
        isFailed: call.status === "failed",
      };
    });
}

function requestBars(
  model: SessionModel,
  session: TracedSession,
  kind: "person" | "client",
  line: number,
): TimelineBar[] {
  const { frames } = model;
  return session.turns.flatMap((number) => {
    const turn = model.turns[number];
    const rows = kind === "person" ? turn?.personRequests : turn?.clientRequests;
    return (rows ?? []).map((row) => {
      const pair = frames.pair(row);
      const toMs = pair < 0 ? model.lastMs : frames.ms(pair);
      return { kind, fromMs: frames.ms(row), toMs, row, label: frames.method(row), line };
    });
  });
}

/** A share of the active time that each idle time takes when it is folded. */
const GAP_SHARE = 1 / 30;

/** A scale between milliseconds and places on a timeline, on which idle times are short. */
export type TimeScale = ReturnType<typeof timeScale>;

/** Builds the scale of a stretch of time. Without gaps, a place is the time since its start. */
export function timeScale(fromMs: number, toMs: number, gaps: readonly IdleGap[]) {
  const inside = gaps.filter((gap) => gap.fromMs >= fromMs && gap.toMs <= toMs);
  const idle = inside.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const active = Math.max(toMs - fromMs - idle, 1);
  const short = active * GAP_SHARE;
  // Breaks of the scale: a time and its place. Between two of them it is straight.
  const times = [fromMs];
  const places = [0];
  const folds: { from: number; to: number; ms: number }[] = [];
  for (const gap of inside) {
    const from = (places.at(-1) ?? 0) + gap.fromMs - (times.at(-1) ?? 0);
    const to = from + Math.min(short, gap.toMs - gap.fromMs);
    times.push(gap.fromMs, gap.toMs);
    places.push(from, to);
    folds.push({ from, to, ms: gap.toMs - gap.fromMs });
  }
  const length = Math.max((places.at(-1) ?? 0) + toMs - (times.at(-1) ?? 0), 1);
  times.push(Math.max(toMs, (times.at(-1) ?? 0) + 1e-6));
  places.push(length);
  return {
    length,
    /** The idle times that are folded: their places, and how long they are. */
    folds,
    at: (ms: number) => between(times, places, ms),
    msAt: (place: number) => between(places, times, place),
  };
}

function between(from: readonly number[], to: readonly number[], value: number): number {
  let [low, high] = [0, from.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  const [a, b] = [from[low] ?? 0, from[low + 1] ?? 1];
  const [c, d] = [to[low] ?? 0, to[low + 1] ?? 1];
  const share = b === a ? 0 : (value - a) / (b - a);
  return c + Math.max(0, Math.min(1, share)) * (d - c);
}

export type Density = ReturnType<typeof densityOf>;

/** Counts frames by column. Only rows that `passes` accepts count. */
export function densityOf(
  frames: FrameTable,
  scale: TimeScale,
  view: readonly [from: number, to: number],
  width: number,
  passes: (row: number) => boolean,
) {
  const columns = Math.max(1, Math.floor(width));
  const fromAgent = new Uint32Array(columns);
  const fromClient = new Uint32Array(columns);
  const [from, to] = view;
  const endMs = scale.msAt(to);
  const factor = columns / (to - from);
  let most = 0;
  for (let row = firstAt(frames, scale.msAt(from)); row < frames.count; row++) {
    const ms = frames.ms(row);
    if (ms > endMs) break;
    if (!passes(row)) continue;
    const column = Math.min(columns - 1, Math.max(0, Math.floor((scale.at(ms) - from) * factor)));
    const side = frames.direction(row) === "in" ? fromAgent : fromClient;
    const sum = (side[column] ?? 0) + 1;
    side[column] = sum;
    if (sum > most) most = sum;
  }
  return { fromAgent, fromClient, most };
}

/** The first row at or after a time. Times never go back. */
function firstAt(frames: FrameTable, ms: number): number {
  let [low, high] = [0, frames.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames.ms(middle) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
