import {
  natural,
  object,
  optional,
  tagged,
  text,
  anyObject,
  array,
  boolean,
  id,
  integer,
  mapOf,
} from "./shape.ts";

/*
 * The shapes of values that several messages have, and of everything unstable. The checks of params also
 * report optional fields of the wrong type, unlike the guards, which are in guards.ts for values that
 * arrive with every update.
 */

/** The five content blocks of v1. An embedded resource may have neither text nor blob. */
export const contentBlock = tagged("type", {
  text: object({ text }),
  image: object({ data: text, mimeType: text, uri: optional(text) }),
  audio: object({ data: text, mimeType: text }),
  resource_link: object({ uri: text, name: text, mimeType: optional(text) }),
  resource: object({ resource: object({ uri: text, text: optional(text), blob: optional(text) }) }),
});

export const toolCallLocation = object({ path: text, line: optional(natural) });

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

/** The mode is checked by the agent, which knows the modes it accepts. */
export const systemPrompt = object({ mode: text, content: array(contentBlock) });

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
