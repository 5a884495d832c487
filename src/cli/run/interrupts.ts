import { CliError, type ExitName } from "../exit.ts";
import type { Io, SignalName } from "../io.ts";

const EXITS: Readonly<Record<SignalName, ExitName>> = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  SIGHUP: "hangup",
};

/** Handles a signal. `count` is 1 for the first signal since the last reset. */
export type OnInterrupt = (name: SignalName, count: number) => void;

/**
 * The signals that ask Dragoman to stop. By convention, the first one asks for a clean end and the
 * second one forces it. Only the newest listener is called.
 */
export class Interrupts {
  readonly #stops: (() => void)[];
  readonly #listeners: OnInterrupt[] = [];
  #first: SignalName | undefined;
  #count = 0;

  constructor(io: Io) {
    const names: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"];
    this.#stops = names.map((name) => io.onSignal(name, () => this.#receive(name)));
  }

  /** The first signal since the last reset; undefined if there was none. */
  get arrived(): SignalName | undefined {
    return this.#first;
  }

  /** Adds a listener, which replaces earlier ones until the returned function removes it. */
  listen(listener: OnInterrupt): () => void {
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at !== -1) this.#listeners.splice(at, 1);
    };
  }

  /** Forgets a Ctrl-C that has been handled. */
  reset(): void {
    this.#count = 0;
    this.#first = undefined;
  }

  /** The error to exit with; undefined if no signal arrived. */
  error(): CliError | undefined {
    return this.#first === undefined ? undefined : interruptedBy(this.#first);
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  #receive(name: SignalName): void {
    this.#count++;
    // A Ctrl-C after a SIGTERM speeds up the end, but the SIGTERM stays the reason.
    this.#first ??= name;
    this.#listeners.at(-1)?.(name, this.#count);
  }
}

/** The error for a run that this signal ended. */
function interruptedBy(name: SignalName): CliError {
  return new CliError(EXITS[name], {
    what: name === "SIGINT" ? "interrupted" : `ended by ${name}`,
  });
}
