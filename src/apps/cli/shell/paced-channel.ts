import { quietly } from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";

/** An output that the agent's messages fill. */
export interface PacedOutput {
  /** Whether so much waits to be written that the agent should not cause more. */
  readonly isOverloaded: boolean;
  /** Resolves when the output is not overloaded anymore. Never rejects. */
  relieved(): Promise<void>;
}

/** An open file for `--record`, or a session of a page in its place. */
export interface RecordingFile extends PacedOutput {
  write(text: string): void;
  end(): Promise<void>;
}

/**
 * A channel that is not read while one of these outputs is overloaded. The reader of a turn waits for
 * stdout by itself, but requests, frames and lines that are not messages cause output too.
 */
export function pacedChannel(channel: Channel, outputs: readonly PacedOutput[]): Channel {
  return new PacedChannel(channel, outputs);
}

class PacedChannel implements Channel {
  readonly #channel: Channel;
  readonly #outputs: readonly PacedOutput[];
  #isPaused = false;
  #isWaiting = false;

  constructor(channel: Channel, outputs: readonly PacedOutput[]) {
    this.#channel = channel;
    this.#outputs = outputs;
  }

  get closed(): Promise<CloseReason> {
    return this.#channel.closed;
  }

  open(receive: (line: string) => void): void {
    this.#channel.open((line) => {
      receive(line);
      if (!this.#isWaiting && this.#outputs.some(({ isOverloaded }) => isOverloaded))
        void quietly(() => this.#waitForOutputs());
    });
  }

  send(line: string): Promise<void> {
    return this.#channel.send(line);
  }

  pause(): void {
    this.#isPaused = true;
    this.#channel.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isWaiting) this.#channel.resume();
  }

  close(): Promise<CloseReason> {
    return this.#channel.close();
  }

  async #waitForOutputs(): Promise<void> {
    this.#isWaiting = true;
    this.#channel.pause();
    for (const output of this.#outputs) await output.relieved();
    this.#isWaiting = false;
    if (!this.#isPaused) this.#channel.resume();
  }
}
