// A web server on loopback with the page, and the demo agent behind a WebSocket and a remote endpoint.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { demoAgent } from "../../src/apps/demo-agent/agent.ts";
import { serveAgents } from "../../src/entries/agent.ts";
import { remoteEndpoint } from "../../src/transport/remote/index.ts";
import { type CloseReason, webSocketListener } from "../../src/entries/wire.ts";

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>page</title><script type="module" src="/page.js"></script>';

export type PageServer = Awaited<ReturnType<typeof servePage>>;

/** Serves the page, and scripts by their paths. */
export async function servePage(scripts: ReadonlyMap<string, string>) {
  const token = "a/token+for~pages=";
  const allowed: string[] = [];
  const endpoint = remoteEndpoint({
    authorize: (request) => (request.token === token ? "page" : undefined),
    hosts: ["127.0.0.1"],
    origins: allowed,
  });
  const server = createServer((request, response) => {
    if (request.url === "/acp") return void endpoint.handle(request, response);
    const script = scripts.get(request.url ?? "/");
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? PAGE);
    return undefined;
  });
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  allowed.push(origin);
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (request.url === "/acp") return void endpoint.upgrade(request, socket, head);
    sockets.handleUpgrade(request, socket, head, (accepted) =>
      sockets.emit("connection", accepted, request),
    );
    return undefined;
  });
  const drop = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  let onEnd: (reason: CloseReason) => void = () => {};
  const served = serveAgents(webSocketListener(sockets, { origins: [origin] }), {
    ...demoAgent({ version: "0.0.0-test", exit: drop }),
    close: (reason) => onEnd(reason),
  });
  const remote = serveAgents(endpoint, demoAgent({ version: "0.0.0-test", exit: drop }));
  return {
    /** For the remote endpoint. */
    token,
    /** The address of the page. */
    page: `${origin}/`,
    /** The same page from an origin that may not connect to the agent. */
    stranger: `http://localhost:${port}/`,
    /** Resolves with the reason when a connection ends for the agent. */
    nextEnd: () =>
      new Promise<CloseReason>((resolve) => {
        onEnd = resolve;
      }),
    /** Drops all connections without a close frame. */
    drop,
    async close(): Promise<void> {
      sockets.close();
      drop();
      await Promise.all([served, endpoint.close(), remote]);
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
