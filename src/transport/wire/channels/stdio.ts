import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { type Readable, Writable } from "node:stream";
import type { Channel } from "../channel.ts";
import { sanitizeJson } from "../../../base/index.ts";
import { StreamChannel, type StreamChannelOptions } from "./stream.ts";

const STDOUT_FD = 1;

/** How many open channels use stdout. */
let holders = 0;
let restoreStdout: () => void = () => {};

/**
 * Turns this process's stdin and stdout into a channel, and reserves stdout for it: until the channel
 * closes, everything else that the process prints (`console.log`, `process.stdout.write`) goes to
 * stderr. A child process that inherits file descriptor 1 and writes to it directly is not diverted.
 *
 * Node writes to a pipe on stdout synchronously, so a client that stops reading would block the whole
 * agent, and the agent could not even read `session/cancel`. A pipe is therefore opened a second
 * time, asynchronously. Bun writes to a pipe on stdout asynchronously, so it is used as it is. On a
 * terminal, control characters inside the messages are escaped.
 */
export function stdioChannel(options: StreamChannelOptions = {}): Channel {
  const { input, output, release } = reserveStdio();
  const channel = new StreamChannel(input, output, options);
  void channel.closed.then(release);
  return channel;
}

/** This process's stdin and stdout as streams of bytes, reserved in the same way. */
export interface ReservedStdio {
  readonly input: Readable;
  readonly output: Writable;
  readonly release: () => void;
}

/** Reserves stdin and stdout for bytes that are passed on as they are. */
export function reserveStdio(): ReservedStdio {
  const output = protocolOutput();
  divertStdout();
  return { input: process.stdin, output, release: releaseStdout };
}

function protocolOutput(): Writable {
  const stat = fstatSync(STDOUT_FD);
  const isPipe = stat.isFIFO() || stat.isSocket();
  // In Bun 1.4.4, a socket on descriptor 1 writes synchronously and fails with EAGAIN when the pipe is
  // full.
  if (isPipe && process.versions["bun"] === undefined) {
    return new Socket({ fd: STDOUT_FD, readable: false, writable: true });
  }
  return throughStdout(process.stdout);
}

/** Writes to stdout itself, with the method that it has before it is diverted. */
function throughStdout(stdout: NodeJS.WriteStream): Writable {
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      const isShown = stdout.isTTY && typeof chunk === "string";
      write(isShown ? sanitizeJson(chunk) : chunk, done);
    },
  });
  // The write that failed reports the error. Without a listener, the same error as an event would end
  // the process, even after the channel is closed.
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
  return output;
}

function ignore(): void {}

function divertStdout(): void {
  if (holders++ > 0) return;
  const stdout = process.stdout;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  stdout.write = process.stderr.write.bind(process.stderr);
  restoreStdout = () => {
    if (own) Object.defineProperty(stdout, "write", own);
    else Reflect.deleteProperty(stdout, "write");
  };
}

function releaseStdout(): void {
  if (--holders === 0) restoreStdout();
}
