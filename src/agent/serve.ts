import { type Channel, type CloseReason, quietly } from "../wire/index.ts";
import { assertComplete } from "./capabilities.ts";
import { ClientConnection } from "./connection/connection.ts";
import type { AgentDefinition } from "./definition.ts";
import type { ServeOptions } from "./serve-options.ts";

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
