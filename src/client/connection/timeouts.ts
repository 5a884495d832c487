import { assertOptions } from "../assert-options.ts";
import { InvalidArgumentError } from "../errors.ts";

/**
 * Limits in milliseconds; 0 or `Infinity` means no limit. All but `cancelGraceMs` are paused while the
 * user is asked.
 */
export interface Timeouts {
  /** From the launch of the command to the answer to `initialize`. Default: one minute. */
  readonly startMs?: number | undefined;
  /** For the answer to any call except a prompt or a login. Default: two minutes. */
  readonly requestMs?: number | undefined;
  /** How long a running turn may go without an update or request. Default: no limit. */
  readonly turnIdleMs?: number | undefined;
  /** How long a whole turn may take. Default: no limit. */
  readonly turnMs?: number | undefined;
  /** How long an agent may take to end a cancelled turn. Default: ten seconds. */
  readonly cancelGraceMs?: number | undefined;
}

export type ResolvedTimeouts = Readonly<Record<keyof Timeouts, number>>;

export const DEFAULT_TIMEOUTS: ResolvedTimeouts = {
  startMs: 60_000,
  requestMs: 120_000,
  turnIdleMs: 0,
  turnMs: 0,
  cancelGraceMs: 10_000,
};

/** Whether a number of milliseconds is a limit: positive and finite. */
export function isTimeoutSet(ms: number): boolean {
  return ms > 0 && ms < Number.POSITIVE_INFINITY;
}

/** Timers can run for at most this long. A longer limit needs several timers. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One running limit. It can be paused, and restarted cheaply. */
export class Deadline {
  readonly ms: number;
  readonly #expire: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due: number;
  #pauses = 0;
  #remaining = 0;
  #stopped = false;

  constructor(ms: number, expire: () => void) {
    this.ms = ms;
    this.#expire = expire;
    this.#due = performance.now() + ms;
    this.#arm(ms);
  }

  /** Restarts the limit. Leaves the timer itself alone, because this may run for every update. */
  touch(): void {
    if (this.#pauses === 0) this.#due = performance.now() + this.ms;
    else this.#remaining = this.ms;
  }

  /** Pauses nest: each needs its own {@link Deadline.resume}. */
  pause(): void {
    if (this.#pauses++ > 0) return;
    clearTimeout(this.#timer);
    this.#remaining = this.#due - performance.now();
  }

  resume(): void {
    if (--this.#pauses > 0 || this.#stopped) return;
    this.#due = performance.now() + this.#remaining;
    this.#arm(this.#remaining);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
  }

  #check(): void {
    const left = this.#due - performance.now();
    if (left >= 1) return this.#arm(left);
    this.#stopped = true;
    this.#expire();
  }
}

/** Deadlines that pause together. */
export class Deadlines {
  readonly #running = new Set<Deadline>();
  #pauses = 0;

  /** Starts a deadline, which runs until it expires or is stopped. Undefined if `ms` is not a limit. */
  start(ms: number, expire: () => void): Deadline | undefined {
    if (!isTimeoutSet(ms)) return undefined;
    const deadline = new Deadline(ms, () => {
      this.#running.delete(deadline);
      expire();
    });
    for (let n = 0; n < this.#pauses; n++) deadline.pause();
    this.#running.add(deadline);
    return deadline;
  }

  stop(deadline: Deadline | undefined): void {
    if (!deadline) return;
    deadline.stop();
    this.#running.delete(deadline);
  }

  stopAll(): void {
    for (const deadline of this.#running) deadline.stop();
    this.#running.clear();
  }

  pause(): void {
    this.#pauses++;
    for (const deadline of this.#running) deadline.pause();
  }

  resume(): void {
    this.#pauses--;
    for (const deadline of this.#running) deadline.resume();
  }
}

/** Throws InvalidArgumentError for anything but a number from 0 on. */
export function assertTimeout(name: string, ms: number | undefined): void {
  if (ms === undefined || (typeof ms === "number" && ms >= 0)) return;
  const what = `${name} must be a number of milliseconds, at least 0`;
  throw new InvalidArgumentError(`${what}; it is "${String(ms)}"`);
}

/** Fills in the default timeouts. Throws InvalidArgumentError for anything but a number from 0 on. */
export function toTimeouts(given: Timeouts = {}): ResolvedTimeouts {
  assertOptions(given, DEFAULT_TIMEOUTS, "timeouts");
  const all = { ...DEFAULT_TIMEOUTS };
  for (const key of TIMEOUT_KEYS) {
    const ms = given[key];
    if (ms === undefined) continue;
    assertTimeout(`timeouts.${key}`, ms);
    all[key] = ms;
  }
  return all;
}

const TIMEOUT_KEYS = ["startMs", "requestMs", "turnIdleMs", "turnMs", "cancelGraceMs"] as const;
