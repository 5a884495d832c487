import {
  anyObject,
  array,
  boolean,
  id,
  integer,
  mapOf,
  natural,
  object,
  optional,
  tagged,
  text,
} from "../parse/shape.ts";
import { contentBlock } from "../parse/content-shapes.ts";

/*
 * The shapes of the unstable values. As everywhere, guards look at the required fields only, and checks
 * of params also report optional fields of the wrong type.
 */

export const authStatus = object({ state: text, accounts: optional(array(anyObject)) });
export const authAccount = object({ label: text, active: optional(boolean) });

export const providerRouting = object({ apiType: text, baseUrl: text });
export const providerInfo = object({
  providerId: id,
  supported: array(text),
  required: boolean,
  current: optional(providerRouting),
});

export const turnUsage = object({
  totalTokens: natural,
  inputTokens: natural,
  outputTokens: natural,
  thoughtTokens: optional(natural),
  cachedReadTokens: optional(natural),
  cachedWriteTokens: optional(natural),
});

/** The entries of an items plan are read like those of `plan`. */
export const planContent = tagged("type", {
  items: object({ planId: text, entries: array(anyObject) }),
  file: object({ planId: text, uri: text }),
  markdown: object({ planId: text, content: text }),
});

export const rpcFailure = object({ code: integer, message: text });

export const mcpServerAcp = object({ name: text, serverId: id });
export const mcpMessage = object({
  serverId: id,
  requestId: id,
  method: text,
  params: optional(anyObject),
});

/** The params of the unstable methods. */
export const UNSTABLE_SHAPES = {
  "auth/status": optional(anyObject),
  "auth/status_update": authStatus,
  "providers/list": optional(anyObject),
  "providers/set": object({
    providerId: id,
    apiType: text,
    baseUrl: text,
    headers: optional(mapOf(text)),
  }),
  "providers/disable": object({ providerId: id }),
  "session/archive": object({ sessionId: id }),
  "session/unarchive": object({ sessionId: id }),
  "session/status": object({ sessionId: id }),
  "session/set_title": object({ sessionId: id, title: text }),
  "mcp/message": mcpMessage,
  "proxy/initialize": anyObject,
  "proxy/successor": object({ method: text }),
} as const;

/** The mode is checked by the agent, which knows the modes it accepts. */
export const systemPrompt = object({ mode: text, content: array(contentBlock) });
