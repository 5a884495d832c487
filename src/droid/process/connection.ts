import { asObject, type JsonObject, type Logger, toError } from "../../base/index.ts";
import {
  type Channel,
  type CloseReason,
  openProcess,
  type ProcessOptions,
  type Tap,
  tapped,
} from "../../transport/wire/index.ts";
import {
  CallCancelledError,
  ConnectionError,
  Peer,
  type PeerHandlers,
  type Release,
  RemoteError,
  type RequestContext,
  RpcCode,
  type Envelope,
} from "../../transport/rpc/index.ts";
import {
  DroidError,
  DroidExitedError,
  DroidRequestError,
  UnsupportedByDroidError,
} from "../errors.ts";
import { METHODS_OF_0_99 } from "../protocol/methods.ts";
import { capabilitiesOf, type DroidCapabilities, type DroidVersion } from "../protocol/versions.ts";

interface DroidConnectionHandlers {
  /** `sessionId` is the one in the frame, if it has one. */
  notification(notification: JsonObject, sessionId: string | undefined, size: number): void;
  request(method: string, params: unknown, context: RequestContext): unknown;
  /**
   * An error for a call. It may follow a successful response: 0.225 and 0.99 acknowledge a call,
   * then fail it.
   */
  lateError(requestId: string, error: RemoteError): void;
}

interface DroidConnectionOptions {
  readonly cliVersion: Promise<string | undefined>;
  readonly logger?: Logger | undefined;
  readonly tap?: Tap | undefined;
}

interface DroidCallOptions<T> {
  /** Reads the result, in the order of the frames. */
  readonly accept: (result: JsonObject) => T;
  /**
   * Sends the call at once, even where calls wait for each other. Only for calls that Droid never
   * answers with an error without a request id.
   */
  readonly atOnce?: boolean | undefined;
  /** Receives the id of the request when it is sent. */
  readonly onSent?: ((requestId: string) => void) | undefined;
}

const NO_HANDLERS: DroidConnectionHandlers = {
  notification: () => {},
  request: () => undefined,
  lateError: () => {},
};

/**
 * One Droid process and the calls to it.
 *
 * Versions up to 0.117 answer a call they do not understand with an error without a request id. To
 * match that error to its call, only one call is open at a time there; the others wait in a queue.
 */
export class DroidConnection {
  readonly closed: Promise<CloseReason>;
  /** Resolves with `identified`, or when a frame shows the protocol version, whichever comes first. */
  readonly recognized: Promise<void>;
  /** Resolves once the program's version is known, or could not be determined. */
  readonly identified: Promise<void>;
  /** Undefined if the channel does not belong to a process started here. */
  readonly pid: number | undefined;
  handlers: DroidConnectionHandlers = NO_HANDLERS;
  version: DroidVersion = { cli: undefined, protocol: undefined };
  capabilities: DroidCapabilities = capabilitiesOf(this.version);
  readonly #peer: Peer;
  #onProtocol: () => void = () => {};
  #lastRequestId = "";
  #queue: Promise<unknown> = Promise.resolve();
  #soleCall: AbortController | undefined;
  #openCalls = 0;
  #holds = 0;
  #release: Release | undefined;

  /** Starts Droid. Rejects with a DroidError (`start_failed`), whose cause is the SpawnError. */
  static async open(options: ProcessOptions & DroidConnectionOptions): Promise<DroidConnection> {
    const channel = await openProcess(options).catch((cause: unknown) => {
      throw new DroidError("start_failed", toError(cause).message, { cause });
    });
    return new DroidConnection(channel, channel.pid, options);
  }

  /** False from the moment the connection ends, before any call fails. */
  get isOpen(): boolean {
    return this.#peer.closeReason === undefined;
  }

  constructor(channel: Channel, pid: number | undefined, options: DroidConnectionOptions) {
    this.pid = pid;
    const handlers: PeerHandlers = {
      notification: (method, params, size) => this.#onNotification(method, params, size),
      request: (method, params, context) => this.handlers.request(method, params, context),
      orphanError: (error) => this.#soleCall?.abort(error),
    };
    this.#peer = new Peer(options.tap ? tapped(channel, options.tap) : channel, {
      handlers,
      envelope: droidEnvelope((id) => {
        this.#lastRequestId = id;
      }),
      rewriter: { read: (frame) => this.#inspect(frame), write: (frame) => frame },
      logger: options.logger,
    });
    this.closed = this.#peer.closed;
    this.identified = options.cliVersion.then((version) => this.#updateVersion({ cli: version }));
    const protocol = new Promise<void>((resolve) => {
      this.#onProtocol = resolve;
    });
    this.recognized = Promise.race([this.identified, protocol]);
  }

