import type { Channel } from "../channel.ts";
import type { NodeReadable, NodeWritable } from "../lines/streams.ts";
import type { StreamChannelOptions } from "./stream.ts";

/** Throws an Error: this runtime has no Node streams. */
export function nodeStreamChannel(
  _input: NodeReadable,
  _output: NodeWritable,
  _options?: StreamChannelOptions,
): Channel {
  throw new Error("this runtime has no Node streams: use byteStreamChannel");
}
