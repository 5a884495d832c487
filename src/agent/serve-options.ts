import type { CrowOptions } from "../acp/index.ts";
import type { Logger } from "../wire/index.ts";

/** How `serveAgent` serves a client. */
export interface ServeOptions {
  /** Where diagnostics go. Never stdout: that is the protocol. */
  readonly logger?: Logger;
  /** Ends the connection from the agent's side. */
  readonly signal?: AbortSignal;
  /** Details of the crow dialect, for clients that speak it. */
  readonly crow?: CrowOptions;
}
