import type { Channel } from "../channel.ts";
import type { ReservedStdio } from "./stdio.ts";
import type { StreamChannelOptions } from "./stream.ts";

/** Throws an Error: this runtime has no stdin and stdout. */
export function stdioChannel(_options?: StreamChannelOptions): Channel {
  throw new Error("this runtime has no stdin and stdout: use another channel");
}

/** Throws an Error: this runtime has no stdin and stdout. */
export function reserveStdio(): ReservedStdio {
  throw new Error("this runtime has no stdin and stdout");
}
