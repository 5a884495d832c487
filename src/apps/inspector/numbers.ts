import {
  type SessionModel,
  type TracedTokens,
  type TracedUsage,
  turnTime,
  type TurnTime,
} from "../../trace/index.ts";

/** A duration, and the frame that it comes from. */
export interface Figure {
  readonly ms: number;
  readonly row: number;
}

export interface TrafficNumbers {
  readonly frames: number;
  readonly bytes: number;
  readonly fromAgent: { readonly frames: number; readonly bytes: number };
  readonly fromClient: { readonly frames: number; readonly bytes: number };
  /** The largest frame; -1 if there is none. */
  readonly largest: number;
  /** The most frames within one second, and the first of them; -1 if there is none. Needs times. */
  readonly peak: { readonly frames: number; readonly row: number };
  readonly durationMs: number;
}

export function trafficNumbers({ frames, lastMs }: SessionModel): TrafficNumbers {
  const fromAgent = { frames: 0, bytes: 0 };
  const fromClient = { frames: 0, bytes: 0 };
  let largest = -1;
  let peak = { frames: 0, row: -1 };
  let first = 0;
  for (let row = 0; row < frames.count; row++) {
    const side = frames.direction(row) === "in" ? fromAgent : fromClient;
    side.frames++;
    side.bytes += frames.size(row);
    if (largest < 0 || frames.size(row) > frames.size(largest)) largest = row;
    while (frames.ms(first) <= frames.ms(row) - 1000) first++;
    if (row - first + 1 > peak.frames) peak = { frames: row - first + 1, row: first };
  }
  return {
    frames: frames.count,
    bytes: frames.lines.bytes,
    fromAgent,
    fromClient,
    largest,
    peak,
    durationMs: lastMs,
  };
}

export interface TurnNumbers {
  readonly turn: number;
  readonly time: TurnTime;
  /** From the prompt to the first update; undefined if there was none. */
  readonly firstUpdate: Figure | undefined;
  /** The longest time without a frame, and the frame before it. */
  readonly silence: Figure;
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
  return model.turns.map((turn, index) => {
    const time = turnTime(model, turn);
    const seconds = (time.totalMs - time.personMs) / 1000;
    const perSecond = (count: number): number | undefined =>
      seconds > 0 ? count / seconds : undefined;
    const { firstUpdate, silence, number, startMs } = turn;
    const sum = sums[index] ?? { chunks: 0, bytes: 0 };
    return {
      turn: number,
      time,
      firstUpdate:
        firstUpdate < 0 ? undefined : { ms: frames.ms(firstUpdate) - startMs, row: firstUpdate },
      silence: { ms: silence.ms, row: silence.after },
      ...sum,
      chunksPerSecond: perSecond(sum.chunks),
      bytesPerSecond: perSecond(sum.bytes),
      toolCalls: turn.tools.length,
      tokens: turn.tokens,
      cost: costs.get(number),
    };
  });
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

/** How often a method was called, and how long its answers took. Every figure names its request. */
export interface MethodNumbers {
  readonly method: string;
  /** Who called it: `out` is the client. */
  readonly direction: "in" | "out";
  readonly count: number;
  /** Requests without a response; 0 for notifications. */
  readonly open: number;
  readonly errors: number;
  readonly isRequest: boolean;
  /** Undefined if there was no response. For prompts, the time of people is taken out. */
  readonly p50: Figure | undefined;
  readonly p90: Figure | undefined;
  readonly p99: Figure | undefined;
  readonly max: Figure | undefined;
}

/** Counts all methods, the most frequent first. */
export function methodNumbers(model: SessionModel): readonly MethodNumbers[] {
  const { frames } = model;
  const promptMs = promptTimes(model);
  // By method first, because it is a text that exists already: building a key for each frame would take longer
  // than everything else.
  const byMethod = new Map<string, ReturnType<typeof counterOf>[]>();
  for (let row = 0; row < frames.count; row++) {
    const kind = frames.kind(row);
    if (kind !== "request" && kind !== "notification") continue;
    const method = frames.method(row);
    const direction = frames.direction(row);
    const isRequest = kind === "request";
    let known = byMethod.get(method);
    if (!known) byMethod.set(method, (known = []));
    let all = known.find((one) => one.isRequest === isRequest && one.direction === direction);
    if (!all) {
      all = counterOf(method, direction, isRequest);
      known.push(all);
    }
    all.count++;
    if (!isRequest) continue;
    const latency = promptMs.get(row) ?? frames.latency(row);
    if (latency === undefined) all.open++;
    else {
      all.figures.push({ ms: latency, row });
      if (frames.kind(frames.pair(row)) === "error") all.errors++;
    }
  }
  return [...byMethod.values()]
    .flat()
    .map(({ figures, ...rest }) => {
      const sorted = figures.toSorted((x, y) => x.ms - y.ms);
      // By the nearest rank.
      const percentile = (share: number): Figure | undefined =>
        sorted[Math.ceil(share * sorted.length) - 1];
      return {
        ...rest,
        p50: percentile(0.5),
        p90: percentile(0.9),
        p99: percentile(0.99),
        max: sorted.at(-1),
      };
    })
    .toSorted((a, b) => b.count - a.count);
}

function counterOf(method: string, direction: "in" | "out", isRequest: boolean) {
  const figures: Figure[] = [];
  return { method, direction, isRequest, figures, count: 0, open: 0, errors: 0 };
}

/** The time of each prompt without the time of people. In v2 the turn ends after the response. */
function promptTimes(model: SessionModel): ReadonlyMap<number, number> {
  return new Map(
    model.turns
      .filter(({ endMs }) => endMs !== undefined)
      .map((turn) => {
        const { totalMs, personMs } = turnTime(model, turn);
        return [turn.prompt, totalMs - personMs];
      }),
  );
}
