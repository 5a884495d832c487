import {
  deferred,
  quiet,
  toError,
  within,
  type Deferred,
  decodeLine,
} from "../../../base/index.ts";
import { ChannelClosedError, type Channel, type CloseReason } from "../channel.ts";
import { LineSplitter } from "../lines/splitter.ts";

/** A pair of WHATWG streams of parsed messages, the shape of the official SDK's transports. */
export interface MessageStream<Message = unknown> {
  /** The messages from the other side. */
  readonly readable: ReadableStream<Message>;
  /** Takes the messages to the other side. */
  readonly writable: WritableStream<Message>;
}

/** A pair of WHATWG streams of bytes: a Deno connection, a WebTransport stream, a web worker's pipe. */
export interface ByteStream {
  /** The bytes that the other side sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Takes the bytes for the other side. */
  readonly writable: WritableStream<Uint8Array>;
}

/** Options of {@link byteStreamChannel}. */
export interface ByteStreamOptions {
  /** Longest line accepted, in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
}

/** Last resort: how long to wait for the last lines to be written if the other side does not read. */
const FLUSH_MS = 1000;

/** Last resort: how long to wait for the readable to end after the writable failed. */
const LAST_LINES_MS = 1000;

/**
 * Senders wait while more characters than this are being written. The stream's own measure is not
 * enough: Node 20 counts the chunks of a converted byte stream, not their bytes.
 */
const FULL_CHARS = 64 * 1024;

/** Turns a stream of messages (HTTP, WebSocket, another SDK's transport) into a channel. */
export function channelFromStream(stream: MessageStream): Channel {
  return new WebStreamChannel(stream.readable, stream.writable, messageFormat);
}

/**
 * Turns a pair of WHATWG byte streams into a channel of lines, each ended by a newline. It works on
 * every platform. For Node's streams, `nodeStreamChannel` is faster.
 */
export function byteStreamChannel(stream: ByteStream, options: ByteStreamOptions = {}): Channel {
  return new WebStreamChannel(stream.readable, stream.writable, byteFormat(options.maxLineBytes));
}

/** How lines are represented in a stream of values. */
interface StreamFormat<In, Out> {
  /** The lines that a value completes. */
  decode(value: In): readonly string[];
  /** The lines that the end of the stream completes. */
  end(): readonly string[];
  encode(line: string): Out;
}

const messageFormat: StreamFormat<unknown, unknown> = {
  decode: (message) => [toLine(message)],
  end: () => [],
  encode: (line) => JSON.parse(line),
};

function byteFormat(maxLineBytes: number | undefined): StreamFormat<Uint8Array, Uint8Array> {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), maxLineBytes);
  const encoder = new TextEncoder();
  return {
    decode: (bytes) => {
      splitter.push(bytes);
      return lines.splice(0);
    },
    end: () => {
      splitter.end();
      return lines.splice(0);
    },
    encode: (line) => encoder.encode(`${line}\n`),
  };
}

/**
 * Turns a channel into a stream of messages. Lines without a message are dropped. The readable
 * errors when the channel fails, and pauses the channel while it has no reader.
 */
export function streamFromChannel<Message = unknown>(channel: Channel): MessageStream<Message> {
  const readable = new ReadableStream<Message>({
    start(controller) {
      channel.open((line) => {
        const decoded = decodeLine(line);
        if (decoded.kind !== "frame") return;
        // The caller is responsible for the type of the messages.
        const message: Message = JSON.parse(line.slice(decoded.skipped.length));
        controller.enqueue(message);
        if ((controller.desiredSize ?? 0) <= 0) channel.pause();
      });
      void channel.closed.then((reason) => {
        try {
          if (reason.kind === "failed") controller.error(reason.error);
          else controller.close();
        } catch {
          // The reader has already cancelled the stream.
        }
      });
    },
    pull: () => channel.resume(),
    cancel: async () => {
      await channel.close();
    },
  });
  const writable = new WritableStream<Message>({
    write: (message) => channel.send(JSON.stringify(message)),
    close: async () => {
      await channel.close();
    },
    abort: async () => {
      await channel.close();
    },
  });
  return { readable, writable };
}

