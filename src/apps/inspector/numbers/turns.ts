import {
  type SessionModel,
  type TracedTokens,
  type TracedTurn,
  type TracedUsage,
  turnTime,
  type TurnTime,
} from "../../../trace/index.ts";
import type { Figure } from "./percentiles.ts";

/** The figures of one turn. */
export interface TurnNumbers {
  readonly turn: number;
  readonly time: TurnTime;
  /** From the prompt to the first update; undefined if there was none. */
  readonly firstUpdate: Figure | undefined;
  /** The longest time without a frame, and the frame before it. */
  readonly silence: Figure;
  /** Pieces of messages and thoughts. */
  readonly chunks: number;
  /** Bytes of all frames of the turn, both ways. */
  readonly bytes: number;
  /** Per second of the time without people; undefined for a turn of no length. */
  readonly chunksPerSecond: number | undefined;
  readonly bytesPerSecond: number | undefined;
  readonly toolCalls: number;
  readonly tokens: TracedTokens | undefined;
  /** The cost of the session at the end of the turn less that before it, if the agent reports it. */
  readonly cost: Cost | undefined;
}

type Cost = NonNullable<TracedUsage["cost"]>;

const CHUNKS = new Set(["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]);

/** The figures of all turns. */
export function turnNumbers(model: SessionModel): readonly TurnNumbers[] {
  const sums = model.turns.map(() => ({ chunks: 0, bytes: 0 }));
  const { frames } = model;
  for (let row = 0; row < frames.count; row++) {
    const sum = sums[frames.turn(row)];
    if (!sum) continue;
    sum.bytes += frames.size(row);
    if (CHUNKS.has(frames.update(row))) sum.chunks++;
  }
  const costs = turnCosts(model);
  return model.turns.map((turn, index) => ({
    ...numbersOf(model, turn, sums[index] ?? NOTHING),
    cost: costs.get(turn.number),
  }));
}

const NOTHING = { chunks: 0, bytes: 0 };

function numbersOf(
  model: SessionModel,
  turn: TracedTurn,
  sum: typeof NOTHING,
): Omit<TurnNumbers, "cost"> {
  const time = turnTime(model, turn);
  const seconds = (time.totalMs - time.personMs) / 1000;
  const perSecond = (count: number): number | undefined =>
    seconds > 0 ? count / seconds : undefined;
  const { firstUpdate, silence } = turn;
  return {
    turn: turn.number,
    time,
    firstUpdate:
      firstUpdate < 0
        ? undefined
        : { ms: model.frames.ms(firstUpdate) - turn.startMs, row: firstUpdate },
    silence: { ms: silence.ms, row: silence.after },
    ...sum,
    chunksPerSecond: perSecond(sum.chunks),
    bytesPerSecond: perSecond(sum.bytes),
    toolCalls: turn.tools.length,
    tokens: turn.tokens,
  };
}

/**
 * The cost of each turn. Agents report the cost of the whole session, often after the end of the turn, so
 * everything until the next prompt counts.
 */
function turnCosts({ usage, turns, sessions }: SessionModel): ReadonlyMap<number, Cost> {
  const costs = new Map<number, Cost>();
  for (const session of sessions) {
    const reports = usage.filter((report) => report.session === session.number && report.cost);
    let at = 0;
    let before = 0;
    // Everything before the first prompt, such as in a session that was loaded, is not the cost of a turn.
    let turn = -1;
    for (const next of [...session.turns, -1]) {
      const until = turns[next]?.prompt ?? Number.POSITIVE_INFINITY;
      let last: Cost | undefined;
      for (; (reports[at]?.row ?? Number.POSITIVE_INFINITY) < until; at++) last = reports[at]?.cost;
      if (last && turn >= 0) costs.set(turn, { ...last, amount: last.amount - before });
      before = last?.amount ?? before;
      turn = next;
    }
  }
  return costs;
}
