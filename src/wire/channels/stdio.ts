import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { Channel } from "../channel.ts";
import { StreamChannel, type StreamChannelOptions } from "./stream.ts";

const STDOUT_FD = 1;

/**
 * This process's own stdin and stdout as a channel: what an agent talks through.
 *
 * Node writes to a pipe on stdout synchronously, so a client that stops reading would block the
 * whole agent, its reading of `session/cancel` included. The pipe is therefore opened a second time,
 * asynchronously.
 */
export function stdioChannel(options: StreamChannelOptions = {}): Channel {
  return new StreamChannel(process.stdin, asynchronousStdout(), options);
}

function asynchronousStdout(): Writable {
  const stat = fstatSync(STDOUT_FD);
  if (!stat.isFIFO() && !stat.isSocket()) return process.stdout;
  return new Socket({ fd: STDOUT_FD, readable: false, writable: true });
}
