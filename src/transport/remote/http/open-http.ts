import type { Channel } from "../../wire/index.ts";
import type { HttpChannelOptions } from "./channel.ts";

/** A channel over streamable HTTP. Its code is loaded here, because most programs never need it. */
export async function openHttp(url: string, options: HttpChannelOptions): Promise<Channel> {
  const { HttpChannel } = await import("./channel.ts");
  return new HttpChannel(url, options);
}
