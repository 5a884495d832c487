import type { Readable } from "node:stream";
import { LineSplitter } from "./lines.ts";

/** Reads lines from a stream of bytes until it ends, fails, or is stopped. */
export class LineReader {
  readonly #stream: Readable;
  readonly #limit: number | undefined;
  #ended: Promise<Error | undefined> | undefined;
  #paused = false;

  constructor(stream: Readable, limit?: number) {
    this.#stream = stream;
    this.#limit = limit;
    // A stream can fail before anybody reads from it; that failure is told by `open`.
    stream.on("error", () => {});
  }

  /**
   * Hands over each line. Resolves when the last one has been: with an error if the stream failed,
   * a line was too long, or `receive` threw.
   */
  open(receive: (line: string) => void): Promise<Error | undefined> {
    if (this.#ended) throw new Error("the channel is open already");
    const stream = this.#stream;
    this.#ended = new Promise((resolve) => {
      const guard = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          resolve(error instanceof Error ? error : new Error(String(error)));
          this.stop();
        }
      };
      const lines = new LineSplitter(receive, this.#limit);
      stream.on("data", (chunk: Buffer) => guard(() => lines.push(chunk)));
      stream.on("end", () => {
        guard(() => lines.end());
        resolve(undefined);
      });
      stream.on("error", resolve);
      stream.on("close", () => resolve(undefined));
      if (stream.errored) resolve(stream.errored);
      else if (stream.destroyed) resolve(undefined);
    });
    if (this.#paused) stream.pause();
    return this.#ended;
  }

  pause(): void {
    this.#paused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#ended) this.#stream.resume();
  }

  /** Reads on but hands over nothing more, so that the other side can finish what it is writing. */
  discard(): void {
    this.#stream.removeAllListeners("data");
    this.#stream.resume();
  }

  stop(): void {
    this.#stream.destroy();
  }
}
