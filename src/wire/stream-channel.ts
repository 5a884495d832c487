import type { Readable, Writable } from "node:stream";
import type { Channel, CloseReason } from "./channel.ts";
import { LineReader } from "./reader.ts";
import { LineWriter } from "./writer.ts";

export interface StreamChannelOptions {
  /** Longest line accepted, in bytes; 64 MiB unless told. */
  readonly maxLineBytes?: number;
}

/** A channel over a pair of Node streams: a socket, or the two ends of a pipe. */
export class StreamChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #input: Readable;
  readonly #output: Writable;
  #settle: (reason: CloseReason) => void = () => {};
  #closing: Promise<CloseReason> | undefined;

  constructor(input: Readable, output: Writable, options: StreamChannelOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#reader = new LineReader(input, options.maxLineBytes);
    this.#writer = new LineWriter(output);
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  open(receive: (line: string) => void): void {
    void this.#reader
      .open((line) => {
        if (!this.#closing) receive(line);
      })
      .then((error) => this.#end(error ? { kind: "failed", error } : { kind: "ended" }));
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

  #end(reason: CloseReason): Promise<CloseReason> {
    this.#closing ??= this.#finish(reason);
    return this.#closing;
  }

  async #finish(reason: CloseReason): Promise<CloseReason> {
    this.#settle(reason);
    await this.#writer.end();
    this.#input.destroy();
    this.#output.destroy();
    return reason;
  }
}
