import type { Readable } from "node:stream";
import { LineSplitter } from "./splitter.ts";
import { deferred, toError, within } from "../async.ts";

/**
 * Last resort: a pipe whose writer is gone may be held open for ever by somebody who inherited it.
 * After this long without an end it is looked at whether anything is left in it.
 */
const HELD_PIPE_MS = 1000;

/** Reads lines from a stream of bytes until it ends, fails, or is stopped. */
export class LineReader {
  readonly #stream: Readable;
  readonly #limit: number | undefined;
  readonly #over = deferred<Error | undefined>();
  #isOpen = false;
  #isPaused = false;
  #isDiscarding = false;
  #wake: () => void = () => {};
  #chunks = 0;

  constructor(stream: Readable, limit?: number) {
    this.#stream = stream;
    this.#limit = limit;
    // A stream can fail before anybody reads from it; that failure is told by `open`.
    stream.on("error", (error) => this.#finish(error));
    stream.on("close", () => this.#finish());
    if (stream.errored) this.#finish(stream.errored);
    else if (stream.destroyed) this.#finish();
  }

  /**
   * Hands over each line. Resolves when the last one has been: with an error if the stream failed,
   * a line was too long, or `receive` threw.
   */
  open(receive: (line: string) => void): Promise<Error | undefined> {
    if (this.#isOpen) throw new Error("the channel is open already");
    this.#isOpen = true;
    const lines = new LineSplitter((line) => {
      if (!this.#isDiscarding) receive(line);
    }, this.#limit);
    this.#stream.on("data", (chunk: Buffer) => {
      this.#chunks++;
      this.#guard(() => lines.push(chunk));
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

  /** Reads on but hands over nothing more, so that the other side can finish what it is writing. */
  discard(): void {
    this.#isDiscarding = true;
    this.#stream.removeAllListeners("data");
    this.#flow();
  }

  /**
   * For a stream whose writer is gone: resolves when all it left has been handed over, at the
   * reader's pace. That is at the end of the stream, or, if somebody else holds the pipe open, when
   * a whole turn of the event loop finds nothing in it.
   */
  async drained(): Promise<Error | undefined> {
    for (;;) {
      if (this.#isHeld()) await Promise.race([this.#over.promise, this.#released()]);
      if (await within(this.#over.promise, HELD_PIPE_MS)) return this.#over.promise;
      if (await this.#isIdle()) return undefined;
    }
  }

  #flow(): void {
    if (this.#isHeld()) {
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
    // The first turn may be one that had looked at the pipe already.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    return !this.#isHeld() && this.#chunks === before;
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
