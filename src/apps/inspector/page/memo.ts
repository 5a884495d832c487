import { RECOMPUTE_MS } from "./app.ts";
import type { PageRecording } from "./recording.ts";

/** Computing again takes at most this fraction of the time: one in 20. */
const MOST_SHARE = 20;

/** Keeps a result that takes long until the recording changes, and not too often while it is read. */
export class Memo<T> {
  #recording: PageRecording | undefined;
  #key = "";
  #version = -1;
  #at = 0;
  #tookMs = 0;
  #value: T | undefined;

  /** The result of `compute`. Another key computes it at once. */
  get(recording: PageRecording, compute: () => T, key = ""): T {
    const { version, state } = recording;
    const isSame = recording === this.#recording && key === this.#key;
    const isGrowing = state.type === "live" || state.type === "loading";
    // While a large session is read, most of the time belongs to the reading.
    const pause = Math.max(RECOMPUTE_MS, MOST_SHARE * this.#tookMs);
    const now = performance.now();
    const isFresh = version === this.#version || (isGrowing && now - this.#at < pause);
    if (isSame && isFresh && this.#value !== undefined) return this.#value;
    const value = compute();
    this.#tookMs = performance.now() - now;
    this.#recording = recording;
    this.#key = key;
    this.#version = version;
    this.#at = performance.now();
    this.#value = value;
    return value;
  }
}
