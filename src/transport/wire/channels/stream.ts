import type { Channel, CloseReason } from "../channel.ts";
import { LineReader, type NodeReadable, type NodeWritable, LineWriter } from "../lines/streams.ts";
import { deferred, within } from "../../../base/index.ts";

/** Options of a channel over Node streams. */
export interface StreamChannelOptions {
  /** Longest line accepted, in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
}

/** Last resort: how long to wait for the last lines to be written if the other side does not read. */
const FLUSH_MS = 1000;

/**
 * Turns Node streams of bytes into a channel of lines, each ended by a newline. For a duplex stream,
 * such as a TLS socket, pass it twice. The channel destroys both streams when it closes.
 */
export function nodeStreamChannel(
  input: NodeReadable,
  output: NodeWritable,
  options: StreamChannelOptions = {},
): Channel {
  return new StreamChannel(input, output, options);
}

/** A channel over a pair of Node streams: a socket, or the two ends of a pipe. */
export class StreamChannel implements Channel {
  readonly #closed = deferred<CloseReason>();
  readonly closed = this.#closed.promise;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #input: NodeReadable;
  readonly #output: NodeWritable;
  #closing: Promise<CloseReason> | undefined;

  constructor(input: NodeReadable, output: NodeWritable, options: StreamChannelOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#reader = new LineReader(input, options.maxLineBytes);
    this.#writer = new LineWriter(output, (error) => void this.#afterBreak(error));
  }

  open(receive: (line: string) => void): void {
    void this.#reader.open(receive).then((error) => this.#end(reasonFor(error)));
  }

  send(line: string): Promise<void> {
    return this.#writer.send(line);
  }

  pause(): void {
    this.#reader.pause();
  }

  resume(): void {
    this.#reader.resume();
  }

  close(): Promise<CloseReason> {
    return this.#end({ kind: "closed" });
  }

  /** The output broke. Lines that the other side sent before are still delivered. */
  async #afterBreak(error: Error): Promise<void> {
    await this.#reader.drained();
    void this.#end({ kind: "failed", error });
  }

  #end(reason: CloseReason): Promise<CloseReason> {
    this.#closing ??= this.#finish(reason);
    return this.#closing;
  }

  async #finish(reason: CloseReason): Promise<CloseReason> {
    this.#closed.resolve(reason);
    this.#reader.discard();
    await within(this.#writer.end(), FLUSH_MS);
    this.#input.destroy();
    this.#output.destroy();
    return reason;
  }
}

function reasonFor(error: Error | undefined): CloseReason {
  return error ? { kind: "failed", error } : { kind: "ended" };
}
