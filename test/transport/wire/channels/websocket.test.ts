import { once } from "node:events";
import { createHash } from "node:crypto";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import {
  ChannelClosedError,
  describeClose,
  type Channel,
} from "../../../../src/transport/wire/channel.ts";
import {
  LINE_OVERHEAD,
  UnreadLimitError,
} from "../../../../src/transport/wire/channels/queued-channel.ts";
import {
  webSocketChannel,
  WebSocketError,
  type WebSocketChannelOptions,
  type WebSocketLike,
} from "../../../../src/transport/wire/channels/websocket.ts";
import { LineTooLongError } from "../../../../src/transport/wire/lines/limit.ts";
import {
  accepted,
  connected,
  platformSocket,
  socketKinds,
  type SocketPair,
} from "../web-socket-rigs.ts";

interface Opened extends SocketPair {
  readonly channel: Channel;
  readonly lines: string[];
  /** The close frame that the far side receives. */
  readonly farClosed: Promise<{ code: number; reason: string }>;
}

/** A channel over one end of a real connection, already open. */
async function opened(
  pair: () => Promise<SocketPair> = accepted,
  options: WebSocketChannelOptions = {},
): Promise<Opened> {
  const sockets = await pair();
  const channel = webSocketChannel(sockets.near, options);
  onTestFinished(async () => void (await channel.close()));
  const lines: string[] = [];
  channel.open((line) => lines.push(line));
  return { ...sockets, channel, lines, farClosed: farClosed(sockets.far) };
}

async function farClosed(far: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(far, "close")) as [number, Buffer];
  return { code, reason: reason.toString() };
}

