import type { CrowOptions } from "../acp/index.ts";
import type { Logger } from "../wire/index.ts";

/** Options of `serveAgent`. */
export interface ServeOptions {
  /** Receives diagnostics. It must not write to stdout, which carries the protocol. */
  readonly logger?: Logger | undefined;
  /** Closes the connection from the agent's side. */
  readonly signal?: AbortSignal | undefined;
  /** Settings for clients that speak the crow dialect. */
  readonly crow?: CrowOptions | undefined;
}
