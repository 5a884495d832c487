import {
  sessionDetails,
  type SessionModel,
  type TracedSession,
  turnSpans,
} from "../../../../trace/index.ts";
import { count } from "../parts/format.ts";
import type { densityOf } from "./density.ts";

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

export type Density = ReturnType<typeof densityOf>;