  /**
   * Calls a method. Rejects with DroidRequestError, UnsupportedByDroidError (this version does not
   * have the method) or DroidExitedError.
   */
  async call<T>(method: string, params: JsonObject, options: DroidCallOptions<T>): Promise<T> {
    if (options.atOnce === true || this.capabilities.errorsNameTheirCall)
      return this.#send(method, params, options);
    const call = this.#queue.then(() => this.#send(method, params, options, new AbortController()));
    this.#queue = call.catch(() => {});
    return call;
  }

  /**
   * Pauses reading until released, except while a call is open: its response may come after the
   * unread frames, and the caller that awaits it may be the one that should read them.
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
    soleCall?: AbortController,
  ): Promise<T> {
    this.#openCalls++;
    this.#applyHold();
    if (soleCall) this.#soleCall = soleCall;
    try {
      const answer = this.#peer.call(method, params, {
        accept: (result) => options.accept(asObject(result)),
        signal: soleCall?.signal,
      });
      options.onSent?.(this.#lastRequestId);
      return await answer;
    } catch (error) {
      throw this.#translate(method, error);
    } finally {
      if (this.#soleCall === soleCall) this.#soleCall = undefined;
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
      ? new UnsupportedByDroidError(method, this.version, { cause })
      : cause;
  }

  /** Versions whose errors have no request id answer an unknown method and bad params alike. */
  #isUnknown(method: string, { rpcCode }: RemoteError): boolean {
    if (rpcCode === RpcCode.methodNotFound) return true;
    if (this.capabilities.errorsNameTheirCall || rpcCode !== RpcCode.invalidRequest) return false;
    return !METHODS_OF_0_99.has(method);
  }

  #applyHold(): void {
    const shouldHold = this.#holds > 0 && this.#openCalls === 0;
    if (shouldHold && !this.#release) this.#release = this.#peer.hold();
    if (shouldHold || !this.#release) return;
    this.#release();
    this.#release = undefined;
  }

  #onNotification(method: string, params: unknown, size: number): void {
    if (method !== "droid.session_notification") return;
    const { notification, sessionId } = asObject(params);
    const id = typeof sessionId === "string" ? sessionId : undefined;
    this.handlers.notification(asObject(notification), id, size);
  }

  /** Inspects every frame before it is delivered: the protocol version is outside the params. */
  #inspect(frame: JsonObject): JsonObject {
    if (this.version.protocol === undefined) {
      const protocol = frame["factoryProtocolVersion"];
      if (typeof protocol === "string") {
        this.#updateVersion({ protocol });
        this.#onProtocol();
      }
    }
    if (frame["error"] !== undefined) this.#inspectError(frame);
    return frame;
  }

  #inspectError({ id, error }: JsonObject): void {
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

  #updateVersion(known: Partial<DroidVersion>): void {
    this.version = { ...this.version, ...known };
    this.capabilities = capabilitiesOf(this.version);
  }
}

/** The only value Droid accepts. It answers any other with an error that has no request id. */
const FACTORY_API_VERSION = "1.0.0";

/**
 * The error codes Droid accepts in a response. Any other code hangs its turn: 0.225.2 and 0.99.0
 * discard the frame and keep waiting for a valid one.
 */
const ACCEPTED_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32603, -32001, -32004, -32005,
]);

/**
 * Droid's variant of JSON-RPC: every frame, including responses, has a `type`, and ids are strings.
 * `onRequestId` receives each id as it is assigned, because Droid's echo of a prompt refers to it.
 */
function droidEnvelope(onRequestId: (id: string) => void): Envelope {
  const head = { jsonrpc: "2.0", factoryApiVersion: FACTORY_API_VERSION };
  return {
    requestId: (n) => {
      const id = String(n);
      onRequestId(id);
      return id;
    },
    request: (id, method, params) => ({ ...head, type: "request", id, method, params }),
    notification: (method, params) => ({ ...head, type: "notification", method, params }),
    result: (id, result) => ({ ...head, type: "response", id, result }),
    error: (id, error) => {
      const code = ACCEPTED_CODES.has(error.code) ? error.code : RpcCode.internalError;
      return { ...head, type: "response", id, error: { ...error, code } };
    },
  };
}
