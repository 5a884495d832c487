import {
  asObject,
  type Channel,
  type CloseReason,
  type JsonObject,
  type Logger,
  openProcess,
  type ProcessOptions,
  type Tap,
  tapped,
} from "../../wire/index.ts";
import {
  CallCancelledError,
  ConnectionError,
  Peer,
  type PeerHandlers,
  type Release,
  RemoteError,
  type RequestContext,
  RpcCode,
} from "../../rpc/index.ts";
import { droidEnvelope } from "../protocol/envelope.ts";
import { DroidExitedError, DroidRequestError, UnsupportedByDroidError } from "../errors.ts";
import { METHODS_OF_OLD } from "../protocol/methods.ts";
import { capabilitiesOf, type DroidCapabilities, type DroidVersion } from "../protocol/versions.ts";

/** What the owner of a connection hears. */
export interface DroidConnectionHandlers {
  /** `sessionId` is the one the frame itself names, where it names one. */
  notification(notification: JsonObject, sessionId: string | undefined, size: number): void;
  request(method: string, params: unknown, context: RequestContext): unknown;
  /** A second answer to a call that was answered before: 0.225 and 0.99 acknowledge, then fail. */
  lateError(requestId: string, error: RemoteError): void;
}

/** What a connection needs besides a channel. */
export interface DroidConnectionOptions {
  readonly cliVersion: Promise<string | undefined>;
  readonly logger?: Logger | undefined;
  readonly tap?: Tap | undefined;
}

/** How one call is made. */
export interface DroidCallOptions<T> {
  /** Reads the result, in wire order. */
  readonly accept: (result: JsonObject) => T;
  /**
   * Goes out at once, also where calls wait for each other. Only for calls that Droid cannot answer
   * with an error that names no call.
   */
  readonly atOnce?: boolean;
  /** Learns the id of the request as it goes out. */
  readonly onSent?: (requestId: string) => void;
}

const NOTHING: DroidConnectionHandlers = {
  notification: () => {},
  request: () => undefined,
  lateError: () => {},
};

/**
 * One Droid process and the calls to it.
 *
 * Versions up to 0.117 answer a call they do not understand with an error that names no call. So
 * that it can be paired, only one call is open at a time there; the others wait in line.
 */
export class DroidConnection {
  readonly closed: Promise<CloseReason>;
  /** Resolves when the version is known as far as it will be before the first call is answered. */
  readonly recognized: Promise<void>;
  /** Resolves when the program's own version is known, or known not to be told. */
  readonly identified: Promise<void>;
  /** Undefined where no process of ours stands behind the channel. */
  readonly pid: number | undefined;
  handlers: DroidConnectionHandlers = NOTHING;
  readonly #peer: Peer;
  #version: DroidVersion = { cli: undefined, protocol: undefined };
  #capabilities: DroidCapabilities = capabilitiesOf(this.#version);
  #onProtocol: () => void = () => {};
  #lastRequestId = "";
  #line: Promise<unknown> = Promise.resolve();
  #alone: AbortController | undefined;
  #openCalls = 0;
  #holds = 0;
  #release: Release | undefined;

  /** Starts Droid. Rejects with the SpawnError of the wire. */
  static async open(options: ProcessOptions & DroidConnectionOptions): Promise<DroidConnection> {
    const channel = await openProcess(options);
    return new DroidConnection(channel, channel.pid, options);
  }

  /** Talks to a Droid at the other end of a channel. */
  constructor(channel: Channel, pid: number | undefined, options: DroidConnectionOptions) {
    this.pid = pid;
    const handlers: PeerHandlers = {
      notification: (method, params, size) => this.#notified(method, params, size),
      request: (method, params, context) => this.handlers.request(method, params, context),
      orphanError: (error) => this.#alone?.abort(error),
    };
    this.#peer = new Peer(options.tap ? tapped(channel, options.tap) : channel, {
      handlers,
      envelope: droidEnvelope((id) => {
        this.#lastRequestId = id;
      }),
      rewriter: { read: (frame) => this.#look(frame), write: (frame) => frame },
      logger: options.logger,
    });
    this.closed = this.#peer.closed;
    this.identified = options.cliVersion.then((version) => this.#learn({ cli: version }));
    const protocol = new Promise<void>((resolve) => {
      this.#onProtocol = resolve;
    });
    this.recognized = Promise.race([this.identified, protocol]);
  }

