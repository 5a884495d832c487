/** A page stays responsive if no piece of work takes longer than this. */
const SLICE_MS = 10;

declare const scheduler: { readonly yield?: () => Promise<void> } | undefined;

/** Lets the browser handle input and paint. */
function nextTurn(): Promise<void> {
  if (typeof scheduler !== "undefined" && scheduler.yield) return scheduler.yield();
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
