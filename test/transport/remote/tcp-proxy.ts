// A TCP proxy on loopback that can drop every connection.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";
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
    // Servers check the name and port that a request is for.
    const rename = new Transform({
      transform(piece: Buffer, _encoding, done) {
        const text = piece
          .toString("latin1")
          .replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${target}`);
        done(null, Buffer.from(text, "latin1"));
      },
    });
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
    }
    client.pipe(rename).pipe(upstream);
    upstream.pipe(client);
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  afterwards(() => {
    drop();
    server.close();
  });
  return {
    port,
    drop,
    refuse: (value) => {
      isRefusing = value;
    },
  };
}
