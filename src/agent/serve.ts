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
