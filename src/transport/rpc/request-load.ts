import { RestartableTimer } from "../../base/index.ts";
import type { Release } from "./inbox.ts";

/** How many requests of the other side may be unanswered. Bytes are those of their lines. */
export interface RequestLimits {
  /** Above this, reading is held until half of them are answered. */
  readonly holdAbove: { readonly count: number; readonly bytes: number };
  /** Above this, a request is refused with an error. */
  readonly refuseAbove: { readonly count: number; readonly bytes: number };
  /** How long a hold lasts if no request is answered. */
  readonly stallMs: number;
}

/** The code of the error for a refused request, from the range that JSON-RPC leaves to its users. */
export const TOO_MANY_REQUESTS = -32005;

const MIB = 1024 * 1024;

const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  holdAbove: { count: 1000, bytes: 8 * MIB },
  refuseAbove: { count: 10_000, bytes: 64 * MIB },
  stallMs: 1000,
};

/**
 * Bounds the unanswered requests of the other side.
 *
 * Most requests settle by themselves, such as the reading of a file, so a hold on reading gives them
 * time. But the answers to our own calls come on the same channel, and so do messages that let a request
 * settle: a request may wait for a person who acts on another call, for code that makes a call, for a
 * command that the other side has to kill, or to be cancelled. Such a request looks like a
 * slow one. A hold during which no request is answered is therefore given up, and from then on, until
 * half of the requests are answered, only refusing bounds them.
 */
export class RequestLoad {
  readonly #hold: () => Release;
  readonly #limits: RequestLimits;
  #count = 0;
  #bytes = 0;
  #release: Release | undefined;
  #stall: RestartableTimer | undefined;
  #isStalled = false;

  constructor(hold: () => Release, limits: Partial<RequestLimits> = {}) {
    this.#hold = hold;
    this.#limits = { ...DEFAULT_REQUEST_LIMITS, ...limits };
  }

  /** Whether a request of this size may run. A single request always may. */
  admits(bytes: number): boolean {
    const { refuseAbove } = this.#limits;
    if (this.#count === 0) return true;
    return this.#count < refuseAbove.count && this.#bytes + bytes <= refuseAbove.bytes;
  }

  add(bytes: number): void {
    this.#count++;
    this.#bytes += bytes;
    if (this.#release || this.#isStalled || !this.#isAbove(1)) return;
    this.#release = this.#hold();
    this.#stall = new RestartableTimer(this.#limits.stallMs, () => {
      this.#isStalled = true;
      this.#resume();
    });
  }

  remove(bytes: number): void {
    this.#count--;
    this.#bytes -= bytes;
    if (this.#isAbove(0.5)) {
      this.#stall?.restart();
      return;
    }
    this.#isStalled = false;
    this.#resume();
  }

  /** Forgets all requests, because the connection is closed. */
  clear(): void {
    this.#count = 0;
    this.#bytes = 0;
    this.#resume();
  }

  #isAbove(share: number): boolean {
    const { count, bytes } = this.#limits.holdAbove;
    return this.#count > count * share || this.#bytes > bytes * share;
  }

  #resume(): void {
    const release = this.#release;
    if (!release) return;
    this.#stall?.stop();
    this.#stall = undefined;
    this.#release = undefined;
    release();
  }
}