class WebStreamChannel<In, Out> implements Channel {
  readonly #closed = deferred<CloseReason>();
  readonly closed = this.#closed.promise;
  readonly #reader: ReadableStreamDefaultReader<In>;
  readonly #writer: WritableStreamDefaultWriter<Out>;
  readonly #format: StreamFormat<In, Out>;
  readonly #opened = deferred();
  #isOpen = false;
  #done = false;
  /** Set while the channel is paused. */
  #held: Deferred<void> | undefined;
  #unwritten = 0;
  #room: Deferred<void> | undefined;
  /** The writable failed: no line can be sent anymore. */
  #broken: Error | undefined;

  constructor(
    readable: ReadableStream<In>,
    writable: WritableStream<Out>,
    format: StreamFormat<In, Out>,
  ) {
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    this.#format = format;
    this.#writer.closed.catch((error: unknown) => void this.#afterBreak(toError(error)));
  }

  open(receive: (line: string) => void): void {
    if (this.#isOpen) throw new Error("the channel is already open");
    this.#isOpen = true;
    this.#opened.resolve();
    void this.#read(receive).then(
      () => this.#finish({ kind: "ended" }),
      (error: unknown) => this.#finish(failed(error)),
    );
  }

  send(line: string): Promise<void> {
    if (this.#done || this.#broken) return quiet(Promise.reject(this.#closedError()));
    return quiet(this.#write(line));
  }

  pause(): void {
    this.#held ??= deferred();
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  close(): Promise<CloseReason> {
    this.#finish({ kind: "closed" });
    return this.closed;
  }

  async #write(line: string): Promise<void> {
    const written = this.#writer.write(this.#format.encode(line));
    this.#unwritten += line.length;
    const settle = (): void => this.#settle(line.length);
    written.then(settle, settle);
    if (this.#unwritten > FULL_CHARS) this.#room ??= deferred();
    try {
      // Closing settles both, as the Streams standard requires for the first.
      await this.#writer.ready;
      await this.#room?.promise;
    } catch (cause) {
      throw new ChannelClosedError({ cause });
    }
    if (this.#done || this.#broken) throw this.#closedError();
  }

  #settle(chars: number): void {
    this.#unwritten -= chars;
    if (this.#unwritten > FULL_CHARS) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  async #read(receive: (line: string) => void): Promise<void> {
    for (;;) {
      while (this.#held) await this.#held.promise;
      const { done, value } = await this.#reader.read();
      if (this.#done) return;
      for (const line of done ? this.#format.end() : this.#format.decode(value)) {
        // The receiver may have closed the channel.
        if (this.#done) return;
        receive(line);
      }
      if (done) return;
    }
  }

  /** The writable failed. Lines that the other side sent before are still delivered. */
  async #afterBreak(error: Error): Promise<void> {
    this.#broken = error;
    this.#room?.resolve();
    await Promise.race([this.#opened.promise, this.#closed.promise]);
    do {
      await this.#held?.promise;
    } while (!(await within(this.#closed.promise, LAST_LINES_MS)) && this.#isHeld());
    this.#finish(failed(error));
  }

  #isHeld(): boolean {
    return this.#held !== undefined;
  }

  #closedError(): ChannelClosedError {
    return new ChannelClosedError(this.#broken ? { cause: this.#broken } : {});
  }

  #finish(reason: CloseReason): void {
    if (this.#done) return;
    this.#done = true;
    this.#closed.resolve(reason);
    this.resume();
    this.#room?.resolve();
    this.#reader.cancel().catch(() => {});
    void quiet(this.#flush());
  }

  async #flush(): Promise<void> {
    if (!(await within(this.#writer.close(), FLUSH_MS))) await this.#writer.abort();
  }
}

/** A message that cannot be serialized as JSON becomes an empty line, which is not a message. */
function toLine(message: unknown): string {
  try {
    return JSON.stringify(message) ?? "";
  } catch {
    return "";
  }
}

function failed(error: unknown): CloseReason {
  return { kind: "failed", error: toError(error) };
}
