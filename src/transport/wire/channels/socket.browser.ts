import { quietly } from "../../../base/index.ts";
import type { Channel } from "../channel.ts";
import { ConnectError, ListenError } from "./listener.ts";
import type {
  ConnectSocketOptions,
  ListenSocketOptions,
  SocketAddress,
  SocketListener,
} from "./socket.ts";

/** Rejects with ConnectError: this runtime has no sockets. */
export function connectSocket(
  address: SocketAddress,
  _options?: ConnectSocketOptions,
): Promise<Channel> {
  return quietly(async () => {
    throw new ConnectError(describeAddress(address), noSockets());
  });
}

/** Rejects with ListenError: this runtime has no sockets. */
export function listenSocket(
  address: SocketAddress,
  _options?: ListenSocketOptions,
): Promise<SocketListener> {
  return quietly(async () => {
    throw new ListenError(describeAddress(address), noSockets());
  });
}

function noSockets(): Error {
  return new Error("this runtime has no sockets: use a WebSocket");
}

function describeAddress(address: SocketAddress): string {
  return "path" in address ? address.path : `${address.host ?? "127.0.0.1"}:${address.port}`;
}
