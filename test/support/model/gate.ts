import type { ModelCall } from "./request.ts";

/** A point in a reply where the server waits for the test, and where the test can wait for the server. */
export class Gate {
  readonly arrived: Promise<ModelCall>;
  readonly released: Promise<void>;
  #arrive: (call: ModelCall) => void = () => {};
  #release: () => void = () => {};

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  arrive(call: ModelCall): void {
    this.#arrive(call);
  }

  release(): void {
    this.#release();
  }
}
