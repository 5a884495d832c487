import type { PageRecording } from "../recording.ts";
import { parseFilter } from "../../search/filter.ts";
import { searchFrames } from "../../search/search.ts";
import { Slices } from "../slices.ts";

/** A search over all frames, in slices. It runs again when frames came. */
export class FrameSearch {
  /** The rows found so far; undefined without a filter. */
  matches: number[] | undefined;
  /** Conditions that could not be read. */
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
