import type { ConnectWebSocketOptions } from "../../wire/index.ts";
import { HttpStatusError } from "../errors.ts";
import { keepAlive, PING_MS } from "./keep-alive.ts";

export interface SocketRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  /** The longest frame accepted, in bytes. */
  readonly maxPayload: number;
}

/**
 * The class and the subprotocols for a WebSocket. The class is that of the `ws` package: it can send
 * headers and it can be paused, unlike the platform's own, which Node 20 lacks. It sends pings, because a
 * connection without traffic may be lost unnoticed.
 */
export async function socketOptions({
  headers,
  protocols,
  maxPayload,
}: SocketRequest): Promise<Pick<ConnectWebSocketOptions, "WebSocket" | "protocols">> {
  const { WebSocket } = await import("ws");
  class RemoteSocket extends WebSocket {
    constructor(url: string, offered: string[] = []) {
      super(url, offered, {
        headers: { ...headers },
        maxPayload,
        perMessageDeflate: false,
        // A redirect would carry the token to another server.
        followRedirects: false,
      });
      this.once("open", () => keepAlive(this, PING_MS));
      // The error of the package has the status only in its text.
      this.once("unexpected-response", (_request, { statusCode = 0 }) => {
        this.emit("error", new HttpStatusError("WebSocket", statusCode, ""));
        this.terminate();
      });
    }
  }
  return { WebSocket: RemoteSocket, ...(protocols.length === 0 ? {} : { protocols }) };
}
