import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer, type ClientOptions } from "ws";
import type { Channel } from "../../../../src/transport/wire/channel.ts";
import type { Listener } from "../../../../src/transport/wire/channels/listener.ts";
import {
  webSocketListener,
  type WebSocketListenerOptions,
} from "../../../../src/transport/wire/channels/websocket-listener.ts";

interface Serving {
  readonly listener: Listener;
  readonly server: WebSocketServer;
  readonly connect: (options?: ClientOptions) => WebSocket;
}

async function serving(options?: WebSocketListenerOptions): Promise<Serving> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const listener = webSocketListener(server, options);
  onTestFinished(() => listener.close());
  return {
    listener,
    server,
    connect: (clientOptions) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, clientOptions);
      onTestFinished(() => socket.terminate());
      return socket;
    },
  };
}

/** Lets the listener echo every line, with the number of the connection. */
function echo(listener: Listener): Channel[] {
  const channels: Channel[] = [];
  listener.open((channel) => {
    const number = channels.push(channel);
    onTestFinished(async () => void (await channel.close()));
    channel.open((line) => void channel.send(`${number} ${line}`));
  });
  return channels;
}

async function ask(socket: WebSocket): Promise<string> {
  if (socket.readyState === WebSocket.CONNECTING) await once(socket, "open");
  socket.send("hello");
  const [data] = (await once(socket, "message")) as [Buffer];
  return data.toString();
}

async function closeFrame(socket: WebSocket): Promise<unknown[]> {
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  return [code, reason.toString()];
}

describe("a WebSocket listener", () => {
  it("gives each connection a channel of its own", async () => {
    const { listener, connect } = await serving();
    echo(listener);
    expect(await ask(connect())).toBe("1 hello");
    expect(await ask(connect())).toBe("2 hello");
  });

  it("hands over connections and lines from before it was opened", async () => {
    const { listener, server, connect } = await serving();
    const socket = connect();
    const answer = ask(socket);
    await once(server, "connection");
    echo(listener);
    expect(await answer).toBe("1 hello");
    expect(() => listener.open(() => {})).toThrow("already open");
  });

  it("refuses connections above its limit, and accepts again when one has ended", async () => {
    const { listener, connect } = await serving({ maxConnections: 1 });
    const channels = echo(listener);
    const first = connect();
    expect(await ask(first)).toBe("1 hello");
    expect(await closeFrame(connect())).toEqual([1013, "too many connections"]);
    first.close();
    await channels[0]?.closed;
    expect(await ask(connect())).toBe("2 hello");
  });

  it.each([
    ["no origin, as programs other than browsers", undefined, undefined, true],
    ["a web page, by default", "https://evil.example", undefined, false],
    ["a listed web page", "https://good.example", ["https://good.example"], true],
    ["a web page that is not listed", "https://evil.example", ["https://good.example"], false],
    ["any web page", "https://evil.example", "any", true],
  ] as const)("checks the origin: %s", async (_, origin, origins, isAllowed) => {
    const { listener, connect } = await serving({ origins });
    echo(listener);
    const socket = connect({ origin });
    if (isAllowed) expect(await ask(socket)).toBe("1 hello");
    else {
      expect(await closeFrame(socket)).toEqual([1008, "web pages of this origin may not connect"]);
    }
  });

  it("keeps its channels when it is closed, and accepts no more", async () => {
    const { listener, connect } = await serving();
    echo(listener);
    const socket = connect();
    expect(await ask(socket)).toBe("1 hello");
    await listener.close();
    expect(await listener.closed).toBeUndefined();
    expect(await ask(socket)).toBe("1 hello");
    const [error] = (await once(connect(), "error")) as [Error];
    expect(error.message).toContain("ECONNREFUSED");
  });

  it("leaves a shared HTTP server running", async () => {
    const http = createServer((_, response) => response.end("hello"));
    onTestFinished(() => void http.close());
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const listener = webSocketListener(new WebSocketServer({ server: http }));
    await listener.close();
    const { port } = http.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("hello");
  });

  it("reports a server that cannot listen", async () => {
    const { server } = await serving();
    const { port } = server.address() as AddressInfo;
    const second = webSocketListener(new WebSocketServer({ host: "127.0.0.1", port }));
    expect(await second.closed).toMatchObject({ code: "EADDRINUSE" });
  });
});
