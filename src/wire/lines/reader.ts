import type { NodeReadable } from "./node-streams.ts";
import { LineSplitter } from "./splitter.ts";
import { deferred, toError, within } from "../async.ts";

/**
 * Last resort: a process that inherited the pipe may hold it open forever after the writer exited.
 * If the pipe has not ended after this time, the reader checks whether any data is left in it.
 */
const HELD_PIPE_MS = 1000;

/**
 * How long lines may be delivered in one turn of the event loop. Node reads a pipe up to 32 times a
 * turn. Without this limit, a program that prints millions of short lines would hold up timers and
 * signals for many seconds.
 */
const TURN_MS = 50;

/** Reads lines from a stream of bytes until it ends, fails, or is stopped. */
export class LineReader {
  readonly #stream: NodeReadable;
  readonly #limit: number | undefined;
  readonly #over = deferred<Error | undefined>();
  #isOpen = false;
  #isPaused = false;
  #isDiscarding = false;
  #wake: () => void = () => {};
  #chunks = 0;
  /** When this turn of the event loop began to deliver lines. */
  #turnStart: number | undefined;
  #isYielding = false;

  constructor(stream: NodeReadable, limit?: number) {
    this.#stream = stream;
    this.#limit = limit;
    // A stream can fail before it is read. `open` then reports the failure.
    stream.on("error", (error) => this.#finish(error));
    stream.on("close", () => this.#finish());
    if (stream.errored) this.#finish(stream.errored);
    else if (stream.destroyed) this.#finish();
  }

  /**
   * Delivers each line. Resolves after the last one, with an error if the stream failed, a line was
   * too long, or `receive` threw.
   */
  open(receive: (line: string) => void): Promise<Error | undefined> {
    if (this.#isOpen) throw new Error("the channel is already open");
    this.#isOpen = true;
    const lines = new LineSplitter((line) => {
      if (!this.#isDiscarding) receive(line);
    }, this.#limit);
    this.#stream.on("data", (chunk) => {
      this.#chunks++;
      this.#startTurn();
      // A stream with an encoding delivers text.
      this.#guard(() => lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk));
      this.#yieldIfLate();
    });
    this.#stream.on("end", () => {
      this.#guard(() => lines.end());
      this.#finish();
    });
    this.#flow();
    return this.#over.promise;
  }

  pause(): void {
    this.#isPaused = true;
    this.#flow();
  }

  resume(): void {
    this.#isPaused = false;
    this.#flow();
  }

  /** Keeps reading but delivers no more lines, so that the other side can finish writing. */
  discard(): void {
    this.#isDiscarding = true;
    this.#stream.removeAllListeners("data");
    this.#flow();
  }

  /**
   * For a stream whose writer has exited: resolves when every remaining line has been delivered, at
   * the consumer's pace. That is at the end of the stream or, if another process holds the pipe open,
   * when a whole turn of the event loop finds no data in it.
   */
  async drained(): Promise<Error | undefined> {
    for (;;) {
      if (this.#isHeld()) await Promise.race([this.#over.promise, this.#released()]);
      if (await within(this.#over.promise, HELD_PIPE_MS)) return this.#over.promise;
      if (await this.#isIdle()) return undefined;
    }
  }

  #startTurn(): void {
    if (this.#turnStart !== undefined) return;
    this.#turnStart = performance.now();
    setImmediate(() => {
      this.#turnStart = undefined;
      if (!this.#isYielding) return;
      this.#isYielding = false;
      this.#flow();
    });
  }

  /** Stops reading until the next turn of the event loop if this one has taken long. */
  #yieldIfLate(): void {
    if (this.#isYielding || performance.now() - (this.#turnStart ?? 0) < TURN_MS) return;
    this.#isYielding = true;
    this.#flow();
  }

  #flow(): void {
    if (this.#isYielding || this.#isHeld()) {
      this.#stream.pause();
    } else {
      this.#stream.resume();
      this.#wake();
    }
  }

  #isHeld(): boolean {
    return !this.#isDiscarding && (!this.#isOpen || this.#isPaused);
  }

  #released(): Promise<void> {
    const released = deferred();
    this.#wake = released.resolve;
    return released.promise;
  }

  async #isIdle(): Promise<boolean> {
    const before = this.#chunks;
    // The current turn may already have polled the pipe, so wait for the next one.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    return !this.#isYielding && !this.#isHeld() && this.#chunks === before;
  }

  #finish(error?: Error): void {
    this.#over.resolve(error);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#finish(toError(error));
      this.#stream.destroy();
    }
  }
}
