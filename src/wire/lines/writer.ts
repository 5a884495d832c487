import { deferred, quiet, type Deferred } from "../async.ts";
import { ChannelClosedError } from "../channel.ts";
import type { NodeWritable } from "./node-streams.ts";

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
