import { afterEach, expect } from "vitest";
import { canonicalDialect } from "../../src/acp/index.ts";
import { AcpClient, type AcpClientConfig } from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/config.ts";
import { Peer, RpcError, type RequestContext } from "../../src/rpc/index.ts";
import { memoryPair, tapped, type Channel } from "../../src/entries/wire.ts";
import { FrameChecker } from "../support/schema.ts";

export type Params = Readonly<Record<string, unknown>>;
export type Handler = (params: Params, context: RequestContext) => unknown;

const checkers: FrameChecker[] = [];

// Whatever a test is about: all that the client wrote in it is valid.
afterEach(() => {
  expect(checkers.splice(0).flatMap(({ faults }) => faults)).toEqual([]);
});

/** An agent at the other end of a memory pair, scripted method by method. */
export class FakeAgent {
  readonly channel: Channel;
  readonly peer: Peer;
  /** Everything the client sent, in order: requests and notifications. */
  readonly received: { readonly method: string; readonly params: Params }[] = [];
  /** Every line the client sent, as it stood on the wire. */
  readonly lines: string[] = [];
  readonly handlers: Record<string, Handler>;
  readonly #ours: Channel;
  readonly #arrivals = new Map<string, (params: Params) => void>();

  constructor(handlers: Record<string, Handler> = {}) {
    const [ours, theirs] = memoryPair();
    this.channel = theirs;
    this.#ours = ours;
    this.handlers = { initialize: () => initialized(), "session/new": newSession(), ...handlers };
    const checker = new FrameChecker("client", "unstable");
    checkers.push(checker);
    const seen = tapped(ours, ({ direction, line }) => {
      if (direction === "in") this.lines.push(line);
      checker.saw(direction === "in" ? "client" : "agent", line);
    });
    this.peer = new Peer(seen, {
      rewriter: canonicalDialect(),
      handlers: {
        request: (method, params, context) => {
          this.#note(method, params as Params);
          const handler = this.handlers[method];
          if (!handler) throw RpcError.methodNotFound(method);
          return handler(params as Params, context);
        },
        notification: (method, params) => {
          this.#note(method, params as Params);
          void this.handlers[method]?.(params as Params, neverAborted);
        },
      },
    });
  }

  /** Resolves with the params of the next message of this method. */
  next(method: string): Promise<Params> {
    return new Promise((resolve) => this.#arrivals.set(method, resolve));
  }

  of(method: string): readonly Params[] {
    return this.received.filter((one) => one.method === method).map((one) => one.params);
  }

  update(sessionId: string, update: Params): Promise<void> {
    return this.peer.notify("session/update", { sessionId, update });
  }

  say(sessionId: string, text: string): Promise<void> {
    return this.update(sessionId, chunk(text));
  }

  /** Writes a line as it is. */
  sendRaw(line: string): Promise<void> {
    return this.#ours.send(line);
  }

  /** Resolves when the client has taken all that was sent before. */
  async delivered(): Promise<void> {
    await this.peer.call("_ping").catch(() => {});
  }

  #note(method: string, params: Params): void {
    this.received.push({ method, params });
    this.#arrivals.get(method)?.(params);
    this.#arrivals.delete(method);
  }
}

const neverAborted: RequestContext = { id: 0, signal: new AbortController().signal };

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

/** Capabilities of an agent that can do everything. */
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

/** A client connected to a fake agent. */
export function connect(
  agent: FakeAgent,
  config: Partial<AcpClientConfig> = {},
): Promise<AcpClient> {
  const rest: ConnectionConfig = config;
  return AcpClient.start({ ...rest, channel: agent.channel });
}

/** A promise with its ends outside. */
export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
