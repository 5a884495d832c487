import {
  type Release,
  RequestLoad,
  RpcCode,
  RpcError,
  TOO_MANY_REQUESTS,
} from "../../../transport/rpc/index.ts";
import { deferred, isThenable, quiet } from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";
import type { AgentLink, AgentRequestMessage } from "../agent/link.ts";
import { type CancelRequest, withRequestId, cancelLine, errorLine } from "../json/rpc-lines.ts";
import { readRelayedMessage, type RelayedMessage } from "../json/relayed-message.ts";
import type { HubClient, HubClientOptions } from "../options.ts";
import { Outlet } from "../outlet.ts";
import { memberSpan, type Span, spliceText } from "../json/json-text.ts";

export type ClientRequest = Extract<RelayedMessage, { kind: "request" }>;
export type ClientNotification = Extract<RelayedMessage, { kind: "notification" }>;

/** A connection that may have taken so little that those who send should stop. */
export interface Congestion {
  readonly isFull: boolean;
  readonly drained: Promise<void>;
}

/** Handles the messages of one client. A promise delays the messages after this one. */
export interface ClientRouter {
  /** Whether requests run at the same time, so that none delays the messages after it. */
  readonly isConcurrent: boolean;
  /** Where the messages of the client go. */
  readonly congestion: Congestion | undefined;
  request(message: ClientRequest): void | Promise<void>;
  notification(message: ClientNotification): void | Promise<void>;
  left(isLost: boolean): void;
}

/** How many messages may wait for an earlier one before the client is paused. */
const MAX_WAITING = 256;
/** A client that reads so little may send no more, because the answers would fill the memory. */
const MAX_UNREAD_CHARS = 64 * 1024 * 1024;

interface Expected {
  readonly answer: (line: string, id: Span) => void;
  /** The request of the agent that this passes on, if it belongs to no session. */
  readonly origin: { readonly id: string; readonly connection: AgentLink } | undefined;
}

export class ServedClient implements HubClient {
  readonly number: number;
  readonly options: HubClientOptions;
  readonly closed: Promise<void>;
  /** Whether the client wants positions. */
  isExtended = false;
  isClosed = false;
  readonly #channel: Channel;
  readonly #outlet: Outlet;
  readonly #router: ClientRouter;
  readonly #expected = new Map<number, Expected>();
  readonly #left = deferred();
  readonly #load = new RequestLoad(() => this.#hold());
  #waiting: RelayedMessage[] = [];
  #isHandling = false;
  #holds = 0;
  #releaseWaiting: Release | undefined;
  #lastId = 0;
  #isLost = true;

  constructor(
    channel: Channel,
    number: number,
    options: HubClientOptions,
    parts: {
      readonly unsentLimit: number;
      readonly router: (client: ServedClient) => ClientRouter;
    },
  ) {
    this.number = number;
    this.options = options;
    this.#channel = channel;
    const hold = (): Release => this.#hold();
    this.#outlet = new Outlet(channel, parts.unsentLimit, { above: MAX_UNREAD_CHARS, hold });
    this.#router = parts.router(this);
    this.closed = this.#left.promise;
    void channel.closed.then(() => this.#gone());
    channel.open((line) => this.#receive(line));
  }

  get owner(): string {
    return this.options.owner;
  }

  /** Whether so much waits for the client that it should get no more for now. */
  get isFull(): boolean {
    return this.#outlet.isFull;
  }

  /** Resolves when the client can take more, or is gone. */
  get drained(): Promise<void> {
    return this.#outlet.drained;
  }

  send(line: string): void {
    if (!this.isClosed) this.#outlet.send(line);
  }

  /** Ends the connection of a client that cannot be served anymore. */
  cut(): void {
    void quiet(this.#channel.close());
  }

  async close(): Promise<void> {
    this.#isLost = false;
    await this.#channel.close();
    await this.closed;
  }

  /** Registers a request, and returns the line to send. `answer` gets the response and the place of its id. */
  expect(
    line: string,
    id: Span,
    answer: (line: string, id: Span) => void,
  ): { readonly id: number; readonly line: string } {
    const own = this.#expect({ answer, origin: undefined });
    return { id: own, line: spliceText(line, id, String(own)) };
  }

  /** Forgets a request, and returns the line that tells the client. */
  withdraw(id: number, cancel?: CancelRequest): string {
    this.#expected.delete(id);
    return cancel ? withRequestId(cancel, String(id)) : cancelLine(String(id));
  }

  /** Takes a request of the agent that belongs to no session. */
  agentRequest({ line, id }: AgentRequestMessage, connection: AgentLink): void {
    const raw = line.slice(id.start, id.end);
    const own = this.#expect({
      answer: (answer, at) => connection.send(spliceText(answer, at, raw)),
      origin: { id: raw, connection },
    });
    this.send(spliceText(line, id, String(own)));
  }

  /** The agent withdrew such a request. */
  agentWithdrew(cancel: CancelRequest, connection: AgentLink): void {
    for (const [own, { origin }] of this.#expected) {
      if (origin?.id !== cancel.requestId || origin.connection !== connection) continue;
      // The client answers, and its answer goes to the agent.
      this.send(withRequestId(cancel, String(own)));
    }
  }

  #expect(expected: Expected): number {
    const own = ++this.#lastId;
    this.#expected.set(own, expected);
    return own;
  }

