import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Key, KeyReader } from "../editor/keys.ts";
import type { Io } from "../shell/io.ts";
import type { Dialogue } from "./asker.ts";

export interface RawTerminal {
  readonly input: Readable;
  setRaw(raw: boolean): void;
}

export interface KeyHandlers {
  /** Called for every key, except Ctrl-Z, which stops the job. */
  key(key: Key): void;
  /** Called before the job stops: removes everything that is redrawn in place. */
  stopping(): void;
  continued(): void;
  ended(): void;
}

/** A sequence arrives in one piece, or in several if a slow line breaks it up. */
const ESCAPE_MS = 40;
/** Last resort: without a shell that controls jobs, a stop has no effect and nothing continues it. */
const NO_JOB_CONTROL_MS = 200;

/** Reads keys from a terminal in raw mode. Handles Ctrl-Z and the continuation of the job. */
export class RawKeys {
  readonly #io: Io;
  readonly #terminal: RawTerminal;
  readonly #handlers: KeyHandlers;
  #reader = new KeyReader();
  #decoder = new StringDecoder("utf8");
  #escape: NodeJS.Timeout | undefined;
  #isReading = false;
  #isStopped = false;
  #stopListening = (): void => {};

  constructor(io: Io, terminal: RawTerminal, handlers: KeyHandlers) {
    this.#io = io;
    this.#terminal = terminal;
    this.#handlers = handlers;
  }

  start(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    const typed = this.#io.awaitForeground();
    const { input } = this.#terminal;
    this.#stopListening = this.#io.onContinue(() => this.#continue());
    this.#terminal.setRaw(true);
    input.on("data", this.#take);
    input.on("end", this.#end);
    input.on("error", this.#end);
    input.resume();
    if (typed.length > 0) this.#take(typed);
  }

  /** Stops reading and returns to the terminal's normal mode. Keys that follow wait in the terminal. */
  stop(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    const { input } = this.#terminal;
    this.#stopListening();
    clearTimeout(this.#escape);
    input.off("data", this.#take);
    input.off("end", this.#end);
    input.off("error", this.#end);
    input.pause();
    this.#terminal.setRaw(false);
    this.#reader = new KeyReader();
    this.#decoder = new StringDecoder("utf8");
  }

  readonly #end = (): void => {
    this.stop();
    this.#handlers.ended();
  };

  readonly #take = (chunk: Buffer | string): void => {
    clearTimeout(this.#escape);
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    this.#press(this.#reader.push(text));
    if (!this.#reader.isUnfinished) return;
    this.#escape = setTimeout(() => this.#press(this.#reader.flush()), ESCAPE_MS);
  };

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      if (key.type === "key" && key.name === "ctrl+z") this.#suspend();
      else this.#handlers.key(key);
    }
  }

  #suspend(): void {
    this.#isStopped = true;
    this.#handlers.stopping();
    this.#terminal.setRaw(false);
    this.#io.suspend();
    setTimeout(() => this.#isStopped && this.#continue(), NO_JOB_CONTROL_MS).unref();
  }

  #continue(): void {
    if (!this.#isReading) return;
    this.#isStopped = false;
    // The mode is that of the shell now, which Node does not know.
    this.#terminal.setRaw(false);
    this.#io.awaitForeground();
    this.#terminal.setRaw(true);
    this.#handlers.continued();
  }
}

/**
 * Reads keys instead of lines in a dialogue, until the returned function is called. An aborted signal
 * counts as the end of the input. Ctrl-C is a key.
 */
export function readKeys(
  dialogue: Dialogue,
  handlers: KeyHandlers & { resized(): void },
): () => void {
  const { io, terminal, signal } = dialogue;
  const keys = new RawKeys(io, terminal, handlers);
  const stopResize = terminal.onResize(() => handlers.resized());
  const stop = (): void => {
    signal.removeEventListener("abort", abort);
    stopResize();
    keys.stop();
  };
  const abort = (): void => {
    stop();
    handlers.ended();
  };
  signal.addEventListener("abort", abort, { once: true });
  keys.start();
  return stop;
}
