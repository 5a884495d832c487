import { afterEach, expect } from "vitest";
import { canonicalDialect } from "../../src/protocol/acp/index.ts";
import { AcpClient, type AcpClientConfig } from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/config.ts";
import { Peer, RpcError, type RequestContext } from "../../src/transport/rpc/index.ts";
import { memoryPair, tapped, type Channel, type CloseReason } from "../../src/entries/wire.ts";
import { FrameChecker } from "../support/schema.ts";

export { deferred } from "../../src/base/index.ts";

/** The folder of sessions. */
export const cwd = "/project";

export type Params = Readonly<Record<string, unknown>>;
export type Handler = (params: Params, context: RequestContext) => unknown;

const checkers: FrameChecker[] = [];
const clients: AcpClient[] = [];

// In every test, everything the client writes must match the protocol's schema.
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  expect(checkers.splice(0).flatMap(({ faults }) => faults)).toEqual([]);
});

/** The client's end of a memory pair, which reports when the client stops and resumes reading. */
class WatchedChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  isPaused = false;
  readonly #inner: Channel;
  #onPause: () => void = () => {};

  constructor(inner: Channel) {
    this.#inner = inner;
    this.closed = inner.closed;
  }

  open(receive: (line: string) => void): void {
    this.#inner.open(receive);
  }

  send(line: string): Promise<void> {
    return this.#inner.send(line);
  }

  pause(): void {
    this.isPaused = true;
    this.#inner.pause();
    this.#onPause();
  }

  resume(): void {
    this.isPaused = false;
    this.#inner.resume();
  }

  close(): Promise<CloseReason> {
    return this.#inner.close();
  }

  /** Resolves when the client pauses reading; at once if it has. */
  async paused(): Promise<void> {
    if (this.isPaused) return;
    await new Promise<void>((resolve) => {
      this.#onPause = resolve;
    });
  }
}

/** An agent at the other end of a memory pair, scripted method by method. */
export class FakeAgent {
  readonly channel: WatchedChannel;
  readonly peer: Peer;
  /** All requests and notifications from the client, in order. */
  readonly received: { readonly method: string; readonly params: Params }[] = [];
  /** Every line from the client, unchanged. */
  readonly lines: string[] = [];
  readonly handlers: Record<string, Handler>;
  readonly #ours: Channel;
  readonly #arrivals = new Map<string, (params: Params) => void>();

  constructor(handlers: Record<string, Handler> = {}) {
    const [ours, theirs] = memoryPair();
    this.channel = new WatchedChannel(theirs);
    this.#ours = ours;
    this.handlers = { initialize: () => initialized(), "session/new": newSession(), ...handlers };
    const checker = new FrameChecker("client", "unstable");
    checkers.push(checker);
    const tappedChannel = tapped(ours, ({ direction, line }) => {
      if (direction === "in") this.lines.push(line);
      checker.saw(direction === "in" ? "client" : "agent", line);
    });
    this.peer = new Peer(tappedChannel, {
      rewriter: canonicalDialect(),
      handlers: {
        request: (method, params, context) => {
          this.#record(method, params as Params);
          const handler = this.handlers[method];
          if (!handler) throw RpcError.methodNotFound(method);
          return handler(params as Params, context);
        },
        notification: (method, params) => {
          this.#record(method, params as Params);
          void this.handlers[method]?.(params as Params, neverAborted);
        },
      },
    });
  }

  /** Resolves with the params of the next message with this method. */
  next(method: string): Promise<Params> {
    return new Promise((resolve) => this.#arrivals.set(method, resolve));
  }

  /** The params of all messages with this method so far. */
  paramsOf(method: string): readonly Params[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  update(sessionId: string, update: Params): Promise<void> {
    return this.peer.notify("session/update", { sessionId, update });
  }

  say(sessionId: string, text: string): Promise<void> {
    return this.update(sessionId, chunk(text));
  }

  /** Sends a line unchanged. */
  sendRaw(line: string): Promise<void> {
    return this.#ours.send(line);
  }

  /** Resolves when the client has received everything sent so far. */
  async delivered(): Promise<void> {
    await this.peer.call("_ping").catch(() => {});
  }

  #record(method: string, params: Params): void {
    this.received.push({ method, params });
    this.#arrivals.get(method)?.(params);
    this.#arrivals.delete(method);
  }
}

const neverAborted: RequestContext = { id: 0, bytes: 0, signal: new AbortController().signal };

export function initialized(capabilities: object = {}, more: object = {}): object {
  return {
    protocolVersion: 1,
    agentCapabilities: capabilities,
    authMethods: [],
    agentInfo: { name: "fake", version: "1.0.0" },
    ...more,
  };
}

/** Answers `session/new` with s1, s2, ... */
export function newSession(more: object = {}): Handler {
  let made = 0;
  return () => ({ sessionId: `s${++made}`, ...more });
}

export function chunk(text: string): Params {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

export const endTurn = { stopReason: "end_turn" } as const;
export const cancelled = { stopReason: "cancelled" } as const;

/** The capabilities of an agent that supports everything. */
export const everything = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: {
    list: {},
    delete: {},
    resume: {},
    close: {},
    fork: {},
    additionalDirectories: {},
  },
  auth: { logout: {} },
} as const;

/** A client connected to a fake agent, until the end of the test. */
export async function connect(
  agent: FakeAgent,
  config: Partial<AcpClientConfig> = {},
): Promise<AcpClient> {
  const rest: ConnectionConfig = config;
  const client = await AcpClient.start({ ...rest, channel: agent.channel });
  clients.push(client);
  return client;
}

/** A client connected to a fake agent, with a session. */
export async function openSession(agent: FakeAgent, config: Partial<AcpClientConfig> = {}) {
  const client = await connect(agent, config);
  return { client, session: await client.newSession({ cwd }) };
}
