import { log, type Logger, quietly, within } from "../../base/index.ts";
import type { Channel, CloseReason, Listener } from "../../transport/wire/index.ts";
import { assertComplete, initializeResult } from "../capabilities.ts";
import type { AgentDefinition, ServeOptions } from "../definition.ts";
import {
  AGENT_METHODS,
  checkParams,
  detectingRewriter,
  isExtensionMethod,
  metaOf,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import { Peer, type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { negotiatingRewriter } from "../../protocol/translator/index.ts";
import { HOLD_ABOVE_UNREAD, Link } from "./client.ts";
import { answerable, invalidRequest } from "../errors.ts";
import { agentMethods, checkedParams, type MethodHandler } from "./methods.ts";
import { SessionRegistry } from "../session/session-registry.ts";

/**
 * Serves one client over a channel until it disconnects. Resolves with the reason, once every turn
 * has been cancelled, every session closed and the agent's own `close` has run. Rejects with a
 * TypeError, before it reads anything, if the definition is inconsistent or has an unknown member, and with any error that the
 * agent's `close` throws.
 *
 * It waits a few seconds for a turn that ignores its signal, and then abandons it.
 */
export function serveAgent<S>(
  channel: Channel,
  definition: AgentDefinition<S>,
  options: ServeOptions = {},
): Promise<CloseReason> {
  return quietly(async () => {
    assertComplete(definition);
    const connection = new ClientConnection(channel, definition, options);
    return await connection.done;
  });
}

/**
 * Serves every client that connects to a listener, each with sessions of its own, all with one
 * definition.
 *
 * Resolves when the listener has stopped and every connection has ended. Aborting `options.signal`
 * stops the listener and ends every connection; `listener.close()` lets the clients that are connected
 * finish. Rejects with a TypeError, before it accepts anything, if the definition is inconsistent or has an unknown member, and
 * with the error of a listener that fails, once every connection has ended. If the agent's `close`
 * throws, the logger gets the error and the other connections continue.
 */
export function serveAgents<S>(
  listener: Listener,
  definition: AgentDefinition<S>,
  options: ServeOptions = {},
): Promise<void> {
  return quietly(async () => {
    assertComplete(definition);
    /** One controller per connection: Node warns about a signal with many listeners. */
    const open = new Map<AbortController, Promise<void>>();
    const serve = async (channel: Channel, controller: AbortController): Promise<void> => {
      try {
        await serveAgent(channel, definition, { ...options, signal: controller.signal });
      } catch (error) {
        log(options.logger, "error", "the agent's close failed", { error });
      } finally {
        open.delete(controller);
      }
    };
    const { signal } = options;
    const stop = (): void => {
      void listener.close();
      for (const controller of open.keys()) controller.abort();
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    listener.open((channel) => {
      const controller = new AbortController();
      if (signal?.aborted === true) controller.abort();
      open.set(controller, serve(channel, controller));
    });
    const failure = await listener.closed;
    await Promise.all(open.values());
    signal?.removeEventListener("abort", stop);
    if (failure) throw failure;
  });
}

/** How long a closed connection waits for turns that ignore their signal. */
const LAST_TURNS_MS = 5000;

export class ClientConnection<S> {
  readonly done: Promise<CloseReason>;
  readonly #definition: AgentDefinition<S>;
  readonly #logger: Logger | undefined;
  readonly #dialect;
  readonly #rewriter;
  readonly #peer: Peer;
  /** Whether the client sent any request after `initialize`. */
  #isUsed = false;
  #methods: ReadonlyMap<string, MethodHandler> | undefined;
  #link: Link | undefined;
  #registry: SessionRegistry<S> | undefined;
  readonly #lastTurnsMs: number;

  /** @param lastTurnsMs How long to wait for turns that ignore their signal; tests shorten it. */
  constructor(
    channel: Channel,
    definition: AgentDefinition<S>,
    options: ServeOptions,
    lastTurnsMs: number = LAST_TURNS_MS,
  ) {
    this.#definition = definition;
    this.#lastTurnsMs = lastTurnsMs;
    this.#logger = options.logger;
    this.#dialect = detectingRewriter("agent", options.crow);
    this.#rewriter = negotiatingRewriter(this.#dialect);
    this.#peer = new Peer(channel, {
      malformed: "answer",
      holdAboveUnread: HOLD_ABOVE_UNREAD,
      rewriter: this.#rewriter,
      logger: options.logger,
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params) => this.#notification(method, params),
      },
    });
    this.done = this.#peer.closed.then((reason) => this.#finish(reason));
    const close = (): void => void this.#peer.close();
    if (options.signal?.aborted === true) close();
    else options.signal?.addEventListener("abort", close, { once: true });
    void this.#peer.closed.then(() => options.signal?.removeEventListener("abort", close));
  }

  #request(method: string, params: unknown, context: RequestContext): unknown {
    if (method === AGENT_METHODS.initialize) return this.#initialize(params);
    this.#isUsed = true;
    if (!this.#methods) throw invalidRequest("Send initialize first", { method });
    const handle = this.#methods.get(method);
    if (!handle) throw RpcError.methodNotFound(method);
    return this.#answer(handle, params, context);
  }

  async #answer(handle: MethodHandler, params: unknown, context: RequestContext): Promise<unknown> {
    try {
      return await handle(params, context);
    } catch (error) {
      throw answerable(error);
    }
  }

  #initialize(params: unknown): unknown {
    const { version } = this.#rewriter;
    // In v2, a client may repeat it until it sends another request. The last one counts.
    if (this.#link && (version === 1 || this.#link.protocolVersion === 1 || this.#isUsed)) {
      throw invalidRequest("The connection is already initialized");
    }
    const given = checkedParams(AGENT_METHODS.initialize, params);
    this.#isUsed = false;
    const spoken = { dialect: this.#dialect.dialect, version };
    const link = new Link(this.#peer, given, spoken, this.#definition);
    this.#link = link;
    this.#registry = new SessionRegistry(this.#definition, link, (message, error) =>
      this.#logFailure(message, error),
    );
    this.#methods = agentMethods(this.#definition, link, this.#registry);
    return initializeResult(this.#definition, link);
  }

  #notification(method: string, params: unknown): void {
    if (!this.#link) return;
    if (method === AGENT_METHODS.cancel) {
      const given = checkParams(AGENT_METHODS.cancel, params);
      if (given.ok) this.#registry?.cancel(given.params.sessionId, metaOf(given.params));
      else
        log(this.#logger, "warn", "ignored a session/cancel without a valid session id", {
          faults: given.faults,
        });
      return;
    }
    const { notifications, unstable } = this.#definition;
    if (method === UNSTABLE_METHODS.mcpMessage && unstable === true) {
      return this.#link.unstable.mcp.notification(params);
    }
    if (!isExtensionMethod(method) || !notifications || !Object.hasOwn(notifications, method))
      return;
    notifications[method]?.(params, this.#link);
  }

  async #finish(reason: CloseReason): Promise<CloseReason> {
    const sessionsClosed = this.#registry?.closeAll() ?? Promise.resolve();
    await within(sessionsClosed, this.#lastTurnsMs);
    await this.#definition.close?.(reason, this.#link);
    return reason;
  }

  #logFailure(message: string, error: unknown): void {
    log(this.#logger, "error", message, { error });
  }
}
