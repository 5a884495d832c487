import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectNet, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import {
  type AgentDefinition,
  type Client,
  type CloseReason,
  listenSocket,
  nodeStreamChannel,
  serveAgents,
  type Turn,
  webSocketChannel,
  webSocketListener,
} from "../../src/entries/agent.ts";
import type { ListenerOptions } from "../../src/transport/wire/index.ts";
import type { Listener, SocketAddress } from "../../src/transport/wire/index.ts";
import { AcpClient, type Channel } from "../../src/entries/dragoman.ts";

let folder = "";
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-serve-"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  await rm(folder, { recursive: true });
});

/** A client's end of a connection, which a test can cut as if the client was killed. */
interface Line {
  readonly channel: Channel;
  kill(): void;
}

interface Server {
  readonly listener: Listener;
  readonly connect: () => Promise<Line>;
}

type Listen = (options?: ListenerOptions) => Promise<Server>;

async function onSocket(address: SocketAddress, options?: ListenerOptions): Promise<Server> {
  const listener = await listenSocket(address, options);
  return {
    listener,
    connect: async () => {
      const socket = connectNet({ host: "127.0.0.1", port: 0, ...listener.address });
      await once(socket, "connect");
      return { channel: nodeStreamChannel(socket, socket), kill: () => socket.destroy() };
    },
  };
}

