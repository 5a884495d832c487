import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { decodeLine, RestartableTimer } from "../../../base/index.ts";
import { type Channel, type CloseReason, webSocketChannel } from "../../wire/index.ts";
import { INITIALIZE, type MessageRoute, routeOf, routeOfFrame } from "../http/routes.ts";
import { keepAlive } from "../websocket/keep-alive.ts";
import type { RemoteClient } from "./http-connection.ts";
import { OpenRequests } from "./open-requests.ts";
import type { RemoteChannel, RemoteLimits } from "./options.ts";

const CLOSE = { protocol: 1002, policy: 1008 } as const;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

export class WebSocketConnection<A> implements RemoteChannel<A> {
  readonly transport = "websocket";
  readonly connectionId: string;
  readonly access: A;
  readonly address: string | undefined;
  readonly #socket: WebSocket;
  readonly #inner: Channel;
  readonly #limits: RemoteLimits;
  readonly #requests: OpenRequests;
  readonly #idle: RestartableTimer;
  readonly #initialize: ReturnType<typeof setTimeout>;
  #isInitialized = false;
  /** This side has closed the connection; frames that still arrive are dropped. */
  #isRefused = false;

  constructor(socket: WebSocket, id: string, client: RemoteClient<A>, limits: RemoteLimits) {
    this.connectionId = id;
    this.access = client.access;
    this.address = client.address;
    this.#socket = socket;
    this.#limits = limits;
    this.#inner = webSocketChannel(socket, {
      maxLineBytes: limits.maxMessageBytes,
      maxUnreadBytes: limits.maxUnreadBytes,
      // The draft ignores binary frames, but use-acp 0.2.6 sends all of its messages in them.
      binaryFrames: "text",
    });
    this.#requests = new OpenRequests(limits.maxPending);
    this.#idle = new RestartableTimer(
      limits.idleMs,
      () => this.#refuse(CLOSE.policy, "the connection was idle for too long"),
      () => !this.#requests.isEmpty,
    );
    this.#initialize = setTimeout(() => {
      this.#refuse(CLOSE.protocol, "initialize did not come in time");
    }, limits.initializeMs);
    void this.#inner.closed.then(() => {
      this.#idle.stop();
      clearTimeout(this.#initialize);
    });
  }

  get closed(): Promise<CloseReason> {
    return this.#inner.closed;
  }

  open(receive: (line: string) => void): void {
    this.#inner.open((line) => this.#receive(line, receive));
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  send(line: string): Promise<void> {
    this.#idle.restart();
    const route = routeOf(line);
    if (route) this.#requests.sent(route);
    // Only a sender that does not wait comes this far.
    if (this.#socket.bufferedAmount > this.#limits.maxUnreadBytes) this.#socket.terminate();
    return this.#inner.send(line);
  }

  close(): Promise<CloseReason> {
    return this.#inner.close();
  }

  #refuse(code: number, reason: string): void {
    this.#isRefused = true;
    this.#socket.close(code, reason);
  }

  #receive(line: string, receive: (line: string) => void): void {
    if (this.#isRefused) return;
    this.#idle.restart();
    const route = this.#read(line);
    if (!route) return;
    if (!this.#isInitialized) {
      if (route.kind !== "request" || route.method !== INITIALIZE) {
        this.#answerError(INVALID_REQUEST, "Send initialize first");
        return this.#refuse(CLOSE.protocol, "the first message must be initialize");
      }
      this.#isInitialized = true;
      clearTimeout(this.#initialize);
    }
    if (route.kind === "request" && this.#requests.isFull) {
      return this.#refuse(CLOSE.policy, "too many requests are unanswered");
    }
    this.#requests.received(route, "");
    receive(line);
  }

  /** Answers a frame that is not a message itself: the framing belongs to the transport. */
  #read(line: string): MessageRoute | undefined {
    const decoded = decodeLine(line);
    switch (decoded.kind) {
      case "frame": {
        if (decoded.skipped !== "") break;
        const route = routeOfFrame(decoded.frame);
        const { id } = route;
        if (typeof id === "string" && id.length > this.#limits.maxIdChars) {
          this.#answerError(INVALID_REQUEST, "The id is too long");
          return undefined;
        }
        return route;
      }
      case "batch":
        this.#answerError(INVALID_REQUEST, "JSON-RPC batches are not supported");
        return undefined;
      case "noise":
    }
    this.#answerError(PARSE_ERROR, "Parse error");
    return undefined;
  }

  #answerError(code: number, message: string): void {
    const answer = { jsonrpc: "2.0", id: null, error: { code, message } };
    void this.#inner.send(JSON.stringify(answer));
  }
}

/** Ends the connection if the client is gone, or if it reads nothing for the stall limit. */
export function watch(socket: WebSocket, connection: Duplex, limits: RemoteLimits): void {
  let flushed = 0;
  let movedAt = performance.now();
  keepAlive(socket, limits.pingMs, () => {
    if (socket.bufferedAmount === 0) return false;
    const now =
      connection instanceof Socket ? connection.bytesWritten - connection.writableLength : 0;
    if (now !== flushed) movedAt = performance.now();
    flushed = now;
    return performance.now() - movedAt < limits.stallMs;
  });
}
