import { deferred, quiet, toError, type Deferred } from "../async.ts";
import { ChannelClosedError, type Channel, type CloseReason } from "../channel.ts";
import { decodeLine } from "../lines/frames.ts";

/** A pair of WHATWG streams of parsed messages, the shape of the official SDK's transports. */
export interface MessageStream<Message = unknown> {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<Message>;
}

/** Turns a stream of messages (HTTP, WebSocket, another SDK's transport) into a channel. */
export function channelFromStream(stream: MessageStream): Channel {
  return new WebStreamChannel(stream);
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
        // The caller vouches for the type of the messages.
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

class WebStreamChannel implements Channel {
  readonly #closed = deferred<CloseReason>();
  readonly #reader: ReadableStreamDefaultReader<unknown>;
  readonly #writer: WritableStreamDefaultWriter<unknown>;
  #opened = false;
  #done = false;
  #resumed: Deferred<void> | undefined;

  constructor(stream: MessageStream) {
    this.#reader = stream.readable.getReader();
    this.#writer = stream.writable.getWriter();
    this.#writer.closed.catch((error: unknown) => this.#finish(failed(error)));
  }

  get closed(): Promise<CloseReason> {
    return this.#closed.promise;
  }

  open(receive: (line: string) => void): void {
    if (this.#opened) throw new Error("the channel is already open");
    this.#opened = true;
    void this.#read(receive).then(
      () => this.#finish({ kind: "ended" }),
      (error: unknown) => this.#finish(failed(error)),
    );
  }

  send(line: string): Promise<void> {
    if (this.#done) return quiet(Promise.reject(new ChannelClosedError()));
    return quiet(this.#write(line));
  }

  pause(): void {
    this.#resumed ??= deferred();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  close(): Promise<CloseReason> {
    this.#finish({ kind: "closed" });
    return this.closed;
  }

  async #write(line: string): Promise<void> {
    this.#writer.write(JSON.parse(line)).catch(() => {});
    try {
      // `close` settles it too, as the Streams standard requires.
      await this.#writer.ready;
    } catch (cause) {
      throw new ChannelClosedError({ cause });
    }
    if (this.#done) throw new ChannelClosedError();
  }

  async #read(receive: (line: string) => void): Promise<void> {
    for (;;) {
      while (this.#resumed) await this.#resumed.promise;
      const { done, value } = await this.#reader.read();
      if (done || this.#done) return;
      receive(toLine(value));
    }
  }

  #finish(reason: CloseReason): void {
    if (this.#done) return;
    this.#done = true;
    this.#closed.resolve(reason);
    this.resume();
    this.#reader.cancel().catch(() => {});
    this.#writer.close().catch(() => {});
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