async function onWebSocket(options?: ListenerOptions): Promise<Server> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    listener: webSocketListener(server, options),
    connect: () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`);
      return Promise.resolve({ channel: webSocketChannel(socket), kill: () => socket.terminate() });
    },
  };
}

const kinds: readonly (readonly [string, Listen])[] = [
  ["a TCP port", (options) => onSocket({ port: 0 }, options)],
  ["a Unix socket", (options) => onSocket({ path: join(folder, "socket") }, options)],
  ["a WebSocket server", onWebSocket],
];

interface State {
  prompts: number;
}

const nameOf = (client: Client | undefined): string => client?.info?.name ?? "unknown";

/** An agent that counts prompts. "wait" waits until the turn is cancelled; the others are answered. */
class CountingAgent {
  readonly left: string[] = [];
  readonly closedSessions: string[] = [];
  readonly cancelled: string[] = [];
  #wakeOnTurn: () => void = () => {};
  readonly waiting = new Promise<void>((resolve) => {
    this.#wakeOnTurn = resolve;
  });
  #onLeft: () => void = () => {};

  readonly definition: AgentDefinition<State> = {
    info: { name: "counter", version: "1.0.0" },
    newSession: () => ({ prompts: 0 }),
    prompt: (turn) => this.#prompt(turn),
    closeSession: (session) => void this.closedSessions.push(session.id),
    close: (reason: CloseReason, client) => {
      this.left.push(`${nameOf(client)} ${reason.kind}`);
      this.#onLeft();
    },
  };

  async untilLeft(count: number): Promise<readonly string[]> {
    while (this.left.length < count) {
      await new Promise<void>((resolve) => {
        this.#onLeft = resolve;
      });
    }
    return this.left;
  }

  async #prompt(turn: Turn<State>): Promise<void> {
    const name = nameOf(turn.client);
    turn.session.state.prompts++;
    if (turn.text === "wait") {
      const cancelled = new Promise<void>((resolve) => {
        turn.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      this.#wakeOnTurn();
      await cancelled;
      this.cancelled.push(name);
      return;
    }
    await turn.say(`${name}: ${turn.text} ${turn.session.state.prompts}`);
  }
}

/** Serves an agent until the test is over. */
function serve({ listener, connect }: Server) {
  const agent = new CountingAgent();
  const controller = new AbortController();
  const served = serveAgents(listener, agent.definition, { signal: controller.signal });
  cleanups.push(async () => {
    controller.abort();
    await served.catch(() => {});
  });
  const clientNamed = async (name: string): Promise<AcpClient> => clientOn(await connect(), name);
  return { agent, served, stop: () => controller.abort(), listener, connect, clientNamed };
}

async function clientOn(line: Line, name: string): Promise<AcpClient> {
  const client = await AcpClient.start({
    channel: line.channel,
    clientInfo: { name, version: "1" },
  });
  cleanups.push(() => client.close());
  return client;
}

describe.each(kinds)("an agent on %s", (_, listen) => {
  it("serves many clients at once, each with its own sessions", async () => {
    const { agent, clientNamed } = serve(await listen());
    const names = Array.from({ length: 12 }, (_each, n) => `client-${n}`);
    const answers = await Promise.all(
      names.map(async (name, n) => {
        const client = await clientNamed(name);
        const session = await client.newSession({ cwd: folder });
        for (let count = 0; count < n % 3; count++) await session.prompt("more").text();
        return await session.prompt("last").text();
      }),
    );
    expect(answers).toEqual(names.map((name, n) => `${name}: last ${(n % 3) + 1}`));
    expect(agent.left).toEqual([]);
  });

  it("says which client was killed during a turn, and goes on serving the others", async () => {
    const { agent, connect, clientNamed } = serve(await listen());
    const line = await connect();
    const [killed, other] = [await clientOn(line, "killed"), await clientNamed("other")];
    const session = await other.newSession({ cwd: folder });
    const lost = await killed.newSession({ cwd: folder });
    const turn = lost.prompt("wait").text();
    await agent.waiting;
    line.kill();
    await expect(turn).rejects.toThrow();
    const [left] = await agent.untilLeft(1);
    expect(left).toMatch(/^killed (ended|failed)$/);
    expect(agent.cancelled).toEqual(["killed"]);
    expect(agent.closedSessions).toEqual([lost.id]);
    expect(await session.prompt("still here").text()).toBe("other: still here 1");
  });

  it("ends every connection when its signal is aborted", async () => {
    const { agent, connect, clientNamed, served, stop } = serve(await listen());
    const clients = [await clientNamed("first"), await clientNamed("second")];
    const sessions = await Promise.all(clients.map((client) => client.newSession({ cwd: folder })));
    const turns = sessions.map((session) => session.prompt("wait").text());
    await agent.waiting;
    stop();
    const ends = await Promise.allSettled(turns);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await served;
    expect(agent.left.toSorted()).toEqual(["first closed", "second closed"]);
    expect(agent.closedSessions).toHaveLength(2);
    expect((await clients[0]?.closed)?.kind).toBe("ended");
    const late = await connect().catch(() => undefined);
    late?.channel.open(() => {});
    if (late) expect((await late.channel.closed).kind).toBe("failed");
  });

  it("lets clients finish when only its listener is closed", async () => {
    const { agent, listener, clientNamed, served } = serve(await listen());
    const client = await clientNamed("last");
    const session = await client.newSession({ cwd: folder });
    await listener.close();
    expect(await session.prompt("hello").text()).toBe("last: hello 1");
    await client.close();
    await served;
    expect(agent.left).toEqual(["last ended"]);
  });

  it("refuses clients above the limit of its listener", async () => {
    const { agent, connect, clientNamed } = serve(await listen({ maxConnections: 1 }));
    const first = await clientNamed("first");
    const { channel } = await connect();
    await expect(AcpClient.start({ channel })).rejects.toThrow();
    await first.close();
    await agent.untilLeft(1);
    const next = await clientNamed("next");
    const session = await next.newSession({ cwd: folder });
    expect(await session.prompt("hello").text()).toBe("next: hello 1");
  });
});

describe("serving many clients", () => {
  it("reports a client that left before it introduced itself", async () => {
    const { agent, connect } = serve(await onSocket({ port: 0 }));
    const { channel } = await connect();
    await channel.close();
    expect(await agent.untilLeft(1)).toEqual(["unknown ended"]);
  });

  it("logs an agent's close that fails, and serves the next client", async () => {
    const server = await onSocket({ port: 0 });
    const agent = new CountingAgent();
    const failure = new Error("close");
    let logged: (fields: unknown) => void = () => {};
    const log = new Promise((resolve) => {
      logged = resolve;
    });
    const controller = new AbortController();
    const definition = {
      ...agent.definition,
      close: () => {
        throw failure;
      },
    };
    const served = serveAgents(server.listener, definition, {
      signal: controller.signal,
      logger: { error: (_message, fields) => logged(fields) },
    });
    await (await clientOn(await server.connect(), "first")).close();
    expect(await log).toEqual({ error: failure });
    const second = await clientOn(await server.connect(), "second");
    const session = await second.newSession({ cwd: folder });
    expect(await session.prompt("hello").text()).toBe("second: hello 1");
    controller.abort();
    await served;
  });

  it("rejects with the error of a listener that fails", async () => {
    const first = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    cleanups.push(() => first.close());
    await once(first, "listening");
    const { port } = first.address() as AddressInfo;
    const second = webSocketListener(new WebSocketServer({ host: "127.0.0.1", port }));
    await expect(serveAgents(second, new CountingAgent().definition)).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  it("rejects an inconsistent definition before it accepts a client", async () => {
    const { listener } = await onSocket({ port: 0 });
    cleanups.push(() => listener.close());
    const definition = { ...new CountingAgent().definition, setMode: () => {} };
    await expect(serveAgents(listener, definition)).rejects.toBeInstanceOf(TypeError);
  });

  it("resolves at once if its signal is already aborted", async () => {
    const { listener, connect } = await onSocket({ port: 0 });
    await serveAgents(listener, new CountingAgent().definition, { signal: AbortSignal.abort() });
    await expect(connect()).rejects.toThrow("ECONNREFUSED");
  });
});
