import { bearerOf, type ConnectWebSocketOptions } from "../../wire/index.ts";
import type { SocketRequest } from "./node-socket.ts";
import { bearerProtocols } from "./subprotocols.ts";

/**
 * The subprotocols for the platform's WebSocket, which sends no headers: they carry the bearer token.
 * Rejects with a TypeError for other headers.
 */
export async function socketOptions({
  headers,
  protocols,
}: SocketRequest): Promise<Pick<ConnectWebSocketOptions, "WebSocket" | "protocols">> {
  const token = bearerOf(headers);
  if (Object.keys(headers).length > (token === undefined ? 0 : 1)) {
    throw new TypeError(
      "a browser sends no headers with a WebSocket except a bearer token: use an http or https address",
    );
  }
  const all = [...(token === undefined ? [] : bearerProtocols(token)), ...protocols];
  return all.length === 0 ? {} : { protocols: all };
}
