import { suite } from "./suite.ts";

/** Whether this is the soak suite with its full counts. */
export const soak = suite === "soak" && process.env["DRAGOMAN_SOAK"] !== "reduced";

/**
 * The seed of this run. The soak suite picks and prints a new one. Every other run uses the same one, so that
 * it never fails by chance. All obey DRAGOMAN_SEED.
 */
export const seed = Number(process.env["DRAGOMAN_SEED"] ?? 1);

/** How often to repeat: `many` times in the soak suite, otherwise `few` times. */
export function times(few: number, many: number): number {
  return soak ? many : few;
}

/** A small reproducible generator of numbers in [0, 1) (mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
