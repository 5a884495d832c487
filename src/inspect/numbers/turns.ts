import type { SessionModel } from "../model/model.ts";
import type { TracedTurn, TracedTokens } from "../model/traced.ts";
import { turnTime, type TurnTime } from "../model/turn-time.ts";
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
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
}

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
  return model.turns.map((turn, index) => numbersOf(model, turn, sums[index] ?? NOTHING));
}

const NOTHING = { chunks: 0, bytes: 0 };

function numbersOf(model: SessionModel, turn: TracedTurn, sum: typeof NOTHING): TurnNumbers {
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
    cost: costOf(model, turn),
  };
}

/** Agents report the cost of the whole session, often after the end of the turn. */
function costOf({ usage, turns }: SessionModel, turn: TracedTurn): TurnNumbers["cost"] {
  const next = turns.find(
    ({ session, prompt }) => session === turn.session && prompt > turn.prompt,
  );
  const until = next?.prompt ?? Number.POSITIVE_INFINITY;
  const costs = usage.filter(({ session, cost }) => session === turn.session && cost !== undefined);
  const after = costs.findLast(({ row }) => row > turn.prompt && row < until)?.cost;
  if (!after) return undefined;
  const before = costs.findLast(({ row }) => row < turn.prompt)?.cost;
  return { amount: after.amount - (before?.amount ?? 0), currency: after.currency };
}
