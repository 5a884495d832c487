import { LineSplitter } from "./splitter.ts";
import { type Deferred, deferred, toError, within, quiet } from "../../../base/index.ts";
import { ChannelClosedError } from "../channel.ts";

/** The part of a Node `Readable` that a channel uses, such as a socket or a process's stdout. */
export interface NodeReadable {
  /** Adds a listener for chunks, which also starts reading. */
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeAllListeners(event: string): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
  readonly errored: Error | null;
}

/** The part of a Node `Writable` that a channel uses. */
export interface NodeWritable {
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "close", listener: () => void): unknown;
  write(chunk: Uint8Array | string, encoding: "utf8"): boolean;
  end(done: () => void): unknown;
  destroy(): unknown;
  readonly destroyed: boolean;
}

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

/** A batch of lines is written at once when it reaches this many characters. */
const BATCH_CHARS = 64 * 1024;

const READY = Promise.resolve();

/**
 * Writes lines to a stream. Lines sent in one tick are written together. When the pipe is full, the
 * sender's promise stays pending until the pipe has drained.
 */
export class LineWriter {
  readonly #stream: NodeWritable;
  readonly #onBroken: (error: Error) => void;
  #batch = "";
  #scheduled = false;
  #drained: Deferred<void> | undefined;
  #closed: ChannelClosedError | undefined;

  /** `onBroken` is called once if the stream closes or fails before `end` was called. */
  constructor(stream: NodeWritable, onBroken: (error: Error) => void) {
    this.#stream = stream;
    this.#onBroken = onBroken;
    stream.on("drain", () => this.#release());
    stream.on("error", (error) => this.#break(error));
    stream.on("close", () => this.#break(new Error("the output was closed")));
    if (stream.destroyed) process.nextTick(() => this.#break(new Error("the output is closed")));
  }

  send(line: string): Promise<void> {
    if (this.#closed) return quiet(Promise.reject(this.#closed));
    this.#batch += line;
    this.#batch += "\n";
    if (this.#batch.length >= BATCH_CHARS) {
      this.#flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(() => this.#flush());
    }
    return this.#drained ? this.#drained.promise : READY;
  }

  /** Writes the remaining lines and ends the stream. Resolves when they are written or cannot be. */
  end(): Promise<void> {
    this.#flush();
    this.#fail(new ChannelClosedError());
    return new Promise((resolve) => {
      if (this.#stream.destroyed) return resolve();
      this.#stream.once("close", resolve);
      this.#stream.end(resolve);
    });
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#batch;
    if (batch === "" || this.#closed) return;
    this.#batch = "";
    // While the pipe is full, the batch has to wait. As bytes it takes a third of the memory that the
    // text takes, which was put together from many small ones.
    const waiting = this.#drained ? Buffer.from(batch) : batch;
    if (this.#stream.write(waiting, "utf8") || this.#drained) return;
    this.#drained = deferred();
    void quiet(this.#drained.promise);
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #break(cause: Error): void {
    if (this.#closed) return;
    this.#fail(new ChannelClosedError({ cause }));
    this.#onBroken(cause);
  }

  #fail(error: ChannelClosedError): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#batch = "";
    this.#drained?.reject(error);
    this.#drained = undefined;
  }
}