  get version(): DroidVersion {
    return this.#version;
  }

  get capabilities(): DroidCapabilities {
    return this.#capabilities;
  }

  /**
   * Calls a method. Rejects with DroidRequestError, UnsupportedByDroidError (the version does not
   * know the method) or DroidExitedError.
   */
  async call<T>(method: string, params: JsonObject, options: DroidCallOptions<T>): Promise<T> {
    if (options.atOnce === true || this.#capabilities.errorsNameTheirCall)
      return this.#send(method, params, options);
    const turn = this.#line.then(() => this.#send(method, params, options, new AbortController()));
    this.#line = turn.catch(() => {});
    return turn;
  }

  /**
   * Holds reading until released, except while a call is open: its answer may stand behind what is
   * held back, and who waits for it may be the one who should read.
   */
  hold(): Release {
    this.#holds++;
    this.#applyHold();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      this.#applyHold();
    };
  }

  close(): Promise<CloseReason> {
    return this.#peer.close();
  }

  async #send<T>(
    method: string,
    params: JsonObject,
    options: DroidCallOptions<T>,
    alone?: AbortController,
  ): Promise<T> {
    this.#openCalls++;
    this.#applyHold();
    if (alone) this.#alone = alone;
    try {
      const answered = this.#peer.call(method, params, {
        accept: (result) => options.accept(asObject(result)),
        signal: alone?.signal,
      });
      options.onSent?.(this.#lastRequestId);
      return await answered;
    } catch (error) {
      throw this.#translate(method, error);
    } finally {
      if (this.#alone === alone) this.#alone = undefined;
      this.#openCalls--;
      this.#applyHold();
    }
  }

  #translate(method: string, error: unknown): unknown {
    if (error instanceof CallCancelledError) return this.#translate(method, error.cause);
    if (error instanceof ConnectionError) return new DroidExitedError(error.reason, method);
    if (!(error instanceof RemoteError)) return error;
    const cause = new DroidRequestError(method, error);
    return this.#isUnknown(method, error)
      ? new UnsupportedByDroidError(method, this.#version, { cause })
      : cause;
  }

  /** Versions that name no call give an unknown method and bad params the same answer. */
  #isUnknown(method: string, { code }: RemoteError): boolean {
    if (code === RpcCode.methodNotFound) return true;
    if (this.#capabilities.errorsNameTheirCall || code !== RpcCode.invalidRequest) return false;
    return !METHODS_OF_OLD.has(method);
  }

  #applyHold(): void {
    const shouldHold = this.#holds > 0 && this.#openCalls === 0;
    if (shouldHold && !this.#release) this.#release = this.#peer.hold();
    if (shouldHold || !this.#release) return;
    this.#release();
    this.#release = undefined;
  }

  #notified(method: string, params: unknown, size: number): void {
    if (method !== "droid.session_notification") return;
    const { notification, sessionId } = asObject(params);
    const id = typeof sessionId === "string" ? sessionId : undefined;
    this.handlers.notification(asObject(notification), id, size);
  }

  /** Sees every frame before it is delivered: the protocol version stands on each, outside its params. */
  #look(frame: JsonObject): JsonObject {
    if (this.#version.protocol === undefined) {
      const protocol = frame["factoryProtocolVersion"];
      if (typeof protocol === "string") {
        this.#learn({ protocol });
        this.#onProtocol();
      }
    }
    if (frame["error"] !== undefined) this.#lookAtError(frame);
    return frame;
  }

  #lookAtError({ id, error }: JsonObject): void {
    if (typeof id !== "string") return;
    const { code, message, data } = asObject(error);
    this.handlers.lateError(
      id,
      new RemoteError({
        code: typeof code === "number" ? code : RpcCode.internalError,
        message: String(message),
        data,
      }),
    );
  }

  #learn(news: Partial<DroidVersion>): void {
    this.#version = { ...this.#version, ...news };
    this.#capabilities = capabilitiesOf(this.#version);
  }
}
