import {
  DragomanError,
  isLongerThan,
  type Deferred,
  deferred,
  quiet,
  within,
  quietly,
  toError,
  unlessAborted,
  redactText,
} from "../../../base/index.ts";
import { type Channel, type CloseReason, ChannelClosedError } from "../channel.ts";
import { DEFAULT_MAX_LINE_BYTES, LineTooLongError } from "../lines/limit.ts";
import {
  DEFAULT_MAX_UNREAD_BYTES,
  QueuedChannel,
  toLine,
  UnreadLimitError,
} from "./queued-channel.ts";
import { ConnectError } from "./listener.ts";

/**
 * The part of a WebSocket that a channel uses. The platform's own `WebSocket` has it (browsers, Node
 * 22 and newer, Bun, Deno), and so has the one of the `ws` package.
 */
export interface WebSocketLike {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  /** Sends a text frame. Only `ws` calls `done`, once the frame was handed to the system. */
  send(data: string, done?: (error?: Error) => void): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: WebSocketCloseFrame) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  /** Stops reading; only `ws` has it. */
  readonly pause?: (() => void) | undefined;
  /** Continues reading; only `ws` has it. */
  readonly resume?: (() => void) | undefined;
  /** Ends the connection without a handshake; only `ws` has it. */
  readonly terminate?: (() => void) | undefined;
}

/** How a WebSocket was closed. */
export interface WebSocketCloseFrame {
  /** 1005 if the frame had no code, 1006 if the connection ended without a close frame. */
  readonly code: number;
  /** The text of the frame; may be empty. */
  readonly reason: string;
}

/** Options of {@link webSocketChannel}. */
export interface WebSocketChannelOptions {
  /** Longest message accepted, in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /**
   * How much may wait while the channel is paused or not yet open, roughly in bytes. The platform's
   * WebSocket cannot be paused, so the channel fails with an UnreadLimitError beyond it.
   * Default: 64 MiB.
   */
  readonly maxUnreadBytes?: number | undefined;
  /**
   * Whether a binary frame closes the connection, is ignored, or is read as text. Default: `close`. A
   * socket that passes blobs cannot read them as text.
   */
  readonly binaryFrames?: "close" | "ignore" | "text" | undefined;
}

/** A WebSocket connection failed, or was closed because of a failure. */
export class WebSocketError extends DragomanError {
  override readonly name = "WebSocketError";
  /** The close code. 1006: the connection was lost without a close frame. */
  readonly closeCode: number;
  /** The text of the close frame; empty if there was none. */
  readonly reason: string;

  constructor(message: string, frame: WebSocketCloseFrame, options?: ErrorOptions) {
    super("connection_lost", message, options);
    this.closeCode = frame.code;
    this.reason = frame.reason;
  }
}

/**
 * The close codes that this side sends when it fails. A browser sends no standard code except 1000,
 * so these are the standard ones (1003, 1009, 1011, 1013) in the range for applications.
 */
const CLOSE_CODES = { notText: 4003, tooLong: 4009, failed: 4011, unread: 4013 };
const NORMAL_CLOSE: WebSocketCloseFrame = { code: 1000, reason: "" };

/** The other side left because it was done: it closed normally, is going away, or gave no code. */
const NORMAL_CODES: ReadonlySet<number> = /* @__PURE__ */ new Set([1000, 1001, 1005]);
const LOST = 1006;
const ALREADY_CLOSED: WebSocketCloseFrame = { code: LOST, reason: "it was already closed" };

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

/** High and low water marks: senders wait above the first and resume below the second. */
const FULL_BYTES = 1024 * 1024;
const ROOM_BYTES = 256 * 1024;

/**
 * The platform's WebSocket has no event for "there is room again", so the channel checks a full one
 * again and again, at growing intervals. A `ws` socket reports each frame and rarely needs the timer.
 */
const FIRST_LOOK_MS = 1;
const LONGEST_LOOK_MS = 50;

/** Last resort: how long to wait for the other side to answer the close frame. */
const CLOSE_MS = 1000;

const READY = Promise.resolve();

/**
 * Turns a WebSocket into a channel: one line is one text frame. The socket may still be connecting;
 * lines sent until then wait. It must have no other user: frames that arrived before this call are
 * lost, and the channel closes the socket.
 *
 * Line breaks in a frame become spaces, because JSON has them only between tokens; empty frames are
 * dropped. A binary frame (see `binaryFrames`), a frame above `maxLineBytes` and more unread frames than
 * `maxUnreadBytes` close the connection with the codes 4003, 4009 and 4013. `closed` reports `ended`
 * with the other side's code and text if it closed normally (1000, 1001 or no code), and otherwise
 * `failed` with a {@link WebSocketError}.
 */
export function webSocketChannel(
  socket: WebSocketLike,
  options: WebSocketChannelOptions = {},
): Channel {
  return new WebSocketChannel(socket, options);
}

