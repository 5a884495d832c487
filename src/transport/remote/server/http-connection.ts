import {
  deferred,
  type Deferred,
  quiet,
  randomId,
  RestartableTimer,
  unlessAborted,
  within,
} from "../../../base/index.ts";
import { ChannelClosedError, type CloseReason, QueuedChannel } from "../../wire/index.ts";
import {
  CONNECTION_STREAM,
  ENDING_METHODS,
  type MessageRoute,
  OPENING_METHODS,
  routeOf,
} from "../http/routes.ts";
import type { HttpResponseLike, RemoteChannel, RemoteLimits } from "./options.ts";
import { type OpenCall, OpenRequests } from "./open-requests.ts";
import { Outbox } from "./outbox.ts";

/** Senders wait while more than this waits for the client, and continue below the second figure. */
const FULL_CHARS = 1024 * 1024;
const ROOM_CHARS = 256 * 1024;

const READY = Promise.resolve();

export interface RemoteClient<A> {
  readonly access: A;
  readonly owner: string;
  readonly address: string | undefined;
}

/** The client of a connection stopped reading, or sent too much at once. */
class ClientStalledError extends Error {
  override readonly name = "ClientStalledError";
}

export class HttpConnection<A> extends QueuedChannel implements RemoteChannel<A> {
  readonly transport = "http";
  readonly connectionId = randomId();
  readonly access: A;
  readonly owner: string;
  readonly address: string | undefined;
  readonly #limits: RemoteLimits;
  readonly #outboxes = new Map<string, Outbox>();
  readonly #requests: OpenRequests;
  readonly #idle: RestartableTimer;
  readonly #pings: ReturnType<typeof setInterval>;
  readonly #ending = new AbortController();
  /** Runs while the client has no stream. */
  #grace: RestartableTimer | undefined;
  /** Waits for the answer to `initialize`. */
  #initializing: { readonly id: unknown; readonly answer: Deferred<string> } | undefined;
  /** Set while senders wait. */
  #room: Deferred<void> | undefined;
  #stall: RestartableTimer | undefined;
  /** Set while posted messages wait for the receiver. */
  #inbound: Deferred<void> | undefined;

