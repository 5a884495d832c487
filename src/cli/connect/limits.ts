import { DEFAULT_TIMEOUTS } from "../../client/index.ts";
import type { Values } from "../args/parse.ts";
import { timeOption } from "../args/values.ts";

/** Without a limit of their own, agents have this long to start. Some take ten seconds. */
const START_MS = 60_000;

const RAISE = "a longer --timeout, or a --start-timeout for all that comes before the turn";

/** The limits of a run in milliseconds, and what would raise those that a flag for turns shortened. */
export interface Limits {
  readonly start: number;
  readonly request: number;
  /** 0 for none, as the next. */
  readonly turn: number;
  readonly turnIdle: number;
  readonly raiseStart: string;
  /** Undefined where no flag would. */
  readonly raiseRequest: string | undefined;
}

/**
 * The limits that the flags ask for. `--timeout` limits each wait before the turn too, unless
 * `--start-timeout` is given: whoever gives it wants no run that hangs for longer, wherever it hangs.
 * Pure.
 */
export function limitsOf(values: Values): Limits {
  const turn = timeOption(values, "timeout");
  const start = timeOption(values, "start-timeout");
  const bound = start === undefined && turn !== undefined ? turn : Number.POSITIVE_INFINITY;
  const { request } = DEFAULT_TIMEOUTS;
  return {
    start: start ?? Math.min(START_MS, bound),
    request: Math.min(request, bound),
    turn: turn ?? 0,
    turnIdle: timeOption(values, "idle-timeout") ?? 0,
    raiseStart: bound < START_MS ? RAISE : "a longer --start-timeout",
    raiseRequest: bound < request ? RAISE : undefined,
  };
}
