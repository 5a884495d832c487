import type { SessionModel } from "../../../../trace/index.ts";

/** Which frames a list shows, and how. */
export interface FrameRowsOptions {
  /** The rows that pass the filter; undefined without a filter. */
  readonly matches: readonly number[] | undefined;
  /** Whether runs of chunks are one line. */
  readonly isFolded: boolean;
  /** The items of the conversation whose chunks are shown one by one. */
  readonly expanded: ReadonlySet<number>;
  readonly range: readonly [from: number, to: number] | undefined;
}

/** A line of a list of frames. */
export interface FrameLine {
  /** The first frame. */
  readonly row: number;
  /** How many frames it stands for. */
  readonly count: number;
}

/** The lines of a list of frames: each is a frame, or a run of chunks of one message. It grows with the model. */
export class FrameRows {
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];
  readonly #counts: number[] = [];
  #taken = 0;

  get length(): number {
    return this.#firsts.length;
  }

  at(index: number): FrameLine | undefined {
    const row = this.#firsts[index];
    return row === undefined ? undefined : { row, count: this.#counts[index] ?? 0 };
  }

  /** The line that shows a frame; -1 if none does. */
  indexOf(row: number): number {
    let [low, high] = [0, this.#firsts.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      if ((this.#firsts[middle] ?? 0) > row) high = middle - 1;
      else if ((this.#lasts[middle] ?? 0) < row) low = middle + 1;
      else return middle;
    }
    return -1;
  }

  /** Starts again, such as for another filter. */
  clear(): void {
    this.#firsts.length = 0;
    this.#lasts.length = 0;
    this.#counts.length = 0;
    this.#taken = 0;
  }

  /** Adds the frames that came since the last call. The options must be the same until `clear`. */
  extend({ frames }: SessionModel, options: FrameRowsOptions): void {
    const { matches, isFolded, expanded, range } = options;
    const count = matches ? matches.length : frames.count;
    for (; this.#taken < count; this.#taken++) {
      const row = matches ? (matches[this.#taken] ?? 0) : this.#taken;
      if (range && (frames.ms(row) < range[0] || frames.ms(row) > range[1])) continue;
      const last = this.#firsts.length - 1;
      const first = this.#firsts[last] ?? -1;
      const isRun =
        isFolded &&
        first >= 0 &&
        frames.item(row) >= 0 &&
        frames.item(row) === frames.item(first) &&
        frames.update(row) === frames.update(first) &&
        frames.update(row).endsWith("_chunk") &&
        !expanded.has(frames.item(row));
      if (isRun) {
        this.#lasts[last] = row;
        this.#counts[last] = (this.#counts[last] ?? 0) + 1;
      } else {
        this.#firsts.push(row);
        this.#lasts.push(row);
        this.#counts.push(1);
      }
    }
  }
}
