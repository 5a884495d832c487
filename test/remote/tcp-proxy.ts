// A TCP proxy on loopback that can drop every connection.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterwards } from "./rig.ts";

export interface TcpProxy {
  readonly port: number;
  /** Drops every connection, without any ceremony. */
  drop(): void;
  /** From now on, new connections are dropped too; or no longer. */
  refuse(isRefusing: boolean): void;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((client) => {
    if (isRefusing) return client.resetAndDestroy();
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  afterwards(() => {
    drop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    drop,
    refuse: (value) => {
      isRefusing = value;
    },
  };
}
