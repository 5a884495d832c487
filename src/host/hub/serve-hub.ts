import { createHub } from "./hub.ts";
import type { HubServer, ServeHubOptions } from "./serve/options.ts";
import { serveWith } from "./serve/serve.ts";

/**
 * Serves agents over WebSocket and streamable HTTP: at `/acp`, with `/healthz` and `/metrics` next to it.
 * Listens on loopback by default. Clients need a token, which decides about their agents, their sessions
 * and their role.
 *
 * Rejects with an ExposedAddressError, a CredentialsError, a ListenError, or the error of a source of tokens or certificates.
 */
export function serveHub(options: ServeHubOptions): Promise<HubServer> {
  return serveWith(createHub, options);
}
