import { partiesOf } from "../compare.ts";
import type { SessionModel } from "../../../trace/index.ts";

/** An event of the trace-event format, which Perfetto and Chrome open. Times are in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: "b" | "e" | "i" | "C" | "M";
  readonly ts: number;
  /** The session, counted from 1; 0 for everything outside sessions. */
  readonly pid: number;
  readonly tid: number;
  readonly cat?: string | undefined;
  readonly id?: string | undefined;
  readonly s?: "p" | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The session as a trace. Turns, tool calls, permissions and the client's work are pairs of `b` and `e` with
 * ids, so that parallel ones are drawn side by side; cancellations and errors are marks.
 */
export function exportTraceEvents(model: SessionModel): {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: "ms";
} {
  const events = [
    ...processNames(model),
    ...turnEvents(model),
    ...toolEvents(model),
    ...requestEvents(model),
    ...usageEvents(model),
  ];
  return { traceEvents: events.toSorted((a, b) => a.ts - b.ts), displayTimeUnit: "ms" };
}

interface Span extends Pick<TraceEvent, "name" | "args"> {
  readonly cat: string;
  readonly id: string;
  readonly session: number;
  readonly fromMs: number;
  /** Undefined if it was not over at the end. */
  readonly toMs: number | undefined;
}

function pairOf({ lastMs }: SessionModel, span: Span): readonly TraceEvent[] {
  const { session, fromMs, toMs = lastMs, args, ...own } = span;
  const shared = { ...own, pid: session + 1, tid: 1 };
  return [
    { ...shared, ph: "b", ts: micros(fromMs), args },
    { ...shared, ph: "e", ts: micros(toMs) },
  ];
}

function micros(ms: number): number {
  return Math.round(ms * 1000);
}

function processNames(model: SessionModel): readonly TraceEvent[] {
  const agent = partiesOf(model).agent?.name ?? "agent";
  return model.sessions.map(({ number, id }) => ({
    name: "process_name",
    ph: "M",
    ts: 0,
    pid: number + 1,
    tid: 1,
    args: { name: `${agent}, session ${id}` },
  }));
}

function turnEvents(model: SessionModel): readonly TraceEvent[] {
  return model.turns.flatMap((turn) => {
    const { number, session, startMs, endMs, stopReason, error, cancel } = turn;
    const args = {
      prompt: turn.prompt + 1,
      frames: turn.frames,
      stopReason,
      error: error?.message,
    };
    const span = { cat: "turn", name: `turn ${number + 1}`, id: `turn-${number}`, session, args };
    const marks = [
      ...(cancel < 0 ? [] : [mark("session/cancel", model.frames.ms(cancel), session)]),
      ...(error && endMs !== undefined ? [mark(`error: ${error.message}`, endMs, session)] : []),
    ];
    return [...pairOf(model, { ...span, fromMs: startMs, toMs: endMs }), ...marks];
  });
}

function mark(name: string, ms: number, session: number): TraceEvent {
  return { name, ph: "i", s: "p", ts: micros(ms), pid: session + 1, tid: 1 };
}

function toolEvents(model: SessionModel): readonly TraceEvent[] {
  return model.toolCalls.flatMap((call) => {
    const { number, session, id, title, kind, status, startMs, endMs } = call;
    const args = { toolCallId: id, kind, status, frame: (call.frames[0] ?? -1) + 1 };
    const span = { cat: "tool", name: title || id, id: `tool-${number}`, session, args };
    return pairOf(model, { ...span, fromMs: startMs, toMs: endMs });
  });
}

/** The requests of agents: questions to people, and work of the client. */
function requestEvents(model: SessionModel): readonly TraceEvent[] {
  const { frames } = model;
  const events: TraceEvent[] = [];
  for (let row = 0; row < frames.count; row++) {
    if (frames.kind(row) !== "request" || frames.direction(row) !== "in") continue;
    const pair = frames.pair(row);
    const name = frames.method(row);
    const cat = /^(?:fs|terminal)\//.test(name) ? "client" : "person";
    const span = { cat, name, id: `request-${row}`, session: frames.session(row) };
    const toMs = pair < 0 ? undefined : frames.ms(pair);
    events.push(
      ...pairOf(model, { ...span, fromMs: frames.ms(row), toMs, args: { frame: row + 1 } }),
    );
  }
  return events;
}

function usageEvents({ usage }: SessionModel): readonly TraceEvent[] {
  return usage.map(({ ms, session, used }) => ({
    name: "context tokens",
    ph: "C",
    ts: micros(ms),
    pid: session + 1,
    tid: 1,
    args: { used },
  }));
}
