import { quietly, toError, unlessAborted } from "../async.ts";
import type { Channel } from "../channel.ts";
import { ConnectError } from "./address-errors.ts";
import {
  errorOfEvent,
  webSocketChannel,
  type WebSocketChannelOptions,
  type WebSocketLike,
} from "./websocket.ts";

/** Creates a WebSocket: the platform's class, or that of the `ws` package. */
export type WebSocketConstructor = new (url: string, protocols?: string[]) => WebSocketLike;

/** Options of {@link connectWebSocket}. */
export interface ConnectWebSocketOptions extends WebSocketChannelOptions {
  /** The class to use. Default: the platform's own. Node 20 has none. */
  readonly WebSocket?: WebSocketConstructor | undefined;
  /** The subprotocols to offer. */
  readonly protocols?: readonly string[] | undefined;
  /** Gives up connecting. It has no effect on a connection that was made. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to a WebSocket server and returns a channel, once the connection is made. Rejects with a
 * ConnectError that names the address without its query and password, with the signal's
 * reason, or with a TypeError if the platform has no WebSocket.
 */
export function connectWebSocket(
  url: string,
  options: ConnectWebSocketOptions = {},
): Promise<Channel> {
  return quietly(async () => {
    options.signal?.throwIfAborted();
    const Constructor = options.WebSocket ?? platformWebSocket();
    const socket = create(Constructor, url, options.protocols);
    const channel = webSocketChannel(socket, options);
    const connected = new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => reject(new ConnectError(shownAddress(url), error));
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", (event) => {
        fail(errorOfEvent(event) ?? new Error("the platform does not say why"));
      });
      socket.addEventListener("close", ({ code }) => fail(new Error(`closed with code ${code}`)));
    });
    try {
      await (options.signal ? unlessAborted(connected, options.signal) : connected);
    } catch (error) {
      void channel.close();
      throw error;
    }
    return channel;
  });
}

function create(
  Constructor: WebSocketConstructor,
  url: string,
  protocols: readonly string[] | undefined,
): WebSocketLike {
  try {
    return protocols ? new Constructor(url, [...protocols]) : new Constructor(url);
  } catch (error) {
    throw new ConnectError(shownAddress(url), toError(error));
  }
}

function platformWebSocket(): WebSocketConstructor {
  const found: { readonly WebSocket?: WebSocketConstructor | undefined } = globalThis;
  if (found.WebSocket) return found.WebSocket;
  throw new TypeError("this platform has no WebSocket; pass the class of the ws package");
}

/** The query and the password of an address may be secret. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return "an invalid address";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
