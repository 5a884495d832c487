import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  afterwards,
  AUTHORIZATION,
  cleanUp,
  INITIALIZE,
  requestLine,
  startServer,
  type TestServer,
  updateLine,
} from "../rig.ts";

afterEach(cleanUp);

interface TestSocket {
  readonly socket: WebSocket;
  readonly upgrade: IncomingMessage;
  /** The next frame. */
  readonly next: () => Promise<unknown>;
  /** Resolves with the code and the text when the connection is closed. */
  readonly closed: Promise<readonly [number, string]>;
}

async function open(server: TestServer, options: object = {}): Promise<TestSocket> {
  const socket = new WebSocket(server.webSocketUrl, { headers: AUTHORIZATION, ...options });
  afterwards(() => socket.terminate());
  const frames: unknown[] = [];
  let arrived = (): void => {};
  socket.on("message", (data: Buffer) => {
    frames.push(JSON.parse(data.toString()));
    arrived();
  });
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.on("close", (code, reason) => resolve([code, reason.toString()]));
  });
  const upgraded = once(socket, "upgrade") as Promise<[IncomingMessage]>;
  await once(socket, "open");
  const [upgrade] = await upgraded;
  return {
    socket,
    upgrade,
    closed,
    async next() {
      while (frames.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return frames.shift();
    },
  };
}

describe("a WebSocket", () => {
  it("gets the connection's id with the upgrade, and carries one message per frame", async () => {
    const server = await startServer();
    const { socket, upgrade, next } = await open(server);
    socket.send(INITIALIZE);
    expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    expect(upgrade.headers["acp-connection-id"]).toBe(server.channels[0]?.connectionId);
    expect(server.channels[0]).toMatchObject({
      access: "a-token-for-tests",
      transport: "websocket",
      address: "127.0.0.1",
    });
    socket.send(requestLine(2, "session/prompt", { sessionId: "s", updates: 1000 }));
    for (let n = 1; n <= 1000; n++) {
      expect(await next()).toMatchObject({ params: { update: { n } } });
    }
    expect(await next()).toMatchObject({ id: 2 });
    socket.close();
    expect(await server.channels[0]?.closed).toMatchObject({ kind: "ended" });
  });

  it("gets errors for frames that are not messages, and stays open", async () => {
    const server = await startServer();
    const { socket, next } = await open(server);
    socket.send(INITIALIZE);
    await next();
    socket.send("{");
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    socket.send(`[${requestLine(2, "session/new")}]`);
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    socket.send(requestLine("x".repeat(2000), "session/new"));
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    socket.send(requestLine(4, "session/new"));
    expect(await next()).toMatchObject({ id: 4 });
    expect(server.received).toHaveLength(2);
  });

  it("may send its messages in binary frames, with a line break at their end", async () => {
    const server = await startServer();
    const { socket, next } = await open(server);
    socket.send(Buffer.from(`${INITIALIZE}\n`));
    expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  });

  it("is closed with 1002 if the first message is not initialize", async () => {
    const server = await startServer();
    const { socket, next, closed } = await open(server);
    socket.send(requestLine(2, "session/new"));
    socket.send(INITIALIZE);
    expect(await next()).toMatchObject({ error: { code: -32600 } });
    expect(await closed).toEqual([1002, "the first message must be initialize"]);
    expect(server.received).toEqual([]);
  });

  it("is closed with 1002 if it never initializes", async () => {
    const server = await startServer({ limits: { initializeMs: 10 } });
    const { closed } = await open(server);
    expect(await closed).toEqual([1002, "initialize did not come in time"]);
  });

  it("is closed with 1008 if it is idle, or leaves too many requests unanswered", async () => {
    const server = await startServer({ limits: { idleMs: 10 } });
    expect(await (await open(server)).closed).toMatchObject([1008, /idle/]);
    const busy = await startServer({ limits: { maxPending: 2 } });
    const { socket, closed } = await open(busy);
    socket.send(INITIALIZE);
    for (let id = 2; id < 5; id++) socket.send(requestLine(id, "_never/answered"));
    expect(await closed).toMatchObject([1008, /unanswered/]);
  });

  it("is closed with 1009 for a frame that is too long", async () => {
    const server = await startServer({ limits: { maxMessageBytes: 1000 } });
    const { socket, closed } = await open(server);
    socket.send(`${INITIALIZE}${" ".repeat(1000)}`);
    expect(await closed).toMatchObject([1009, ""]);
  });

  it("is not compressed", async () => {
    const server = await startServer();
    const { socket } = await open(server, { perMessageDeflate: true });
    expect(socket.extensions).toBe("");
  });

  it("is cut off if it does not answer pings", async () => {
    const server = await startServer({ limits: { pingMs: 10 } });
    const { closed } = await open(server, { autoPong: false });
    expect(await closed).toEqual([1006, ""]);
  });

  it("is cut off if it does not read for the stall limit", async () => {
    const server = await startServer({ limits: { pingMs: 10, stallMs: 50 } });
    const { socket, next } = await open(server);
    socket.send(INITIALIZE);
    await next();
    // The frames have to wait in the sockets, and then in the server.
    socket.pause();
    const [channel] = server.channels;
    const flood = async (): Promise<void> => {
      for (;;) await channel?.send(updateLine("s", 1, "x".repeat(100_000)));
    };
    await expect(flood()).rejects.toThrow("closed");
    expect(await channel?.closed).toMatchObject({ kind: "failed" });
  });
});
