import { AGENT_METHODS, checkParams, detectingRewriter } from "../../acp/index.ts";
import { Peer, type Release, type RequestContext, RpcError } from "../../rpc/index.ts";
import { type Channel, type CloseReason, log, type Logger, within } from "../../wire/index.ts";
import { initializeResult } from "../capabilities.ts";
import { ClientLink, type ExtensionMethod } from "./client-link.ts";
import type { AgentDefinition } from "../definition.ts";
import { answerable, invalidRequest } from "../errors.ts";
import { MeteredChannel } from "./metered.ts";
import { agentMethods, checked, type MethodHandler } from "./methods.ts";
import type { ServeOptions } from "../serve-options.ts";
import { SessionRegistry } from "../session/session-registry.ts";

/** How long a lost connection waits for turns that do not obey their signal. */
const LAST_TURNS_MS = 5000;

/** Requests answered at a time, prompts aside, before no more are read. */
const HOLD_ABOVE_REQUESTS = 1000;

/** One client being served. */
export class ClientConnection<S> {
  readonly done: Promise<CloseReason>;
  readonly #definition: AgentDefinition<S>;
  readonly #logger: Logger | undefined;
  readonly #rewriter;
  readonly #channel: MeteredChannel;
  readonly #peer: Peer;
  #methods: ReadonlyMap<string, MethodHandler> | undefined;
  #link: ClientLink | undefined;
  #registry: SessionRegistry<S> | undefined;
  #running = 0;
  #tooMany: Release | undefined;

  constructor(channel: Channel, definition: AgentDefinition<S>, options: ServeOptions) {
    this.#definition = definition;
    this.#logger = options.logger;
    this.#rewriter = detectingRewriter("agent", options.crow);
    this.#channel = new MeteredChannel(channel);
    this.#peer = new Peer(this.#channel, {
      malformed: "answer",
      rewriter: this.#rewriter,
      logger: options.logger,
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params) => this.#notification(method, params),
      },
    });
    this.#holdUnderPressure();
    this.done = this.#peer.closed.then((reason) => this.#finish(reason));
    const close = (): void => void this.#peer.close();
    if (options.signal?.aborted === true) close();
    else options.signal?.addEventListener("abort", close, { once: true });
    void this.#peer.closed.then(() => options.signal?.removeEventListener("abort", close));
  }

  #request(method: string, params: unknown, context: RequestContext): unknown {
    if (method === AGENT_METHODS.initialize) return this.#initialize(params);
    if (!this.#methods) throw invalidRequest("Send initialize first", { method });
    const handle = this.#methods.get(method);
    if (!handle) throw RpcError.methodNotFound(method);
    return this.#answer(method, handle, params, context);
  }

  async #answer(
    method: string,
    handle: MethodHandler,
    params: unknown,
    context: RequestContext,
  ): Promise<unknown> {
    // A prompt may wait for answers that come the same way, so it must never hold up reading.
    const counted = method !== AGENT_METHODS.prompt && !method.startsWith("_");
    if (counted) this.#begin();
    try {
      return await handle(params, context);
    } catch (error) {
      throw answerable(error);
    } finally {
      if (counted) this.#end();
    }
  }

  #initialize(params: unknown): unknown {
    if (this.#link) throw invalidRequest("The connection is initialized already");
    const given = checked(AGENT_METHODS.initialize, params);
    const link = new ClientLink(this.#peer, this.#channel, given, this.#rewriter.dialect);
    this.#link = link;
    this.#registry = new SessionRegistry(this.#definition, link, (what, error) =>
      this.#fail(what, error),
    );
    this.#methods = agentMethods(this.#definition, link, this.#registry);
    return initializeResult(this.#definition, link);
  }

  #notification(method: string, params: unknown): void {
    if (!this.#link) return;
    if (method === AGENT_METHODS.cancel) {
      const given = checkParams(AGENT_METHODS.cancel, params);
      if (given.ok) this.#registry?.cancel(given.params.sessionId);
      else log(this.#logger, "warn", "a cancel names no session", { faults: given.faults });
      return;
    }
    const { notifications } = this.#definition;
    if (!isExtension(method) || !notifications || !Object.hasOwn(notifications, method)) return;
    notifications[method]?.(params, this.#link);
  }

  async #finish(reason: CloseReason): Promise<CloseReason> {
    const shut = this.#registry?.shut() ?? Promise.resolve();
    await within(shut, LAST_TURNS_MS);
    await this.#definition.close?.(reason);
    return reason;
  }

  /** A client that asks and does not read the answers is not heard until it has. */
  #holdUnderPressure(): void {
    let release: Release | undefined;
    this.#channel.onPressure = (full) => {
      if (full) release = this.#peer.hold();
      else release?.();
    };
  }

  #begin(): void {
    this.#running++;
    if (this.#running > HOLD_ABOVE_REQUESTS) this.#tooMany ??= this.#peer.hold();
  }

  #end(): void {
    this.#running--;
    if (this.#running > HOLD_ABOVE_REQUESTS / 2) return;
    this.#tooMany?.();
    this.#tooMany = undefined;
  }

  #fail(what: string, error: unknown): void {
    log(this.#logger, "error", what, { error });
  }
}

function isExtension(method: string): method is ExtensionMethod {
  return method.startsWith("_");
}
