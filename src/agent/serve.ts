import { quietly, log } from "../base/index.ts";
import type { Channel, CloseReason, Listener } from "../transport/wire/index.ts";
import { assertComplete } from "./capabilities.ts";
import { ClientConnection } from "./connection/connection.ts";
import type { AgentDefinition, ServeOptions } from "./definition.ts";

/**
 * Serves one client over a channel until it disconnects. Resolves with the reason, once every turn
 * has been cancelled, every session closed and the agent's own `close` has run. Rejects with a
 * TypeError, before it reads anything, if the definition is inconsistent, and with any error that the
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
 * finish. Rejects with a TypeError, before it accepts anything, if the definition is inconsistent, and
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
    const connections = new Connections(definition, options);
    const { signal } = options;
    const stop = (): void => {
      void listener.close();
      connections.end();
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    listener.open((channel) => connections.add(channel));
    const failure = await listener.closed;
    await connections.ended();
    signal?.removeEventListener("abort", stop);
    if (failure) throw failure;
  });
}

/** The connections of one server. */
class Connections<S> {
  readonly #definition: AgentDefinition<S>;
  readonly #options: ServeOptions;
  /** One controller per connection: Node warns about a signal with many listeners. */
  readonly #open = new Map<AbortController, Promise<void>>();

  constructor(definition: AgentDefinition<S>, options: ServeOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  add(channel: Channel): void {
    const controller = new AbortController();
    if (this.#options.signal?.aborted === true) controller.abort();
    this.#open.set(controller, this.#serve(channel, controller));
  }

  /** Ends every connection from this side. */
  end(): void {
    for (const controller of this.#open.keys()) controller.abort();
  }

  /** Resolves when no connection is left. */
  async ended(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  async #serve(channel: Channel, controller: AbortController): Promise<void> {
    const { signal } = controller;
    try {
      await serveAgent(channel, this.#definition, { ...this.#options, signal });
    } catch (error) {
      log(this.#options.logger, "error", "the agent's close failed", { error });
    } finally {
      this.#open.delete(controller);
    }
  }
}
