import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import type { Channel } from "../channel.ts";
import { sanitiseJson } from "../terminal-text.ts";
import { StreamChannel, type StreamChannelOptions } from "./stream.ts";

const STDOUT_FD = 1;

/** How many open channels use stdout. */
let holders = 0;
let restoreStdout: () => void = () => {};

/**
 * Turns this process's stdin and stdout into a channel, and reserves stdout for it: until the channel
 * closes, everything else that prints (`console.log`, `process.stdout.write`) goes to stderr. A child
 * process that inherits file descriptor 1 and writes to it directly is not diverted.
 *
 * Node writes to a pipe on stdout synchronously, so a client that stops reading would block the whole
 * agent, and the agent could not even read `session/cancel`. A pipe is therefore opened a second
 * time, asynchronously. On a terminal, text inside the messages cannot act on it.
 */
export function stdioChannel(options: StreamChannelOptions = {}): Channel {
  const channel = new StreamChannel(process.stdin, protocolOutput(), options);
  divertStdout();
  void channel.closed.then(releaseStdout);
  return channel;
}

function protocolOutput(): Writable {
  const stat = fstatSync(STDOUT_FD);
  if (stat.isFIFO() || stat.isSocket()) {
    return new Socket({ fd: STDOUT_FD, readable: false, writable: true });
  }
  // For a file or a terminal, keep the original method before it is diverted.
  const write = process.stdout.write.bind(process.stdout);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      const isShown = process.stdout.isTTY && typeof chunk === "string";
      write(isShown ? sanitiseJson(chunk) : chunk, done);
    },
  });
}

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
