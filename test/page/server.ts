// A web server on loopback with the page, and the demo agent behind a WebSocket.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { demoAgent } from "../../src/demo/agent.ts";
import { serveAgent } from "../../src/entries/agent.ts";
import { webSocketChannel } from "../../src/entries/wire.ts";
import type { CloseReason } from "../../src/entries/wire.ts";

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>page</title><script type="module" src="/page.js"></script>';

export interface PageServer {
  /** The address of the page. */
  readonly page: string;
  /** How the connections so far ended for the agent. */
  readonly ended: Promise<CloseReason>[];
  /** Drops all connections without a goodbye. */
  drop(): void;
  close(): Promise<void>;
}

export async function servePage(files: ReadonlyMap<string, string>): Promise<PageServer> {
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const script = files.get(path);
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(path === "/" ? PAGE : script);
  });
  const sockets = new WebSocketServer({ server, path: "/agent" });
  const ended: Promise<CloseReason>[] = [];
  sockets.on("connection", (socket) => {
    const agent = demoAgent({ version: "0.0.0-test", exit: () => socket.terminate() });
    ended.push(serveAgent(webSocketChannel(socket), agent));
  });
  const port = await listen(server);
  return {
    page: `http://127.0.0.1:${port}/`,
    ended,
    drop: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}
