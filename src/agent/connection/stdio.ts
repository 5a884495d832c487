import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { type Channel, StreamChannel, type StreamChannelOptions } from "../../wire/index.ts";

const STDOUT_FD = 1;

/** How many channels hold stdout now. */
let holders = 0;
let giveBack: () => void = () => {};

/**
 * This process's stdin and stdout as the channel of an agent, with stdout kept for the protocol:
 * until the channel closes, whatever else prints (`console.log`, `process.stdout.write`) goes to
 * stderr. What writes to file descriptor 1 itself, such as a child that inherits it, is not caught.
 *
 * Node writes to a pipe on stdout synchronously, so a client that stops reading would block the
 * whole agent, its reading of `session/cancel` included. A pipe is therefore opened a second time,
 * asynchronously.
 */
export function stdioChannel(options: StreamChannelOptions = {}): Channel {
  const channel = new StreamChannel(process.stdin, protocolOutput(), options);
  takeStdout();
  void channel.closed.then(leaveStdout);
  return channel;
}

function protocolOutput(): Writable {
  const stat = fstatSync(STDOUT_FD);
  if (stat.isFIFO() || stat.isSocket()) {
    return new Socket({ fd: STDOUT_FD, readable: false, writable: true });
  }
  // A file or a terminal: the stream's own method, taken before it is diverted.
  const write = process.stdout.write.bind(process.stdout);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, done),
  });
}

function takeStdout(): void {
  if (holders++ > 0) return;
  const stdout = process.stdout;
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  stdout.write = process.stderr.write.bind(process.stderr);
  giveBack = () => {
    if (own) Object.defineProperty(stdout, "write", own);
    else Reflect.deleteProperty(stdout, "write");
  };
}

function leaveStdout(): void {
  if (--holders === 0) giveBack();
}
