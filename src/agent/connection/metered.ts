import type { Channel, CloseReason } from "../../wire/index.ts";

/** How many characters may be buffered for a slow client before we stop reading its requests. */
export const HOLD_ABOVE = 4 * 1024 * 1024;

/** Pending sends that share one promise, because they wait for the same full pipe to drain. */
interface PendingSends {
  readonly sent: Promise<void>;
  size: number;
}

/** A channel that counts how much of the data it was given is still unsent. */
export class MeteredChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  /** Called with true when the backlog exceeds the limit, and with false once it is below half of it. */
  onPressure: (full: boolean) => void = () => {};
  readonly #channel: Channel;
  #backlog = 0;
  #full = false;
  #pending: PendingSends | undefined;
  /** A promise known to be settled. A pipe with room returns the same one for every send. */
  #settled: Promise<void> | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.closed = channel.closed;
  }

  /** Characters that were passed to `send` and are not yet sent. */
  get backlog(): number {
    return this.#backlog;
  }

  open(receive: (line: string) => void): void {
    this.#channel.open(receive);
  }

  send(line: string): Promise<void> {
    const sent = this.#channel.send(line);
    if (sent !== this.#settled) this.#count(sent, line.length);
    return sent;
  }

  pause(): void {
    this.#channel.pause();
  }

  resume(): void {
    this.#channel.resume();
  }

  close(): Promise<CloseReason> {
    return this.#channel.close();
  }

  #count(sent: Promise<void>, size: number): void {
    this.#backlog += size;
    if (this.#pending?.sent === sent) {
      this.#pending.size += size;
    } else {
      const pending = { sent, size };
      this.#pending = pending;
      const settle = (): void => this.#settle(pending);
      sent.then(settle, settle);
    }
    if (!this.#full && this.#backlog > HOLD_ABOVE) this.#setFull(true);
  }

  #settle(pending: PendingSends): void {
    this.#backlog -= pending.size;
    this.#settled = pending.sent;
    if (this.#pending === pending) this.#pending = undefined;
    if (this.#full && this.#backlog < HOLD_ABOVE / 2) this.#setFull(false);
  }

  #setFull(full: boolean): void {
    this.#full = full;
    this.onPressure(full);
  }
}
