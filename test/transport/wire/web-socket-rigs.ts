// Rigs for channels over WebSocket. The far side is always the `ws` package's socket.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import {
  webSocketChannel,
  type WebSocketChannelOptions,
  type WebSocketLike,
} from "../../../src/transport/wire/channels/websocket.ts";
import type { Rig, RigKind } from "./rigs.ts";

export interface SocketPair {
  readonly near: WebSocketLike;
  readonly far: WebSocket;
  readonly url: string;
}

/** A WebSocket server on loopback, which serves one connection. */
async function listening(): Promise<{ server: WebSocketServer; url: string }> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The near side connects. */
export async function connected(connect: (url: string) => WebSocketLike): Promise<SocketPair> {
  const { server, url } = await listening();
  const near = connect(url);
  const [far] = (await once(server, "connection")) as [WebSocket];
  server.close();
  if (near.readyState === 0) {
    await new Promise<void>((resolve) => near.addEventListener("open", resolve));
  }
  return { near, far, url };
}

/** The near side is the server's. */
export async function accepted(): Promise<SocketPair> {
  const { server, url } = await listening();
  const far = new WebSocket(url);
  const [[near]] = (await Promise.all([once(server, "connection"), once(far, "open")])) as [
    [WebSocket],
    unknown,
  ];
  server.close();
  return { near, far, url };
}

/** The platform's WebSocket, on Node 22 and newer. */
export const platformSocket = (globalThis as { WebSocket?: new (url: string) => WebSocketLike })
  .WebSocket;

export const socketKinds: readonly (readonly [string, () => Promise<SocketPair>])[] = [
  ["WebSocket client of the ws package", () => connected((url) => new WebSocket(url))],
  ["WebSocket server of the ws package", accepted],
  ...(platformSocket
    ? ([["WebSocket of the platform", () => connected((url) => new platformSocket(url))]] as const)
    : []),
];

/** A text frame as a string. */
function textOf(data: WebSocket.RawData): string {
  return (data as Buffer).toString();
}

function rigOf(
  { near, far }: SocketPair,
  options?: WebSocketChannelOptions,
): Omit<Rig, "farReceived"> {
  return {
    channel: webSocketChannel(near, options),
    farSend: async (...lines) => {
      const send = (line: string): Promise<void> =>
        new Promise((resolve) => {
          far.send(line, () => resolve());
        });
      await Promise.all(lines.map(send));
    },
    farLeave: async () => {
      far.close(1000, "bye");
      // A near side that does not read does not answer, so the far side is gone once it has written.
      while (far.bufferedAmount > 0) await new Promise(setImmediate);
    },
    kindAfterLeave: "ended",
  };
}

const never = new Promise<never>(() => {});

export const webSockets: readonly RigKind[] = socketKinds.map(([name, pair]) => ({
  name,
  echoing: async () => {
    const sockets = await pair();
    const farReceived = new Promise<string>((resolve) => {
      sockets.far.on("message", (data) => {
        resolve(textOf(data));
        sockets.far.send(textOf(data));
      });
    });
    return { ...rigOf(sockets), farReceived };
  },
  notReading: async () => {
    const sockets = await pair();
    sockets.far.pause();
    return {
      ...rigOf(sockets),
      farLeave: async () => {
        sockets.far.terminate();
        await once(sockets.far, "close");
      },
      kindAfterLeave: "failed",
      farReceived: never,
    };
  },
}));
