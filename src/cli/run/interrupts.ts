import { CliError, type ExitName } from "../exit.ts";
import type { Io, SignalName } from "../io.ts";

const ENDS: Readonly<Record<SignalName, ExitName>> = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  SIGHUP: "hangup",
};

/** What to do about a signal; `count` is 1 for the first since the last reset. */
export type OnInterrupt = (name: SignalName, count: number) => void;

/**
 * The signals that ask this program to stop. The first is a request, the second an order. Whoever
 * runs something listens; the last listener is the one that is told.
 */
export class Interrupts {
  readonly #stops: (() => void)[];
  readonly #listeners: OnInterrupt[] = [];
  #last: SignalName | undefined;
  #count = 0;

  constructor(io: Io) {
    const names: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"];
    this.#stops = names.map((name) => io.onSignal(name, () => this.#arrived(name)));
  }

  /** The signal that arrived, if one did since the last reset. */
  get arrived(): SignalName | undefined {
    return this.#last;
  }

  listen(listener: OnInterrupt): () => void {
    this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at !== -1) this.#listeners.splice(at, 1);
    };
  }

  /** Forgets a Ctrl-C that was dealt with. */
  reset(): void {
    this.#count = 0;
    this.#last = undefined;
  }

  /** The error to end with; undefined if nothing asked to stop. */
  error(): CliError | undefined {
    return this.#last === undefined ? undefined : interruptedBy(this.#last);
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  #arrived(name: SignalName): void {
    this.#count++;
    // A Ctrl-C after a SIGTERM hurries it up; the reason stays what it was.
    this.#last ??= name;
    this.#listeners.at(-1)?.(name, this.#count);
  }
}

/** The error for an end by this signal. */
function interruptedBy(name: SignalName): CliError {
  return new CliError(ENDS[name], { what: name === "SIGINT" ? "interrupted" : `ended by ${name}` });
}
