import {
  DragomanError,
  isLongerThan,
  deferred,
  quiet,
  type Deferred,
} from "../../../base/index.ts";
import { ChannelClosedError, type Channel, type CloseReason } from "../channel.ts";
import { DEFAULT_MAX_LINE_BYTES, LineTooLongError } from "../lines/limit.ts";
import {
  DEFAULT_MAX_UNREAD_BYTES,
  LINE_OVERHEAD,
  QueuedChannel,
  toLine,
} from "./queued-channel.ts";

/**
 * The part of a `MessagePort` that a channel uses. The ports of browsers, workers, Bun, Deno and
 * `node:worker_threads` have it.
 */
export interface MessagePortLike {
  /** Sends a message to the other port. Nothing is transferred with it. */
  postMessage(message: string | number | null, transfer: never[]): void;
  start(): void;
  /** Disconnects both ports. Messages sent before are still delivered. */
  close(): void;
  addEventListener(
    type: "message" | "messageerror" | "close",
    listener: (event: object) => void,
  ): void;
}

/** Options of {@link messagePortChannel}. */
export interface MessagePortChannelOptions {
  /** Longest line accepted, in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /**
   * How much may wait while the channel is paused or not yet open, roughly in bytes. A channel on the
   * other side stops far below this limit. If another sender exceeds it, the channel fails with an
   * `UnreadLimitError`. Default: 64 MiB.
   */
  readonly maxUnreadBytes?: number | undefined;
}

/** The other side of a message port sent something that a channel does not send. */
export class MessagePortError extends DragomanError {
  override readonly name = "MessagePortError";

  constructor(message: string, options?: ErrorOptions) {
    super("protocol", message, options);
  }
}

/** How much may be under way, and after how much the receiver reports its progress. */
const WINDOW = 1024 * 1024;
const REPORT = WINDOW / 4;

/** The last message of a channel. Not every platform reports that the other port was closed. */
const END = null;

const READY = Promise.resolve();

/**
 * Turns a `MessagePort` into a channel, between pages, workers and threads. The other end has to be a
 * channel over the other port. Each line is one message, a string; `null` ends the channel; a number
 * reports how much was read (the characters of each line, and 64 for the line itself), so that a sender
 * waits once 1 MiB is unread.
 *
 * The channel starts and closes the port, which must have no other user. A message of another kind
 * closes the channel with a MessagePortError.
 */
export function messagePortChannel(
  port: MessagePortLike,
  options: MessagePortChannelOptions = {},
): Channel {
  return new MessagePortChannel(port, options);
}

class MessagePortChannel extends QueuedChannel {
  readonly #port: MessagePortLike;
  readonly #maxLineBytes: number;
  /** Lines that wait until the other side has read more. */
  #unsent: string[] = [];
  #room: Deferred<void> | undefined;
  #underWay = 0;
  #unreported = 0;
  /** The other side has left, or this side has closed. */
  #isOver = false;

  constructor(port: MessagePortLike, options: MessagePortChannelOptions) {
    super(options.maxUnreadBytes ?? DEFAULT_MAX_UNREAD_BYTES);
    this.#port = port;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    port.addEventListener("message", (event) =>
      this.#message("data" in event ? event.data : undefined),
    );
    port.addEventListener("messageerror", () =>
      this.#refuse(new MessagePortError("the other side sent a message that cannot be read")),
    );
    port.addEventListener("close", () => this.#left({ kind: "ended" }));
    port.start();
  }

  send(line: string): Promise<void> {
    if (this.#isOver) return quiet(Promise.reject(new ChannelClosedError()));
    if (this.#underWay < WINDOW) this.#post(line);
    else this.#unsent.push(line);
    if (this.#underWay < WINDOW) return READY;
    this.#room ??= deferred();
    return quiet(this.#room.promise);
  }

  close(): Promise<CloseReason> {
    this.#close({ kind: "closed" });
    return this.closed;
  }

  protected fail(error: Error): void {
    this.#close({ kind: "failed", error });
  }

  protected override delivered(size: number): void {
    this.#report(size + LINE_OVERHEAD);
  }

  #post(line: string): void {
    this.#underWay += line.length + LINE_OVERHEAD;
    this.#port.postMessage(line, []);
  }

  #message(data: unknown): void {
    if (this.#isOver) return;
    if (typeof data === "string") this.#line(data);
    else if (data === END) this.#left({ kind: "ended" });
    else if (typeof data === "number" && data > 0) this.#progress(data);
    else this.#refuse(new MessagePortError("the other side sent a message that is not text"));
  }

  #line(message: string): void {
    if (isLongerThan(message, this.#maxLineBytes)) {
      return this.#refuse(new LineTooLongError(this.#maxLineBytes));
    }
    const line = toLine(message);
    // Characters that are not part of the line, and dropped messages, were under way too.
    this.#report(message.length - line.length + (line === "" ? LINE_OVERHEAD : 0));
    if (line !== "") this.push(line);
  }

  #progress(size: number): void {
    this.#underWay = Math.max(0, this.#underWay - size);
    let sent = 0;
    while (this.#underWay < WINDOW && sent < this.#unsent.length) {
      this.#post(this.#unsent[sent++] ?? "");
    }
    this.#unsent.splice(0, sent);
    if (this.#underWay >= WINDOW) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #report(size: number): void {
    this.#unreported += size;
    if (this.#unreported < REPORT || this.#isOver) return;
    this.#port.postMessage(this.#unreported, []);
    this.#unreported = 0;
  }

  #refuse(error: Error): void {
    this.#left({ kind: "failed", error });
  }

  /** Nothing more arrives. Lines that arrived before are still delivered. */
  #left(reason: CloseReason): void {
    this.#disconnect();
    this.finish(reason, true);
  }

  #close(reason: CloseReason): void {
    this.finish(reason, false);
    this.#disconnect();
  }

  #disconnect(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unsent = [];
    this.#room?.reject(new ChannelClosedError());
    this.#room = undefined;
    this.#port.postMessage(END, []);
    this.#port.close();
  }
}