  constructor(client: RemoteClient<A>, limits: RemoteLimits) {
    super(limits.maxUnreadBytes);
    this.access = client.access;
    this.owner = client.owner;
    this.address = client.address;
    this.#limits = limits;
    this.#requests = new OpenRequests(limits.maxPending);
    this.#idle = new RestartableTimer(
      limits.idleMs,
      () => this.#end({ kind: "ended", text: "the connection was idle for too long" }),
      () => !this.#requests.isEmpty,
    );
    this.#pings = setInterval(() => this.#tick(), limits.pingMs);
    this.#pings.unref();
  }

  send(line: string): Promise<void> {
    if (this.#isOver) return quiet(Promise.reject(new ChannelClosedError()));
    this.#idle.restart();
    const route = routeOf(line);
    const first = this.#initializing;
    if (first && route?.kind === "response" && first.id === route.id) {
      this.#requests.sent(route);
      this.#initializing = undefined;
      first.answer.resolve(line);
      return READY;
    }
    const call = route && this.#requests.sent(route);
    const key = call ? this.#keyOfAnswer(call) : (route?.sessionId ?? CONNECTION_STREAM);
    const outbox = this.#outbox(key);
    if (!outbox) {
      this.#cutOff("the agent has more sessions than a connection may have");
      return quiet(Promise.reject(new ChannelClosedError()));
    }
    outbox.push(line);
    outbox.trim(this.#limits.replayBytes / this.#outboxes.size);
    if (call && !route?.isError && ENDING_METHODS.has(call.method ?? "")) {
      this.#dropOutbox(call.key);
    }
    return outbox.unsent === 0 && !this.#room ? READY : this.#waitForRoom();
  }

  async close(): Promise<CloseReason> {
    this.#end({ kind: "closed" });
    return this.closed;
  }

  /** Calls back when the connection is over, even if the receiver has not taken everything yet. */
  onEnd(listener: () => void): void {
    this.#ending.signal.addEventListener("abort", listener, { once: true });
  }

  delete(): void {
    this.#end({ kind: "ended" });
  }

  /**
   * Passes `initialize` on and resolves with the answer. Rejects, and ends the connection, if there is
   * none in time or the signal is aborted.
   */
  async initialize(line: string, route: MessageRoute, signal: AbortSignal): Promise<string> {
    const answer = deferred<string>();
    void quiet(answer.promise);
    this.#initializing = { id: route.id, answer };
    this.#requests.received(route, CONNECTION_STREAM);
    this.push(line);
    const limit = AbortSignal.any([
      signal,
      this.#ending.signal,
      AbortSignal.timeout(this.#limits.initializeMs),
    ]);
    try {
      const text = await unlessAborted(answer.promise, limit);
      this.#readersChanged();
      return text;
    } catch (error) {
      this.#end({ kind: "ended", text: "initialize was not answered" });
      throw error;
    }
  }

  /** Whether one more request would be too many. */
  get isBusy(): boolean {
    return this.#requests.isFull;
  }

  /** The stream on which the agent sent the request that a response answers. */
  askedOn(id: unknown): string | undefined {
    return this.#requests.askedOn(id);
  }

  /** Passes a posted message on. Resolves when the receiver has taken it, or after the stall limit. */
  async receive(line: string, route: MessageRoute, sessionId: string | undefined): Promise<void> {
    this.#idle.restart();
    this.#grace?.restart();
    this.#requests.received(route, sessionId ?? CONNECTION_STREAM);
    this.push(line);
    if (!this.isHeld) return;
    this.#inbound ??= deferred();
    await within(this.#inbound.promise, this.#limits.stallMs);
  }

  /** Opens a stream. Answers the request itself unless it returns a status. */
  attach(
    key: string,
    lastEventId: string | undefined,
    response: HttpResponseLike,
  ): 410 | 429 | undefined {
    const outbox = this.#outbox(key);
    if (!outbox) return 429;
    return outbox.attach(response, lastEventId) ? undefined : 410;
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  /**
   * The answer to `session/load` belongs on the connection's stream. If the client already reads the
   * session's stream, it goes there, because it must not overtake the history.
   */
  #keyOfAnswer({ key, method }: OpenCall): string {
    const isOpening = OPENING_METHODS.has(method ?? "");
    return isOpening && this.#outboxes.get(key)?.hasReader !== true ? CONNECTION_STREAM : key;
  }

  /** The stream of a session, which is created if needed; undefined if there are too many. */
  #outbox(key: string): Outbox | undefined {
    const found = this.#outboxes.get(key);
    if (found) return found;
    // The stream of the connection is not a session's.
    if (this.#outboxes.size > this.#limits.maxSessions && !this.#forgetUnused()) return undefined;
    const outbox = new Outbox({
      moved: () => this.#moved(),
      readerChanged: () => this.#readersChanged(),
    });
    this.#outboxes.set(key, outbox);
    for (const other of this.#outboxes.values()) {
      other.trim(this.#limits.replayBytes / this.#outboxes.size);
    }
    return outbox;
  }

  /** Drops a stream that has no reader and nothing to read. */
  #forgetUnused(): boolean {
    for (const [key, outbox] of this.#outboxes) {
      if (key === CONNECTION_STREAM || outbox.hasReader || outbox.unsent > 0) continue;
      return this.#outboxes.delete(key);
    }
    return false;
  }

  #dropOutbox(key: string): void {
    if (key === CONNECTION_STREAM) return;
    this.#outboxes.get(key)?.finish();
    this.#outboxes.delete(key);
  }

  /** Lets posted messages be answered again. */
  protected override flow(): void {
    if (this.isHeld) return;
    this.#inbound?.resolve();
    this.#inbound = undefined;
  }

  get #unsent(): number {
    let sum = 0;
    for (const { unsent } of this.#outboxes.values()) sum += unsent;
    return sum;
  }

  #waitForRoom(): Promise<void> {
    const unsent = this.#unsent;
    if (unsent > this.#limits.maxUnreadBytes) this.#cutOff("the client does not read");
    else if (unsent > FULL_CHARS && !this.#room) {
      this.#room = deferred();
      void quiet(this.#room.promise);
      this.#stall = new RestartableTimer(this.#limits.stallMs, () => {
        this.#cutOff(`the client read nothing for ${this.#limits.stallMs} ms`);
      });
    }
    return this.#room ? this.#room.promise : READY;
  }

  #moved(): void {
    if (!this.#room) return;
    this.#stall?.restart();
    if (this.#unsent > ROOM_CHARS) return;
    this.#stall?.stop();
    this.#room.resolve();
    this.#room = undefined;
  }

  #readersChanged(): void {
    if (this.#isOver) return;
    const hasReader = [...this.#outboxes.values()].some((outbox) => outbox.hasReader);
    if (hasReader || this.#initializing) {
      this.#grace?.stop();
      this.#grace = undefined;
    } else {
      this.#grace ??= new RestartableTimer(this.#limits.graceMs, () => {
        this.#cutOff("the client opened no event stream, or did not come back to it");
      });
    }
  }

  #tick(): void {
    for (const outbox of this.#outboxes.values()) outbox.tick(this.#limits.stallMs);
  }

  protected fail(error: Error): void {
    this.#end({ kind: "failed", error });
  }

  #cutOff(message: string): void {
    this.fail(new ClientStalledError(message));
  }

  #end(reason: CloseReason): void {
    if (this.#isOver) return;
    this.#ending.abort(new ChannelClosedError());
    clearInterval(this.#pings);
    this.#idle.stop();
    this.#grace?.stop();
    this.#stall?.stop();
    this.#room?.reject(new ChannelClosedError());
    this.#room = undefined;
    this.#inbound?.resolve();
    for (const outbox of this.#outboxes.values()) outbox.finish();
    this.#outboxes.clear();
    this.finish(reason, reason.kind === "ended");
  }
}
