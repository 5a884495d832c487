import { CliError, type ExitName } from "./exit.ts";
import type { Io, SignalName } from "./io.ts";

const EXITS: Readonly<Record<SignalName, ExitName>> = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  SIGHUP: "hangup",
};

/** For a step in which the agent is already being ended. */
export const alreadyEnding = (): void => {};

/** Handles the signals of one step of the run. */
export interface SignalListener {
  /** The first signal asks for a clean end. */
  first(name: SignalName): void;
  /** The second signal ends the agent. Without this method, it ends Dragoman at once. */
  readonly second?: (() => void) | undefined;
}

/**
 * Last resort: how long the agent may take to end after the second signal. Its end takes at most four
 * seconds, but something else may hang, such as the file of a recording.
 */
const SECOND_SIGNAL_MS = 5000;

/**
 * The signals that ask Dragoman to stop. By convention, the first one asks for a clean end and the
 * second one forces it, even if a step hangs and no listener is left. Only the newest listener is
 * called.
 */
export class Interrupts {
  readonly #io: Io;
  readonly #stops: (() => void)[];
  readonly #listeners: SignalListener[] = [];
  #first: SignalName | undefined;
  #isHandled = false;
  #count = 0;

  constructor(io: Io) {
    this.#io = io;
    const names: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"];
    this.#stops = names.map((name) => io.onSignal(name, () => this.receive(name)));
  }

  /** The first signal since the last reset; undefined if there was none. */
  get arrived(): SignalName | undefined {
    return this.#first;
  }

  /**
   * Adds a listener, which replaces earlier ones until the returned function removes it. A signal that
   * arrived while there was no listener is handled at once.
   */
  listen(listener: SignalListener): () => void {
    this.#listeners.push(listener);
    this.#handle();
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at !== -1) this.#listeners.splice(at, 1);
    };
  }

  /** Runs work that the first signal aborts. For the second one, see `SignalListener`. */
  async aborting<T>(
    work: (signal: AbortSignal) => Promise<T>,
    second?: SignalListener["second"],
  ): Promise<T> {
    const controller = new AbortController();
    const stop = this.listen({ first: () => controller.abort(this.error()), second });
    try {
      return await work(controller.signal);
    } finally {
      stop();
    }
  }

  /** Forgets a Ctrl-C that has been handled. */
  reset(): void {
    this.#count = 0;
    this.#first = undefined;
    this.#isHandled = false;
  }

  /** The error to exit with; undefined if no signal arrived. */
  error(): CliError | undefined {
    return this.#first === undefined ? undefined : interruptedBy(this.#first);
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  /** Handles a signal, or a Ctrl-C that was read as a key. */
  receive(name: SignalName): void {
    this.#count++;
    // A Ctrl-C after a SIGTERM speeds up the end, but the SIGTERM stays the reason.
    const first = (this.#first ??= name);
    if (this.#count === 1) return this.#handle();
    const listener = this.#listeners.at(-1);
    const end = (): void => this.#io.endBySignal(first);
    if (this.#count > 2 || listener?.second === undefined) return end();
    listener.second();
    setTimeout(end, this.#io.timing?.secondSignalMs ?? SECOND_SIGNAL_MS).unref();
  }

  #handle(): void {
    const listener = this.#listeners.at(-1);
    if (this.#first === undefined || this.#isHandled || listener === undefined) return;
    this.#isHandled = true;
    listener.first(this.#first);
  }
}

function interruptedBy(name: SignalName): CliError {
  return new CliError(EXITS[name], {
    what: name === "SIGINT" ? "interrupted" : `ended by ${name}`,
  });
}
