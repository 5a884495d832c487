/** A page stays responsive if no piece of work takes longer than this. */
const SLICE_MS = 12;

/**
 * Lets the browser handle input, timers and paint. `scheduler.yield` would come back before all timers, and a
 * timer has a pause of its own.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

/** Divides long work into slices. */
export class Slices {
  #started = performance.now();

  /** Resolves at once if the slice has time left, and otherwise after the browser had its turn. */
  async next(): Promise<void> {
    if (performance.now() - this.#started < SLICE_MS) return;
    await nextTurn();
    this.#started = performance.now();
  }
}
