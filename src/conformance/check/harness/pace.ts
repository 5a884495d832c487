/** Factors and floors of the limits. A limit is only reached if the subject fails, so it is generous. */
const ANSWER_FACTOR = 15;
const ANSWER_FLOOR_MS = 2000;
const ANSWER_CEILING_MS = 60_000;
/** An end needs less work than a start. */
const EXIT_FACTOR = 4;
const EXIT_FLOOR_MS = 2000;
const TURN_FACTOR = 2;
/** Without the scripted model, a turn does the agent's own work, and the time of a start does not predict its time. */
const OWN_TURN_FLOOR_MS = 20_000;
const QUIET_FACTOR = 2;
const QUIET_FLOOR_MS = 15;
const QUIET_CEILING_MS = 500;
/** Before the first measurement: real agents need up to 10 s to initialize. */
const FIRST_ANSWER_MS = 60_000;

export interface PaceOptions {
  readonly patience?: number | undefined;
  readonly hasModel: boolean;
}

/** The limits of a run, scaled to the speed of its subject. */
export class Pace {
  readonly #patience: number;
  readonly #turnFloorMs: number;
  #slowestMs: number | undefined;
  #roundTripMs = QUIET_FLOOR_MS;

  /**
   * `patience` scales the limits, for subjects that are known to reach them. `hasModel`: whether turns
   * use the scripted model, which answers at once.
   */
  constructor({ patience = 1, hasModel }: PaceOptions) {
    this.#patience = patience;
    this.#turnFloorMs = hasModel ? 0 : OWN_TURN_FLOOR_MS;
  }

  /** Adds the time that the subject took for `initialize` or `session/new`. */
  measured(ms: number): void {
    this.#slowestMs = Math.max(this.#slowestMs ?? 0, ms);
  }

  /** Adds the time of a round trip that needs no work. */
  roundTrip(ms: number): void {
    // A moving average: one slow answer on a busy machine changes little.
    this.#roundTripMs = 0.7 * this.#roundTripMs + 0.3 * ms;
  }

  /** How long a request may take, in milliseconds. */
  get answerMs(): number {
    if (this.#slowestMs === undefined) return this.#patience * FIRST_ANSWER_MS;
    const scaled = ANSWER_FACTOR * this.#slowestMs;
    return this.#patience * clamp(scaled, ANSWER_FLOOR_MS, ANSWER_CEILING_MS);
  }

  /** How long a turn without a slow model may take. */
  get turnMs(): number {
    return Math.max(TURN_FACTOR * this.answerMs, this.#patience * this.#turnFloorMs);
  }

  /** How long silence must last, after a barrier was answered, to count as silence. */
  get quietMs(): number {
    return clamp(QUIET_FACTOR * this.#roundTripMs, QUIET_FLOOR_MS, QUIET_CEILING_MS);
  }

  /** How long a process may take to exit by itself, or to take in what it was sent. */
  get exitMs(): number {
    return clamp(EXIT_FACTOR * (this.#slowestMs ?? 0), EXIT_FLOOR_MS, ANSWER_CEILING_MS);
  }
}

function clamp(value: number, floor: number, ceiling: number): number {
  return Math.min(Math.max(value, floor), ceiling);
}
