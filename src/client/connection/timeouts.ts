/** Limits in milliseconds. 0 or `Infinity` is no limit. None runs while a person is being asked. */
export interface Timeouts {
  /** From the start of the command to the answer of `initialize`. One minute unless told. */
  readonly start?: number;
  /** For the answer to any call but a prompt and a login. Two minutes unless told. */
  readonly request?: number;
  /** How long a running turn may be silent: no update, no request. No limit unless told. */
  readonly turnIdle?: number;
  /** How long a turn may take in all. No limit unless told. */
  readonly turn?: number;
  /** How long an agent may take to end a turn that was cancelled. Ten seconds unless told. */
  readonly cancelGrace?: number;
}

export const DEFAULT_TIMEOUTS: Required<Timeouts> = {
  start: 60_000,
  request: 120_000,
  turnIdle: 0,
  turn: 0,
  cancelGrace: 10_000,
};

/** Whether a number of milliseconds is a limit at all. */
export function isLimit(ms: number): boolean {
  return ms > 0 && ms < Number.POSITIVE_INFINITY;
}

/** Timers take no more than this; a longer limit is taken in several steps. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One running limit. It can stand still, and it can be put back to its full time cheaply. */
export class Deadline {
  readonly ms: number;
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
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

  /** Back to the full time. The timer itself is not touched: this may be called for every update. */
  touch(): void {
    if (this.#pauses === 0) this.#due = performance.now() + this.ms;
    else this.#remaining = this.ms;
  }

  /** Pauses add up. */
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
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
  }

  #ring(): void {
    const left = this.#due - performance.now();
    if (left >= 1) return this.#arm(left);
    this.#stopped = true;
    this.#expire();
  }
}

/** Deadlines that stand still together. */
export class Deadlines {
  readonly #running = new Set<Deadline>();
  #pauses = 0;

  /** Starts one; undefined if `ms` is no limit. It ends by ringing, or by {@link Deadlines.stop}. */
  start(ms: number, expire: () => void): Deadline | undefined {
    if (!isLimit(ms)) return undefined;
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