/** A `ws` socket without the members that the platform's WebSocket lacks. */
function plain(socket: WebSocket): WebSocketLike {
  return new Proxy(socket, {
    get: (target, key) => {
      if (key === "pause" || key === "resume" || key === "terminate") return undefined;
      if (key === "send") return (data: string) => target.send(data);
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

async function plainPair(): Promise<SocketPair> {
  const { far, url, near } = await connected((address) => new WebSocket(address));
  return { near: plain(near as WebSocket), far, url };
}

describe.each(socketKinds)("a channel over the %s", (_, pair) => {
  it.each([
    ["a message", '{"a":1}', ['{"a":1}']],
    ["a message that ends in a line break", '{"a":1}\n', ['{"a":1}']],
    ["a message on several lines", '{\r\n  "a": 1\n}', ['{   "a": 1 }']],
    ["an empty frame", "", []],
    ["only line breaks", "\r\n\n", []],
    ["text that is not a message", "hello", ["hello"]],
  ])("turns %s into a line, or drops it", async (_name, frame, expected) => {
    const { far, channel, lines } = await opened(pair);
    far.send(frame);
    far.close();
    expect(await channel.closed).toMatchObject({ kind: "ended" });
    expect(lines).toEqual(expected);
  });

  it("sends each line as one text frame", async () => {
    const { far, channel } = await opened(pair);
    const frames: [string, boolean][] = [];
    far.on("message", (data: Buffer, isBinary: boolean) =>
      frames.push([data.toString(), isBinary]),
    );
    await channel.send('{"a":1}');
    await channel.send('{"é":"😀"}');
    await Promise.all([channel.close(), once(far, "close")]);
    expect(frames).toEqual([
      ['{"a":1}', false],
      ['{"é":"😀"}', false],
    ]);
  });

  it.each([
    ["binary data", Buffer.from("{}"), 4003, WebSocketError],
    ["a message over the limit", "x".repeat(101), 4009, LineTooLongError],
    ["a message whose bytes are over the limit", "€".repeat(40), 4009, LineTooLongError],
  ])("fails on %s, and tells the other side", async (_name, data, code, type) => {
    const { far, farClosed, channel, lines } = await opened(pair, { maxLineBytes: 100 });
    far.send("x".repeat(100));
    far.send("€".repeat(33));
    far.send(data);
    far.send("late");
    const reason = await channel.closed;
    expect(reason).toMatchObject({ kind: "failed", error: expect.any(type) as Error });
    expect(await farClosed).toMatchObject({ code, reason: expect.stringMatching(/./) as string });
    expect(lines).toHaveLength(2);
    await expect(channel.send("{}")).rejects.toBeInstanceOf(ChannelClosedError);
  });

  it.each([
    [1000, "done", "ended"],
    [1001, "", "ended"],
    [undefined, "", "ended"],
    [1011, "out of tokens", "failed"],
    [4001, "try again", "failed"],
  ] as const)("reports the close code %s and its text %j as %s", async (code, text, kind) => {
    const { far, channel } = await opened(pair);
    if (code === undefined) far.close();
    else far.close(code, text);
    const reason = await channel.closed;
    const shown = code ?? 1005;
    expect(reason).toMatchObject(
      kind === "ended"
        ? { kind, code: shown, text }
        : { kind, error: { closeCode: shown, reason: text } },
    );
    expect(describeClose(reason)).toContain(`${shown}`);
    expect(describeClose(reason)).toContain(text);
  });

  it("fails when the connection is lost without a close frame", async () => {
    const { far, channel } = await opened(pair);
    far.terminate();
    expect(await channel.closed).toMatchObject({
      kind: "failed",
      error: { name: "WebSocketError", closeCode: 1006 },
    });
  });

  it("closes normally, with the code 1000", async () => {
    const { farClosed, channel } = await opened(pair);
    expect(await channel.close()).toEqual({ kind: "closed" });
    expect(await farClosed).toEqual({ code: 1000, reason: "" });
  });

  it("tells the other side that the receiver failed", async () => {
    const { near, far } = await pair();
    const channel = webSocketChannel(near);
    const seen = farClosed(far);
    channel.open(() => {
      throw new Error("receiver");
    });
    far.send("{}");
    expect(await channel.closed).toMatchObject({ kind: "failed" });
    expect(await seen).toMatchObject({ code: 4011 });
  });

  it("delivers the lines before a frame that it refuses, even if it was paused", async () => {
    const { far, channel, lines } = await opened(pair, { maxLineBytes: 10 });
    channel.pause();
    far.send("1");
    far.send("2");
    far.send("x".repeat(11));
    far.send("3");
    while (far.bufferedAmount > 0) await new Promise(setImmediate);
    channel.resume();
    expect(await channel.closed).toMatchObject({ kind: "failed" });
    expect(lines).toEqual(["1", "2"]);
  });
});

describe("a socket that is still connecting", () => {
  const Platform = platformSocket;
  const constructors: readonly (readonly [string, (url: string) => WebSocketLike])[] = [
    ["ws", (url) => new WebSocket(url)],
    ...(Platform ? ([["the platform", (url: string) => new Platform(url)]] as const) : []),
  ];

  it.each(constructors)("sends the lines once it is connected (%s)", async (_, connect) => {
    let sent: Promise<void>[] = [];
    let channel: Channel | undefined;
    const { far } = await connected((url) => {
      const socket = connect(url);
      channel = webSocketChannel(socket);
      onTestFinished(async () => void (await channel?.close()));
      sent = [channel.send("1"), channel.send("2")];
      return socket;
    });
    const frames: string[] = [];
    far.on("message", (data: Buffer) => frames.push(data.toString()));
    await Promise.all(sent);
    await Promise.all([channel?.close(), once(far, "close")]);
    expect(frames).toEqual(["1", "2"]);
  });

  it.each(constructors)("fails if it cannot connect (%s)", async (_, connect) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const channel = webSocketChannel(connect(`ws://127.0.0.1:${port}`));
    const sent = channel.send("1");
    channel.open(() => {});
    await expect(sent).rejects.toBeInstanceOf(ChannelClosedError);
    expect(await channel.closed).toMatchObject({ kind: "failed", error: { closeCode: 1006 } });
  });

  it.each(constructors)("can be closed (%s)", async (_, connect) => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const channel = webSocketChannel(connect(`ws://127.0.0.1:${port}`));
    const sent = channel.send("1");
    expect(await channel.close()).toEqual({ kind: "closed" });
    await expect(sent).rejects.toBeInstanceOf(ChannelClosedError);
  });
});

describe("a socket that was already closed", () => {
  it("fails the channel", async () => {
    const { near, far } = await accepted();
    far.terminate();
    await once(near as WebSocket, "close");
    const channel = webSocketChannel(near);
    channel.open(() => {});
    expect(await channel.closed).toMatchObject({ kind: "failed", error: { closeCode: 1006 } });
  });
});

describe("a socket that cannot be paused", () => {
  /** Two lines of ten characters. */
  const limit = 2 * (10 + LINE_OVERHEAD);

  it("keeps what arrives while the channel is paused, up to the limit", async () => {
    const { far, channel, lines } = await opened(plainPair, { maxUnreadBytes: limit });
    channel.pause();
    const sent = ["1234567890", "1234567890"];
    for (const line of sent) far.send(line);
    await until(() => far.bufferedAmount === 0);
    channel.resume();
    far.close();
    await channel.closed;
    expect(lines).toEqual(sent);
  });

  it("fails beyond the limit, frees what waits, and tells the other side", async () => {
    const { far, farClosed, channel, lines } = await opened(plainPair, { maxUnreadBytes: limit });
    channel.pause();
    for (let n = 0; n < 3; n++) far.send("1234567890");
    const reason = await channel.closed;
    expect(reason).toMatchObject({ kind: "failed", error: { limit } });
    expect(reason.kind === "failed" && reason.error).toBeInstanceOf(UnreadLimitError);
    expect(await farClosed).toMatchObject({ code: 4013 });
    expect(lines).toEqual([]);
  });

  it("accepts a single message that is longer than the limit", async () => {
    const { far, channel, lines } = await opened(plainPair, { maxUnreadBytes: 5 });
    channel.pause();
    far.send("1234567890");
    await until(() => far.bufferedAmount === 0);
    channel.resume();
    far.close();
    await channel.closed;
    expect(lines).toEqual(["1234567890"]);
  });

  it("lets senders continue when the other side reads again", async () => {
    const { far, channel } = await opened(plainPair);
    far.pause();
    const line = "x".repeat(256 * 1024);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 200; sent++) await channel.send(line);
    })();
    let before = -1;
    while (sent !== before) {
      before = sent;
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(200);
    let received = 0;
    far.on("message", () => received++);
    far.resume();
    await sending;
    await Promise.all([channel.close(), once(far, "close")]);
    expect(received).toBe(200);
  });
});

describe("a half-open connection", () => {
  /** Completes the opening handshake by hand, and then neither reads nor answers. */
  async function silentPeer(): Promise<{ port: number; socket: Promise<Socket> }> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const socket = once(server, "connection").then(async (connection) => {
      const [peer] = connection as [Socket];
      const [request] = (await once(peer, "data")) as [Buffer];
      const key = /sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
      peer.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`,
      );
      peer.on("error", () => {});
      return peer;
    });
    return { port: (server.address() as AddressInfo).port, socket };
  }

  it("does not hold up close, and is ended", async () => {
    const { port, socket } = await silentPeer();
    const near = new WebSocket(`ws://127.0.0.1:${port}`);
    const channel = webSocketChannel(near);
    channel.open(() => {});
    await channel.send("{}");
    const peer = await socket;
    peer.resume();
    expect(await channel.close()).toEqual({ kind: "closed" });
    await until(() => near.readyState === WebSocket.CLOSED);
    peer.destroy();
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}
