import type { Channel } from "../../transport/wire/index.ts";

/** The id of the process behind a channel; undefined if there is none on this machine. */
export function processIdOf(channel: Channel): number | undefined {
  return "pid" in channel && typeof channel.pid === "number" ? channel.pid : undefined;
}
