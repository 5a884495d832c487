import type { Channel, CloseReason } from "../../wire/index.ts";

/** Characters that may wait for a client that reads slowly before its requests are no longer read. */
export const HOLD_ABOVE = 4 * 1024 * 1024;

/** Sends that wait for the same moment: those behind one full pipe share a promise. */
interface WaitingSend {
  readonly sent: Promise<void>;
  size: number;
}

/** A channel that knows how much of what was sent still waits to be taken. */
export class MeteredChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  /** Told when the backlog passes the limit (true) and when it is back under half of it (false). */
  onPressure: (full: boolean) => void = () => {};
  readonly #channel: Channel;
  #backlog = 0;
  #full = false;
  #waiting: WaitingSend | undefined;
  /** A promise known to be settled. A pipe with room gives the same one each time, for free. */
  #settled: Promise<void> | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.closed = channel.closed;
  }

  /** Characters sent and not yet taken. */
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
    if (this.#waiting?.sent === sent) {
      this.#waiting.size += size;
    } else {
      const waiting = { sent, size };
      this.#waiting = waiting;
      const taken = (): void => this.#taken(waiting);
      sent.then(taken, taken);
    }
    if (!this.#full && this.#backlog > HOLD_ABOVE) this.#press(true);
  }

  #taken(waiting: WaitingSend): void {
    this.#backlog -= waiting.size;
    this.#settled = waiting.sent;
    if (this.#waiting === waiting) this.#waiting = undefined;
    if (this.#full && this.#backlog < HOLD_ABOVE / 2) this.#press(false);
  }

  #press(full: boolean): void {
    this.#full = full;
    this.onPressure(full);
  }
}
