import { type SessionModel, type TracedUsage, turnTime } from "../../trace/index.ts";

/** A duration, and the frame that it comes from. */
export interface Sample {
  readonly ms: number;
  readonly row: number;
}

export type TrafficNumbers = ReturnType<typeof trafficNumbers>;

/** Numbers about all frames. */
export function trafficNumbers({ frames, lastMs }: SessionModel) {
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
    /** The largest frame; -1 if there is none. */
    largest,
    /** The most frames within one second, and the first of them; -1 if there is none. Needs times. */
    peak,
    durationMs: lastMs,
  };
}

type Cost = NonNullable<TracedUsage["cost"]>;

const CHUNKS = new Set(["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]);

export type TurnNumbers = ReturnType<typeof turnNumbers>[number];

/** The numbers of each turn. */
export function turnNumbers(model: SessionModel) {
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
      /** From the prompt to the first update; undefined if there was none. */
      firstUpdate:
        firstUpdate < 0 ? undefined : { ms: frames.ms(firstUpdate) - startMs, row: firstUpdate },
      /** The longest time without a frame, and the frame before it. */
      silence: { ms: silence.ms, row: silence.after },
      ...sum,
      /** Per second of the time without people; undefined for a turn of no length. */
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

export type MethodNumbers = ReturnType<typeof methodNumbers>[number];

/**
 * How often each method was called, and how long its answers took, the most frequent first. Every figure names
 * its request.
 */
export function methodNumbers(model: SessionModel) {
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
      all.samples.push({ ms: latency, row });
      if (frames.kind(frames.pair(row)) === "error") all.errors++;
    }
  }
  return [...byMethod.values()]
    .flat()
    .map(({ samples, ...rest }) => {
      const sorted = samples.toSorted((x, y) => x.ms - y.ms);
      // By the nearest rank.
      const percentile = (share: number): Sample | undefined =>
        sorted[Math.ceil(share * sorted.length) - 1];
      return {
        ...rest,
        /** Undefined if there was no response. For prompts, the time of people is taken out. */
        p50: percentile(0.5),
        p90: percentile(0.9),
        p99: percentile(0.99),
        max: sorted.at(-1),
      };
    })
    .toSorted((a, b) => b.count - a.count);
}

function counterOf(method: string, direction: "in" | "out", isRequest: boolean) {
  const samples: Sample[] = [];
  // `open` are the requests without a response.
  return { method, direction, isRequest, samples, count: 0, open: 0, errors: 0 };
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
