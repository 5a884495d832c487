import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Channel } from "../../../../src/transport/wire/channel.ts";
import { ConnectError, ListenError } from "../../../../src/transport/wire/channels/listener.ts";
import {
  connectSocket,
  listenSocket,
  type ListenSocketOptions,
  type SocketAddress,
  type SocketListener,
} from "../../../../src/transport/wire/channels/socket.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-socket-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function listening(
  address: SocketAddress,
  options?: ListenSocketOptions,
): Promise<SocketListener> {
  const listener = await listenSocket(address, options);
  onTestFinished(() => listener.close());
  return listener;
}

async function connected(address: SocketAddress): Promise<Channel> {
  const channel = await connectSocket(address);
  onTestFinished(async () => void (await channel.close()));
  return channel;
}

/** The next `count` connections of a listener. */
function accepted(listener: SocketListener, count: number): Promise<Channel[]> {
  return new Promise((resolve) => {
    const channels: Channel[] = [];
    listener.open((channel) => {
      onTestFinished(async () => void (await channel.close()));
      if (channels.push(channel) === count) resolve(channels);
    });
  });
}

const kinds: readonly (readonly [string, () => SocketAddress])[] = [
  ["TCP port", () => ({ port: 0 })],
  ["Unix socket", () => ({ path: join(folder, "socket") })],
];

describe.each(kinds)("a listener on a %s", (_, address) => {
  it("gives each connection a channel of its own", async () => {
    const listener = await listening(address());
    const served = accepted(listener, 2);
    const clients = [await connected(listener.address), await connected(listener.address)];
    const [first, second] = await served;
    first?.open((line) => void first.send(`first ${line}`));
    second?.open((line) => void second.send(`second ${line}`));
    const answers = clients.map((client) => new Promise((resolve) => client.open(resolve)));
    for (const client of clients) await client.send("hello");
    expect(await Promise.all(answers)).toEqual(["first hello", "second hello"]);
  });

  it("hands over connections that were made before it was opened", async () => {
    const listener = await listening(address());
    const client = await connected(listener.address);
    await client.send("early");
    const [served] = await accepted(listener, 1);
    expect(await new Promise((resolve) => served?.open(resolve))).toBe("early");
    expect(() => listener.open(() => {})).toThrow("already open");
  });

  it("refuses connections above its limit, and accepts again when one has ended", async () => {
    const listener = await listening(address(), { maxConnections: 1 });
    const served: Channel[] = [];
    let wake = (): void => {};
    listener.open((channel) => {
      channel.open(() => {});
      served.push(channel);
      wake();
    });
    const first = await connected(listener.address);
    const refused = await connected(listener.address);
    refused.open(() => {});
    expect((await refused.closed).kind).not.toBe("closed");
    expect(served).toHaveLength(1);
    await first.close();
    await served[0]?.closed;
    const again = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await connected(listener.address);
    await again;
    expect(served).toHaveLength(2);
  });

  it("keeps its channels when it is closed, and frees its address", async () => {
    const listener = await listening(address());
    const client = await connected(listener.address);
    const [served] = await accepted(listener, 1);
    await listener.close();
    expect(await listener.closed).toBeUndefined();
    await expect(connectSocket(listener.address)).rejects.toBeInstanceOf(ConnectError);
    await listening(listener.address);
    const line = new Promise((resolve) => served?.open(resolve));
    await client.send("still here");
    expect(await line).toBe("still here");
  });

  it("closes connections that were never handed over", async () => {
    const listener = await listening(address());
    const client = await connected(listener.address);
    client.open(() => {});
    await client.send("early");
    await listener.close();
    expect((await client.closed).kind).not.toBe("closed");
  });

  it("rejects with an error that names an address in use", async () => {
    const { address: taken } = await listening(address());
    const shown = "path" in taken ? taken.path : `127.0.0.1:${taken.port}`;
    const error = await listenSocket(taken).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ address: shown, systemCode: "EADDRINUSE" });
    expect((error as Error).message).toContain(`could not listen on ${shown}: `);
  });
});

describe("a Unix socket", () => {
  it("is open to its owner only", async () => {
    const path = join(folder, "socket");
    await listening({ path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe("connecting", () => {
  it.each(kinds)("rejects with an error that names a %s nothing listens on", async (_, address) => {
    const listener = await listenSocket(address());
    await listener.close();
    const { address: gone } = listener;
    const shown = "path" in gone ? gone.path : `127.0.0.1:${gone.port}`;
    const error = await connectSocket(gone).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({
      address: shown,
      systemCode: "path" in gone ? "ENOENT" : "ECONNREFUSED",
      message: expect.stringContaining(`could not connect to ${shown}: `) as string,
    });
  });

  it("names every cause if a host has several addresses", () => {
    const cause = new AggregateError([
      new Error("refused by ::1"),
      new Error("refused by 127.0.0.1"),
    ]);
    expect(new ConnectError("localhost:1", cause).message).toBe(
      "could not connect to localhost:1: refused by ::1; refused by 127.0.0.1",
    );
  });

  it("rejects with the reason of a signal that is aborted", async () => {
    const { address } = await listening({ port: 0 });
    const reason = new Error("enough");
    await expect(connectSocket(address, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    const controller = new AbortController();
    const connecting = connectSocket(address, { signal: controller.signal });
    controller.abort(reason);
    await expect(connecting).rejects.toBe(reason);
  });

  it("delivers the lines of the other side when it ends its half of the connection", async () => {
    const listener = await listening({ port: 0 });
    const served = accepted(listener, 1);
    if ("path" in listener.address) throw new Error("not a port");
    const peer = connect({ host: "127.0.0.1", port: listener.address.port, allowHalfOpen: true });
    onTestFinished(() => void peer.destroy());
    await once(peer, "connect");
    const [channel] = await served;
    const lines: string[] = [];
    channel?.open((line) => lines.push(line));
    peer.end("1\n2");
    expect(await channel?.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(["1", "2"]);
  });
});
