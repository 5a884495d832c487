import type { ScriptedCall } from "./request.ts";

/** A point in a reply where the server waits for the test, and where the test can wait for the server. */
export class Gate {
  readonly arrived: Promise<ScriptedCall>;
  readonly released: Promise<void>;
  #arrive: (call: ScriptedCall) => void = () => {};
  #release: () => void = () => {};

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  arrive(call: ScriptedCall): void {
    this.#arrive(call);
  }

  release(): void {
    this.#release();
  }
}
