import { type SessionModel, turnTime } from "../../../trace/index.ts";
import { type Figure, percentile } from "./percentiles.ts";

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

interface Collected {
  readonly method: string;
  readonly direction: "in" | "out";
  readonly isRequest: boolean;
  readonly figures: Figure[];
  count: number;
  open: number;
  errors: number;
}

/** Counts all methods, the most frequent first. */
export function methodNumbers(model: SessionModel): readonly MethodNumbers[] {
  const { frames } = model;
  const promptMs = promptTimes(model);
  // By method first, because it is a text that exists already: building a key for each frame would take longer
  // than everything else.
  const byMethod = new Map<string, Collected[]>();
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
      all = { method, direction, isRequest, figures: [], count: 0, open: 0, errors: 0 };
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
    .map(numbersOf)
    .toSorted((a, b) => b.count - a.count);
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

function numbersOf({ figures, ...rest }: Collected): MethodNumbers {
  const sorted = figures.toSorted((a, b) => a.ms - b.ms);
  return {
    ...rest,
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1),
  };
}
