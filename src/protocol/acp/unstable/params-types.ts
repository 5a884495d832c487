import type { McpMessageParams, ProviderSettings, ProxyMessage } from "./types.ts";

interface InSession {
  readonly sessionId: string;
}

/** The params of the unstable methods after validation. */
export interface UnstableParamsOf {
  "auth/status": object;
  /** Read it with `readAuthStatus`. */
  "auth/status_update": object;
  "providers/list": object;
  "providers/set": ProviderSettings & { readonly providerId: string };
  "providers/disable": { readonly providerId: string };
  "session/archive": InSession;
  "session/unarchive": InSession;
  "session/status": InSession;
  "session/set_title": InSession & { readonly title: string };
  "mcp/message": McpMessageParams;
  /** The params of `initialize`, which the next component checks. */
  "proxy/initialize": object;
  "proxy/successor": ProxyMessage;
}
