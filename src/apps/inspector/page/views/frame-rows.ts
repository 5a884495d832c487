import type { SessionModel } from "../../../../trace/index.ts";
import type { PageRecording } from "../recording.ts";
import { parseFilter, searchFrames } from "../../frame-search.ts";
import { Slices } from "../work.ts";

export interface FrameRowsOptions {
  /** The rows that pass the filter; undefined without a filter. */
  readonly matches: readonly number[] | undefined;
  readonly isFolded: boolean;
  /** The items of the conversation whose chunks are shown one by one. */
  readonly expanded: ReadonlySet<number>;
  readonly range: readonly [from: number, to: number] | undefined;
}

/** A line of a list of frames. */
export interface FrameLine {
  readonly row: number;
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

/** A search over all frames, in slices. It runs again when frames came. */
export class FrameSearch {
  /** The rows found so far; undefined without a filter. */
  matches: number[] | undefined;
  faults: readonly string[] = [];
  isRunning = false;
  /** How long the last search took, in milliseconds. */
  tookMs = 0;
  readonly #onChange: (isNew: boolean) => void;
  #key = "";
  #recording: PageRecording | undefined;
  #version = -1;

  /** `onChange` is called after each step; `isNew` if the matches before it do not count anymore. */
  constructor(onChange: (isNew: boolean) => void) {
    this.#onChange = onChange;
  }

  /** Makes sure that the matches are those of this filter. */
  ensure(recording: PageRecording, query: string): void {
    const isSame = recording === this.#recording && query === this.#key;
    if (isSame && (recording.version === this.#version || this.isRunning)) return;
    this.#recording = recording;
    this.#key = query;
    this.#version = recording.version;
    if (query.trim() === "") {
      this.isRunning = false;
      this.faults = [];
      if (this.matches !== undefined || !isSame) {
        this.matches = undefined;
        this.#onChange(true);
      }
      return;
    }
    void this.#run(recording, query, isSame);
  }

  async #run(recording: PageRecording, query: string, isRepeated: boolean): Promise<void> {
    const filter = parseFilter(query);
    const started = performance.now();
    const found: number[] = [];
    this.faults = filter.faults;
    this.isRunning = true;
    // The matches before stay visible while the same search runs over more frames.
    if (!isRepeated) {
      this.matches = found;
      this.#onChange(true);
    }
    const slices = new Slices();
    for (const rows of searchFrames(recording.model, filter, recording.rulesOf)) {
      for (const row of rows) found.push(row);
      await slices.next();
      if (recording !== this.#recording || query !== this.#key) return;
      if (!isRepeated) this.#onChange(false);
    }
    this.isRunning = false;
    this.tookMs = performance.now() - started;
    this.matches = found;
    this.#onChange(isRepeated);
  }
}
