import { checkParams, type ProxyMessage, UNSTABLE_METHODS } from "../../protocol/acp/index.ts";
import { Peer, RemoteError, type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { definedFields, type Logger, quietly } from "../../base/index.ts";
import type { Channel, CloseReason } from "../../transport/wire/index.ts";

/** A request or notification on its way through a proxy. */
export interface ProxiedMessage {
  readonly method: string;
  /** The params, unchecked. */
  readonly params: unknown;
}

/** A request on its way through a proxy. */
export interface ProxiedRequest extends ProxiedMessage {
  /** Aborted when the sender cancels the request or the connection ends. */
  readonly signal: AbortSignal;
  /**
   * Passes the request on, with other params if given, and resolves with its result. Rejects with
   * RemoteError if the other side answers with an error; let it propagate to pass it back.
   */
  readonly forward: (params?: unknown) => Promise<unknown>;
}

/** How a proxy handles the messages of one direction. It passes on messages without a handler. */
export interface ProxyHandlers {
  /** Answers a request: return `request.forward()`, another result, or throw an RpcError. */
  readonly request?: ((request: ProxiedRequest) => unknown) | undefined;
  /** Returns the notification to pass on, perhaps changed; undefined drops it. */
  readonly notification?:
    | ((notification: ProxiedMessage) => ProxiedMessage | undefined)
    | undefined;
}

/** A proxy between a client and an agent, as a conductor starts it. */
export interface ProxyDefinition {
  /** Required, because proxy chains are not stable in ACP. */
  readonly unstable: true;
  /** Messages of the client, on their way to the agent. `initialize` is one of them. */
  readonly fromClient?: ProxyHandlers | undefined;
  /** Messages of the agent, on their way to the client. */
  readonly fromAgent?: ProxyHandlers | undefined;
  /** Receives diagnostics. It must not write to stdout, which carries the protocol. */
  readonly logger?: Logger | undefined;
}

const PROXY_SUCCESSOR = "proxy/successor" satisfies (typeof UNSTABLE_METHODS)["proxySuccessor"];

/**
 * Serves a proxy of a proxy chain over the channel to its conductor, until the conductor disconnects.
 * Resolves with the reason. Rejects if the channel cannot be opened. Messages keep their order, unless
 * a handler waits before it passes one on.
 */
export function serveProxy(channel: Channel, definition: ProxyDefinition): Promise<CloseReason> {
  return quietly(async () => await new Proxy(channel, definition).closed);
}

class Proxy {
  readonly closed: Promise<CloseReason>;
  readonly #definition: ProxyDefinition;
  readonly #peer: Peer;

  constructor(channel: Channel, definition: ProxyDefinition) {
    this.#definition = definition;
    this.#peer = new Peer(channel, {
      malformed: "answer",
      logger: definition.logger,
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params) => this.#notification(method, params),
      },
    });
    this.closed = this.#peer.closed;
  }

  #request(method: string, params: unknown, { signal }: RequestContext): unknown {
    const { fromAgent, fromClient } = this.#definition;
    if (method === PROXY_SUCCESSOR) {
      const inner = successorMessage(params);
      const forward = (given: unknown = inner.params): Promise<unknown> =>
        this.#peer.call(inner.method, given, { signal });
      return answer(fromAgent, { ...inner, signal, forward });
    }
    // The conductor marks a proxy by this name. The agent behind it gets the usual one.
    const wrapped = method === UNSTABLE_METHODS.initializeProxy ? "initialize" : method;
    const forward = (given: unknown = params): Promise<unknown> =>
      this.#peer.call(PROXY_SUCCESSOR, wrap(wrapped, given), { signal });
    return answer(fromClient, { method: wrapped, params, signal, forward });
  }

  #notification(method: string, params: unknown): void {
    const { fromAgent, fromClient } = this.#definition;
    if (method === PROXY_SUCCESSOR) {
      const passed = pass(fromAgent, successorMessage(params));
      if (passed) void this.#peer.notify(passed.method, passed.params);
      return;
    }
    const passed = pass(fromClient, { method, params });
    if (passed) void this.#peer.notify(PROXY_SUCCESSOR, wrap(passed.method, passed.params));
  }
}

/** An error of the other side goes back exactly as it came. */
async function answer(
  handlers: ProxyHandlers | undefined,
  request: ProxiedRequest,
): Promise<unknown> {
  try {
    return await (handlers?.request ? handlers.request(request) : request.forward());
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { code, message, data } = error.received;
    throw new RpcError(code, message, data);
  }
}

function pass(
  handlers: ProxyHandlers | undefined,
  message: ProxiedMessage,
): ProxiedMessage | undefined {
  return handlers?.notification ? handlers.notification(message) : message;
}

function wrap(method: string, params: unknown): ProxyMessage {
  return { method, ...definedFields({ params }) };
}

/** The message inside a `proxy/successor`. Throws -32602 if there is none. */
function successorMessage(params: unknown): ProxiedMessage {
  const checked = checkParams(PROXY_SUCCESSOR, params);
  if (!checked.ok) throw RpcError.invalidParams("Invalid params", { errors: checked.faults });
  return { method: checked.params.method, params: checked.params.params };
}