  #receive(line: string): void {
    const message = readRelayedMessage(line);
    if (message.kind === "response") return this.#answered(message);
    if (!this.#isHandling) return this.#handle(message);
    this.#waiting.push(message);
    if (this.#waiting.length === MAX_WAITING) this.#releaseWaiting ??= this.#hold();
  }

  /** An answer never waits: a request before it may need it. */
  #answered({ line, id }: { readonly line: string; readonly id: Span }): void {
    const own = Number(line.slice(id.start, id.end).replaceAll('"', ""));
    const expected = this.#expected.get(own);
    this.#expected.delete(own);
    expected?.answer(line, id);
  }

  #handle(message: RelayedMessage): void {
    const work = this.#route(message);
    if (!isThenable(work)) return this.#slowDown();
    this.#isHandling = true;
    const next = (): void => {
      this.#isHandling = false;
      this.#handleWaiting();
    };
    work.then(next, next);
  }

  #handleWaiting(): void {
    while (!this.#isHandling) {
      const message = this.#waiting.shift();
      if (!message) {
        this.#releaseWaiting?.();
        this.#releaseWaiting = undefined;
        return;
      }
      this.#handle(message);
    }
  }

  #route(message: RelayedMessage): void | Promise<void> {
    switch (message.kind) {
      case "request":
        return this.#router.isConcurrent ? this.#run(message) : this.#router.request(message);
      case "notification": {
        const work = this.#router.notification(message);
        return this.#router.isConcurrent ? undefined : work;
      }
      case "invalid":
        return this.#refuse(message.line);
      case "response":
        return undefined;
    }
  }

  /** Runs a request beside the messages after it. */
  #run(message: ClientRequest): void {
    const { line, id } = message;
    if (!this.#load.admits(line.length)) {
      const error = new RpcError(TOO_MANY_REQUESTS, "Too many unanswered requests");
      return this.send(errorLine(line.slice(id.start, id.end), error));
    }
    const work = this.#router.request(message);
    if (!isThenable(work)) return;
    this.#load.add(line.length);
    const done = (): void => {
      if (!this.isClosed) this.#load.remove(line.length);
    };
    work.then(done, done);
  }

  /** Stops reading while the agent takes nothing. */
  #slowDown(): void {
    const { congestion } = this.#router;
    if (congestion?.isFull === true) void congestion.drained.then(this.#hold());
  }

  /** Stops reading until all holds are released. */
  #hold(): Release {
    if (this.#holds++ === 0) this.#channel.pause();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0) this.#channel.resume();
    };
  }

  #refuse(line: string): void {
    if (line.trim() === "") return;
    const isJson = isJsonText(line);
    const id = isJson && line.trimStart().startsWith("{") ? memberSpan(line, "id") : undefined;
    const raw = id === undefined ? "null" : line.slice(id.start, id.end);
    const error = isJson
      ? new RpcError(RpcCode.invalidRequest, "Invalid request")
      : new RpcError(RpcCode.parseError, "Parse error");
    this.send(errorLine(/^["\d-]/.test(raw) ? raw : "null", error));
  }

  #gone(): void {
    this.isClosed = true;
    this.#load.clear();
    this.#waiting = [];
    this.#expected.clear();
    this.#router.left(this.#isLost);
    this.#left.resolve();
  }
}

function isJsonText(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
