/** True under `npm run test:soak`. */
export const soak = process.env["DRAGOMAN_SOAK"] === "1";

/**
 * The seed of this run. The soak command picks and prints a new one. The ordinary run always uses the
 * same one, so that it never fails by chance. Both obey DRAGOMAN_SEED.
 */
export const seed = Number(process.env["DRAGOMAN_SEED"] ?? 1);

/** How often to repeat: `few` times in the ordinary run, `many` times in the soak run. */
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
