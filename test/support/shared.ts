import { afterAll, afterEach } from "vitest";

/** Registers a cleanup. The last one runs first. */
export type Later = (cleanup: () => unknown) => void;

/** A list of cleanups, and a function that runs and forgets them. */
export function cleanups(): { readonly later: Later; readonly cleanUp: () => Promise<void> } {
  const all: (() => unknown)[] = [];
  return {
    later: (cleanup) => void all.push(cleanup),
    cleanUp: async () => {
      for (const cleanup of all.splice(0).toReversed()) await cleanup();
    },
  };
}

/**
 * One thing for the tests of a block that need none of their own. It is built for the first of them, and anew
 * after one that failed.
 */
export function shared<T>(build: (later: Later) => Promise<T>): () => Promise<T> {
  const { later, cleanUp } = cleanups();
  let built: Promise<T> | undefined;
  const stop = (): Promise<void> => {
    built = undefined;
    return cleanUp();
  };
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await stop();
  });
  afterAll(stop);
  return () => (built ??= build(later));
}