class WebSocketChannel extends QueuedChannel {
  readonly #socket: WebSocketLike;
  readonly #maxLineBytes: number;
  readonly #binaryFrames: "close" | "ignore" | "text";
  readonly #socketClosed = deferred();
  /** Lines that wait for the connection. */
  #unsent: string[] = [];
  #room: Deferred<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasOpen: boolean;
  /** The socket's own account of a failure; the close event that follows has none. */
  #cause: Error | undefined;
  #closing: Promise<CloseReason> | undefined;
  #socketEnd: Promise<void> | undefined;

  constructor(socket: WebSocketLike, options: WebSocketChannelOptions) {
    super(options.maxUnreadBytes ?? DEFAULT_MAX_UNREAD_BYTES);
    this.#socket = socket;
    this.#wasOpen = socket.readyState !== CONNECTING;
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#binaryFrames = options.binaryFrames ?? "close";
    socket.addEventListener("open", () => this.#connected());
    socket.addEventListener("message", ({ data }) => this.#message(data));
    socket.addEventListener("error", (event) => this.#failed(event));
    socket.addEventListener("close", (frame) => this.#left(frame));
    if (socket.readyState === CLOSED) queueMicrotask(() => this.#left(ALREADY_CLOSED));
    this.flow();
  }

  send(line: string): Promise<void> {
    const { readyState } = this.#socket;
    if (this.#closing || readyState > OPEN) return quiet(Promise.reject(this.#closedError()));
    if (readyState === CONNECTING) {
      this.#unsent.push(line);
      this.#room ??= waitable();
    } else {
      this.#write(line);
    }
    return this.#room ? this.#room.promise : READY;
  }

  close(): Promise<CloseReason> {
    return this.#end({ kind: "closed" }, NORMAL_CLOSE);
  }

  /** A paused `ws` socket makes the other side wait. Other sockets fill the queue. */
  protected override flow(): void {
    if (this.#socketEnd) return;
    if (this.isHeld) this.#socket.pause?.();
    else this.#socket.resume?.();
  }

  #failed(event: object): void {
    this.#cause ??= errorOfEvent(event);
    // No close event follows on Node 22.23.3 if the socket could not connect.
    if (!this.#wasOpen) this.#left({ code: LOST, reason: "" });
  }

  #connected(): void {
    this.#wasOpen = true;
    // A socket that is still connecting ignores `pause`.
    this.flow();
    for (const line of this.#unsent.splice(0)) this.#write(line);
    this.#release();
  }

  #write(line: string): void {
    this.#socket.send(line, this.#release);
    if (this.#room || this.#socket.bufferedAmount <= FULL_BYTES) return;
    this.#room = waitable();
    this.#lookAgain(FIRST_LOOK_MS);
  }

  readonly #release = (): void => {
    if (!this.#room || this.#socket.bufferedAmount > ROOM_BYTES) return;
    clearTimeout(this.#timer);
    this.#room.resolve();
    this.#room = undefined;
  };

  #lookAgain(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#release();
      if (this.#room) this.#lookAgain(Math.min(2 * ms, LONGEST_LOOK_MS));
    }, ms);
  }

  #message(data: unknown): void {
    if (typeof data !== "string") {
      if (this.#binaryFrames === "ignore") return;
      const isBytes = data instanceof Uint8Array || data instanceof ArrayBuffer;
      if (this.#binaryFrames === "text" && isBytes) {
        return this.#message(new TextDecoder().decode(data));
      }
      const frame = { code: CLOSE_CODES.notText, reason: "only text frames are accepted" };
      return this.#refuse(new WebSocketError("the other side sent a binary frame", frame));
    }
    if (isLongerThan(data, this.#maxLineBytes)) {
      return this.#refuse(new LineTooLongError(this.#maxLineBytes));
    }
    const line = toLine(data);
    if (line !== "") this.push(line);
  }

  /** Closes the connection because of a frame. Lines that arrived before are still delivered. */
  #refuse(error: Error): void {
    this.#cause ??= error;
    this.end(() => this.fail(error));
    void this.#closeSocket(closeFrameFor(error));
  }

  /** The connection is over. Lines that arrived before are still delivered. */
  #left(frame: WebSocketCloseFrame): void {
    this.#socketClosed.resolve();
    this.#stopSending();
    this.end(() => void this.#end(reasonOf(frame, this.#cause), NORMAL_CLOSE));
  }

  protected fail(error: Error): void {
    void this.#end({ kind: "failed", error }, closeFrameFor(error));
  }

  #end(reason: CloseReason, frame: WebSocketCloseFrame): Promise<CloseReason> {
    this.#closing ??= this.#closeWith(reason, frame);
    return this.#closing;
  }

  async #closeWith(reason: CloseReason, frame: WebSocketCloseFrame): Promise<CloseReason> {
    this.finish(reason, false);
    await this.#closeSocket(frame);
    return reason;
  }

  #closeSocket(frame: WebSocketCloseFrame): Promise<void> {
    this.#stopSending();
    this.#socketEnd ??= this.#endSocket(frame);
    return this.#socketEnd;
  }

  async #endSocket({ code, reason }: WebSocketCloseFrame): Promise<void> {
    if (this.#socket.readyState === CLOSED) return;
    // A paused socket would not see the answer to its close frame.
    this.#socket.resume?.();
    this.#socket.close(code, reason);
    if (!(await within(this.#socketClosed.promise, CLOSE_MS))) this.#socket.terminate?.();
  }

  #stopSending(): void {
    clearTimeout(this.#timer);
    this.#unsent = [];
    this.#room?.reject(this.#closedError());
    this.#room = undefined;
  }

  #closedError(): ChannelClosedError {
    return new ChannelClosedError(this.#cause === undefined ? {} : { cause: this.#cause });
  }
}

/** A promise to wait on. It may reject without a listener. */
function waitable(): Deferred<void> {
  const room = deferred();
  void quiet(room.promise);
  return room;
}

/** The close frame that tells the other side why this side failed. */
function closeFrameFor(error: Error): WebSocketCloseFrame {
  if (error instanceof WebSocketError) return { code: error.closeCode, reason: error.reason };
  if (error instanceof LineTooLongError) {
    return { code: CLOSE_CODES.tooLong, reason: `a message is over ${error.limit} bytes` };
  }
  if (error instanceof UnreadLimitError) {
    return { code: CLOSE_CODES.unread, reason: `over ${error.limit} bytes are unread` };
  }
  return { code: CLOSE_CODES.failed, reason: "this side failed" };
}

function reasonOf(frame: WebSocketCloseFrame, cause: Error | undefined): CloseReason {
  const { code, reason } = frame;
  if (NORMAL_CODES.has(code) && cause === undefined) return { kind: "ended", code, text: reason };
  return { kind: "failed", error: lossError({ code, reason }, cause) };
}

function lossError(frame: WebSocketCloseFrame, cause: Error | undefined): WebSocketError {
  const { code, reason } = frame;
  const why = cause?.message ?? reason;
  const what = code === LOST ? "the WebSocket connection was lost" : "the WebSocket was closed";
  const message = `${what} (${code})${why === "" ? "" : `: ${redactText(why)}`}`;
  return new WebSocketError(message, frame, cause === undefined ? {} : { cause });
}

/** The error of an error event. Browsers hide it so that pages cannot probe the network. */
function errorOfEvent(event: object): Error | undefined {
  if ("error" in event && event.error instanceof Error) return event.error;
  if ("message" in event && typeof event.message === "string" && event.message !== "") {
    return new Error(event.message);
  }
  return undefined;
}

/** Creates a WebSocket: the platform's class, or that of the `ws` package. */
export type WebSocketConstructor = new (url: string, protocols?: string[]) => WebSocketLike;

/** Options of {@link connectWebSocket}. */
export interface ConnectWebSocketOptions extends WebSocketChannelOptions {
  /** The class to use. Default: the platform's own. Node 20 has none. */
  readonly WebSocket?: WebSocketConstructor | undefined;
  /** The subprotocols to offer. */
  readonly protocols?: readonly string[] | undefined;
  /** Gives up connecting. It has no effect on a connection that was made. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to a WebSocket server and returns a channel, once the connection is made. Rejects with a
 * ConnectError that names the address without its query and password, with the signal's
 * reason, or with a TypeError if the platform has no WebSocket.
 */
export function connectWebSocket(
  url: string,
  options: ConnectWebSocketOptions = {},
): Promise<Channel> {
  return quietly(async () => {
    options.signal?.throwIfAborted();
    const Constructor = options.WebSocket ?? platformWebSocket();
    const socket = create(Constructor, url, options.protocols);
    const channel = webSocketChannel(socket, options);
    const connected = new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => reject(new ConnectError(shownAddress(url), error));
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", (event) => {
        fail(errorOfEvent(event) ?? new Error("the platform does not say why"));
      });
      socket.addEventListener("close", ({ code }) => fail(new Error(`closed with code ${code}`)));
    });
    try {
      await (options.signal ? unlessAborted(connected, options.signal) : connected);
    } catch (error) {
      void channel.close();
      throw error;
    }
    return channel;
  });
}

function create(
  Constructor: WebSocketConstructor,
  url: string,
  protocols: readonly string[] | undefined,
): WebSocketLike {
  try {
    return protocols ? new Constructor(url, [...protocols]) : new Constructor(url);
  } catch (error) {
    throw new ConnectError(shownAddress(url), toError(error));
  }
}

function platformWebSocket(): WebSocketConstructor {
  const found: { readonly WebSocket?: WebSocketConstructor | undefined } = globalThis;
  if (found.WebSocket) return found.WebSocket;
  throw new TypeError("this platform has no WebSocket; pass the class of the ws package");
}

/** The query and the password of an address may be secret. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return "an invalid address";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
