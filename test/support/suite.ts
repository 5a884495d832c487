/** The suite of vitest.config.ts that runs; undefined in `npm test`. */
export const suite = process.env["DRAGOMAN_SUITE"];

/** Whether this is `npm test`, which has time for one example of everything that takes long. */
export const quick = suite === undefined;

/** Whether to test every version of Droid with every client. */
export const everyDroid = suite === "droid";

/** The rows of a table test: in `npm test` only the first. */
export function rows<Row>(all: readonly Row[]): readonly Row[] {
  return quick ? all.slice(0, 1) : all;
}
