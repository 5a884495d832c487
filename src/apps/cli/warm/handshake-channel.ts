import { parseFrame, type JsonObject } from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";

/** The other side closed the connection, or sent something else than a frame. */
export class HandshakeError extends Error {
  override readonly name = "HandshakeError";
}

/**
 * A channel whose first lines are read one by one, before its protocol begins. After that it is a
 * channel like any other: `open` gets every line that was not read.
 */
export class HandshakeChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  readonly #channel: Channel;
  readonly #lines: string[] = [];
  #receive: ((line: string) => void) | undefined;
  #wake: () => void = () => {};
  #isClosed = false;

  /** `explained` turns the reason why the connection closed into the one that `closed` resolves with. */
  constructor(channel: Channel, explained: (reason: CloseReason) => CloseReason = (same) => same) {
    this.#channel = channel;
    this.closed = channel.closed.then((reason) => {
      this.#isClosed = true;
      this.#wake();
      return explained(reason);
    });
    channel.open((line) => {
      if (this.#receive) return this.#receive(line);
      // Nothing more is read until someone asks for this line.
      channel.pause();
      this.#lines.push(line);
      this.#wake();
    });
  }

  /** The next frame. Rejects with HandshakeError. */
  async frame(): Promise<JsonObject> {
    while (this.#lines.length === 0) {
      if (this.#isClosed) throw new HandshakeError("the connection was closed");
      const arrived = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#channel.resume();
      await arrived;
    }
    const frame = parseFrame(this.#lines.shift() ?? "");
    if (frame === undefined) throw new HandshakeError("the other side sent an invalid frame");
    return frame;
  }

  open(receive: (line: string) => void): void {
    // Not in the same tick: the caller may be in the middle of its own work.
    queueMicrotask(() => {
      for (const line of this.#lines.splice(0)) receive(line);
      this.#receive = receive;
      this.#channel.resume();
    });
  }

  send(line: string): Promise<void> {
    return this.#channel.send(line);
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  async close(): Promise<CloseReason> {
    await this.#channel.close();
    return this.closed;
  }
}
