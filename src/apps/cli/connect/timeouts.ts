import { DEFAULT_TIMEOUTS } from "../../../client/index.ts";
import type { Values } from "../shell/parse.ts";
import { timeOption } from "../shell/option-values.ts";

/** The default limit for the start of an agent. Some take ten seconds. */
const START_MS = 60_000;

const RAISE = "a longer --timeout, or a --start-timeout for everything before the turn";

/** The limits of a run in milliseconds, and hints that name the flags to raise them. */
export interface RunTimeouts {
  readonly start: number;
  readonly request: number;
  /** 0 means no limit, here and in `turnIdle`. */
  readonly turn: number;
  readonly turnIdle: number;
  readonly raiseStart: string;
  /** Undefined if no flag raises it. */
  readonly raiseRequest: string | undefined;
}

/**
 * The limits that the flags ask for. `--timeout` also limits each wait before the turn, unless
 * `--start-timeout` is given, because the user does not want a run to hang for longer anywhere. Pure.
 */
export function runTimeouts(values: Values): RunTimeouts {
  const turn = timeOption(values, "timeout");
  const start = timeOption(values, "start-timeout");
  const bound = start === undefined && turn !== undefined ? turn : Number.POSITIVE_INFINITY;
  const { requestMs } = DEFAULT_TIMEOUTS;
  return {
    start: start ?? Math.min(START_MS, bound),
    request: Math.min(requestMs, bound),
    turn: turn ?? 0,
    turnIdle: timeOption(values, "idle-timeout") ?? 0,
    raiseStart: bound < START_MS ? RAISE : "a longer --start-timeout",
    raiseRequest: bound < requestMs ? RAISE : undefined,
  };
}
