import { type OptionNames, optionsFault, quietly } from "../../base/index.ts";
import { type Channel, connectWebSocket, DEFAULT_MAX_LINE_BYTES } from "../wire/index.ts";
import type { HttpChannelOptions } from "./http/channel.ts";
import { openHttp } from "./http/open-http.ts";
import { socketOptions } from "./websocket/node-socket.ts";

/** Options of {@link connectRemote}. */
export interface ConnectRemoteOptions extends HttpChannelOptions {
  /** Sent as `Authorization: Bearer TOKEN`. In a browser, a WebSocket sends it as a subprotocol. */
  readonly token?: string | undefined;
  /** More subprotocols to offer to a WebSocket server. */
  readonly protocols?: readonly string[] | undefined;
  /** Gives up connecting. It has no effect on a connection that was made. */
  readonly signal?: AbortSignal | undefined;
}

const CONNECT_OPTIONS: OptionNames<ConnectRemoteOptions> = {
  token: true,
  protocols: true,
  signal: true,
  headers: true,
  fetch: true,
  maxLineBytes: true,
  retry: true,
};

/**
 * Returns a channel to an agent at an address: over WebSocket for `ws:` and `wss:`, over streamable HTTP
 * for `http:` and `https:`. A WebSocket is connected then; HTTP sends nothing before `initialize`, which
 * must be the first message. Over HTTP, each open session holds a connection of its own.
 *
 * Rejects with a ConnectError, with the signal's reason, or with a TypeError if the address has another
 * scheme or contains a password, if a browser cannot send the headers, or for an unknown option.
 */
export function connectRemote(
  url: string | URL,
  options: ConnectRemoteOptions = {},
): Promise<Channel> {
  return quietly(async () => {
    const fault = optionsFault(options, CONNECT_OPTIONS, "connectRemote");
    if (fault !== undefined) throw new TypeError(fault);
    options.signal?.throwIfAborted();
    const address = remoteAddress(url);
    const { token, protocols = [], maxLineBytes = DEFAULT_MAX_LINE_BYTES, signal } = options;
    const headers = {
      ...options.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    if (address.protocol === "http:" || address.protocol === "https:") {
      return openHttp(address.href, { ...options, headers });
    }
    const socket = await socketOptions({ headers, protocols, maxPayload: maxLineBytes });
    return connectWebSocket(address.href, { ...socket, maxLineBytes, signal });
  });
}

const SCHEMES: ReadonlySet<string> = /* @__PURE__ */ new Set(["ws:", "wss:", "http:", "https:"]);

/** Pure: a checked address. Throws a TypeError, which does not quote the address. */
export function remoteAddress(url: string | URL): URL {
  if (!URL.canParse(String(url)))
    throw new TypeError("the address of the agent is not a valid URL");
  const address = new URL(url);
  if (!SCHEMES.has(address.protocol)) {
    throw new TypeError(
      `an agent's address begins with ws, wss, http or https, not ${address.protocol}`,
    );
  }
  if (address.username !== "" || address.password !== "") {
    throw new TypeError("an agent's address must not contain a password: use a token");
  }
  address.hash = "";
  return address;
}
