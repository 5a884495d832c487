import { RpcCode, RpcError } from "../../rpc/index.ts";
import { type Channel, deferred, isThenable, quiet } from "../../wire/index.ts";
import type { AgentLink, AgentRequestMessage } from "../agent/link.ts";
import type { AgentClient } from "../agent/contract.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import { type CancelRequest, withRequestId } from "../json/cancel.ts";
import { readMessage, type RelayedMessage } from "../json/message.ts";
import { memberSpan, type Span, splice } from "../json/span.ts";
import { cancelLine, errorLine } from "../json/write.ts";
import type { HubClient, HubClientOptions } from "../options.ts";
import { Outlet } from "../outlet.ts";
import type { HubSession } from "../session/session.ts";

/** A request of a client. */
export type ClientRequest = Extract<RelayedMessage, { kind: "request" }>;
/** A notification of a client. */
export type ClientNotification = Extract<RelayedMessage, { kind: "notification" }>;

/** Handles the messages of one client. A promise delays the messages after this one. */
export interface ClientRouter {
  request(message: ClientRequest): void | Promise<void>;
  notification(message: ClientNotification): void | Promise<void>;
  /** The client is gone. */
  left(isLost: boolean): void;
}

/** How many messages may wait for an earlier one before the client is paused. */
const MAX_WAITING = 256;

interface Expected {
  readonly answer: (line: string, id: Span) => void;
  /** The request of the agent that this passes on, if it belongs to no session. */
  readonly origin: { readonly id: string; readonly connection: AgentLink } | undefined;
}

/** The connection to one client. */
export class ServedClient implements AgentClient, HubClient {
  readonly number: number;
  readonly options: HubClientOptions;
  readonly closed: Promise<void>;
  /** The sessions that the client is attached to. */
  readonly sessions = new Map<string, HubSession>();
  /** The agent of the client's own sessions; undefined before `initialize`. */
  agent: HostedAgent | undefined;
  /** Whether the client wants positions. */
  isExtended = false;
  readonly #channel: Channel;
  readonly #outlet: Outlet;
  readonly #router: ClientRouter;
  readonly #expected = new Map<number, Expected>();
  readonly #left = deferred();
  #waiting: RelayedMessage[] = [];
  #isHandling = false;
  #lastId = 0;
  #isClosed = false;
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
    this.#outlet = new Outlet(channel, parts.unsentLimit);
    this.#router = parts.router(this);
    this.closed = this.#left.promise;
    void channel.closed.then(() => this.#gone());
    channel.open((line) => this.#receive(line));
  }

  get owner(): string {
    return this.options.owner;
  }

  get isFull(): boolean {
    return this.#outlet.isFull;
  }

  get drained(): Promise<void> {
    return this.#outlet.drained;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(line: string): void {
    if (!this.#isClosed) this.#outlet.send(line);
  }

  cut(): void {
    void quiet(this.#channel.close());
  }

  async close(): Promise<void> {
    this.#isLost = false;
    await this.#channel.close();
    await this.closed;
  }

  expect(
    line: string,
    id: Span,
    answer: (line: string, id: Span) => void,
  ): { readonly id: number; readonly line: string } {
    const own = this.#expect({ answer, origin: undefined });
    return { id: own, line: splice(line, id, String(own)) };
  }

  withdraw(id: number, cancel?: CancelRequest): string {
    this.#expected.delete(id);
    return cancel ? withRequestId(cancel, String(id)) : cancelLine(String(id));
  }

  agentRequest({ line, id }: AgentRequestMessage, connection: AgentLink): void {
    const raw = line.slice(id.start, id.end);
    const own = this.#expect({
      answer: (answer, at) => connection.send(splice(answer, at, raw)),
      origin: { id: raw, connection },
    });
    this.send(splice(line, id, String(own)));
  }

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
    const message = readMessage(line);
    if (message.kind === "response") return this.#answered(message);
    if (!this.#isHandling) return this.#handle(message);
    this.#waiting.push(message);
    if (this.#waiting.length === MAX_WAITING) this.#channel.pause();
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
        this.#channel.resume();
        return;
      }
      this.#handle(message);
    }
  }

  #route(message: RelayedMessage): void | Promise<void> {
    switch (message.kind) {
      case "request":
        return this.#router.request(message);
      case "notification":
        return this.#router.notification(message);
      case "invalid":
        return this.#refuse(message.line);
      case "response":
        return undefined;
    }
  }

  /** Stops reading while the agent takes nothing. */
  #slowDown(): void {
    const connection = this.agent?.current;
    if (!connection?.isFull) return;
    this.#channel.pause();
    void connection.drained.then(() => this.#channel.resume());
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
    this.#isClosed = true;
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
