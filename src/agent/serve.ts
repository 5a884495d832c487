import type { Channel, CloseReason } from "../wire/index.ts";
import { assertComplete } from "./capabilities.ts";
import { ClientConnection } from "./connection/connection.ts";
import type { AgentDefinition } from "./definition.ts";
import type { ServeOptions } from "./serve-options.ts";

/**
 * Serves one client over a channel until it goes away; resolves with how it went, after every turn
 * has been cancelled, every session closed and the agent's own `close` has run. Rejects, before
 * anything is read, with a TypeError for a definition that promises what it lacks, and with what the
 * agent's `close` throws.
 *
 * A turn that does not obey its signal is waited for a few seconds and then left behind.
 */
export async function serveAgent<S>(
  channel: Channel,
  definition: AgentDefinition<S>,
  options: ServeOptions = {},
): Promise<CloseReason> {
  assertComplete(definition);
  const connection = new ClientConnection(channel, definition, options);
  return await connection.done;
}
