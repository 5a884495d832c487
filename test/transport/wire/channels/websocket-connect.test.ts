import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ConnectError } from "../../../../src/transport/wire/channels/listener.ts";
import {
  connectWebSocket,
  type WebSocketConstructor,
} from "../../../../src/transport/wire/channels/websocket.ts";
import { platformSocket } from "../web-socket-rigs.ts";

async function serve(): Promise<{ server: WebSocketServer; url: string }> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  await once(server, "listening");
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A TCP port: one that nothing listens on, or one that never answers. */
async function tcpPort(isOpen: boolean): Promise<number> {
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (isOpen) onTestFinished(() => void server.close());
  else server.close();
  return port;
}

const kinds: readonly (readonly [string, WebSocketConstructor | undefined])[] = [
  ["ws", WebSocket],
  ...(platformSocket ? ([["the platform", undefined]] as const) : []),
];

describe.each(kinds)("connecting with the WebSocket of %s", (_, Constructor) => {
  const options = { WebSocket: Constructor };

  it("resolves once the connection is made, and loses no early message", async () => {
    const { server, url } = await serve();
    server.on("connection", (socket) => socket.send("early"));
    const channel = await connectWebSocket(url, options);
    expect(await new Promise((resolve) => channel.open(resolve))).toBe("early");
    expect(await channel.close()).toEqual({ kind: "closed" });
  });

  it("offers subprotocols", async () => {
    const { server, url } = await serve();
    const connection = once(server, "connection") as Promise<[WebSocket]>;
    const channel = await connectWebSocket(url, { ...options, protocols: ["acp"] });
    const [socket] = await connection;
    expect(socket.protocol).toBe("acp");
    await channel.close();
  });

  it("rejects with an error that names the address without its secrets", async () => {
    const address = `127.0.0.1:${await tcpPort(false)}`;
    const error = await connectWebSocket(`ws://${address}/acp?token=secret`, options).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ address: `ws://${address}/acp` });
    expect((error as Error).message).toContain(`could not connect to ws://${address}/acp: `);
    expect((error as Error).message).not.toContain("secret");
  });

  it("rejects for an address that is not valid", async () => {
    await expect(connectWebSocket("nonsense", options)).rejects.toBeInstanceOf(ConnectError);
  });

  it("rejects with the reason of a signal that is aborted", async () => {
    const url = `ws://127.0.0.1:${await tcpPort(true)}`;
    const reason = new Error("enough");
    const aborted = AbortSignal.abort(reason);
    await expect(connectWebSocket(url, { ...options, signal: aborted })).rejects.toBe(reason);
    const controller = new AbortController();
    const connecting = connectWebSocket(url, { ...options, signal: controller.signal });
    controller.abort(reason);
    await expect(connecting).rejects.toBe(reason);
  });
});

describe.skipIf(platformSocket)("a platform without a WebSocket", () => {
  it("says what to do", async () => {
    await expect(connectWebSocket("ws://127.0.0.1:1")).rejects.toThrow("ws package");
  });
});
