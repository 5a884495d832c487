import type { Channel } from "../../wire/index.ts";
import { HttpChannel, type HttpChannelOptions } from "./channel.ts";

/** A channel over streamable HTTP. Pages are often bundled into one file, which loads nothing later. */
export async function openHttp(url: string, options: HttpChannelOptions): Promise<Channel> {
  return new HttpChannel(url, options);
}
