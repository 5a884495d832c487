import type { SessionModel } from "./model.ts";
import type { TracedToolCall, TracedTurn } from "./traced.ts";

/** Where the time of a turn went. The four parts do not overlap, and add up to the whole. */
export interface TurnTime {
  readonly totalMs: number;
  /** A person was asked: permissions and elicitations. */
  readonly personMs: number;
  /** The client worked for the agent: `fs/*` and `terminal/*`. */
  readonly clientMs: number;
  /** A tool call was in progress. */
  readonly toolMs: number;
  /** Everything else: the agent itself and its model. */
  readonly agentMs: number;
}

/** The same as stretches of time, for a timeline. */
export interface TurnSpans {
  readonly whole: Interval;
  readonly person: readonly Interval[];
  readonly client: readonly Interval[];
  readonly tool: readonly Interval[];
}

/** Splits the time of a turn by cause. A turn that still runs ends with the last entry. */
export function turnTime(model: SessionModel, turn: TracedTurn): TurnTime {
  const { whole, person, client, tool } = turnSpans(model, turn);
  const total = whole[1] - whole[0];
  const [personMs, clientMs, toolMs] = [totalMs(person), totalMs(client), totalMs(tool)];
  const agentMs = Math.max(0, total - personMs - clientMs - toolMs);
  return { totalMs: total, personMs, clientMs, toolMs, agentMs };
}

export function turnSpans(model: SessionModel, turn: TracedTurn): TurnSpans {
  const end = turn.endMs ?? model.lastMs;
  const whole: Interval = [turn.startMs, Math.max(turn.startMs, end)];
  const open = (rows: readonly number[]): readonly Interval[] =>
    united(
      clipped(
        rows.map((row) => requestSpan(model, row)),
        whole,
      ),
    );
  const person = open(turn.personRequests);
  const client = without(open(turn.clientRequests), person);
  const calls = turn.tools.flatMap((number) => {
    const call = model.toolCalls[number];
    return call ? [runSpan(call, whole[1])] : [];
  });
  const others = united([...person, ...client]);
  const tool = without(united(clipped(calls, whole)), others);
  return { whole, person, client, tool };
}

function requestSpan({ frames, lastMs }: SessionModel, row: number): Interval {
  const pair = frames.pair(row);
  return [frames.ms(row), pair < 0 ? lastMs : frames.ms(pair)];
}

/**
 * From `in_progress` to the end. Some agents report only `pending` and the end; then the whole time counts,
 * less the question to the person.
 */
function runSpan(call: TracedToolCall, end: number): Interval {
  const started = call.steps.find(({ status }) => status === "in_progress");
  return [started?.ms ?? call.startMs, call.endMs ?? end];
}

/** A stretch of time in milliseconds, from its start to its end. */
export type Interval = readonly [from: number, to: number];

/** The same times without overlaps, in order. Empty stretches are left out. */
export function united(intervals: readonly Interval[]): readonly Interval[] {
  const result: [number, number][] = [];
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    if (to <= from) continue;
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The parts of the first that are not in the second. Both must be united. */
export function without(
  intervals: readonly Interval[],
  removed: readonly Interval[],
): readonly Interval[] {
  return intervals.flatMap(([from, to]) => {
    const parts: Interval[] = [];
    let at = from;
    for (const [start, end] of removed) {
      if (end <= at || start >= to) continue;
      if (start > at) parts.push([at, start]);
      at = Math.max(at, end);
    }
    if (at < to) parts.push([at, to]);
    return parts;
  });
}

export function clipped(
  intervals: readonly Interval[],
  [start, end]: Interval,
): readonly Interval[] {
  return intervals
    .map(([from, to]): Interval => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => to > from);
}

export function totalMs(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [from, to]) => sum + to - from, 0);
}
