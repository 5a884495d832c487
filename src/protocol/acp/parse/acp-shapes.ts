import type {
  AuthMethod,
  AvailableCommand,
  ContentBlock,
  Cost,
  Implementation,
  SessionConfigOption,
  SessionModeState,
  ToolCallLocation,
} from "../types.ts";
import type {
  AuthAccount,
  McpErrorObject,
  PlanContent,
  ProviderInfo,
  ProviderRouting,
  SessionInfo,
  TokenUsage,
} from "../types/unstable.ts";
import {
  anyObject,
  array,
  boolean,
  either,
  id,
  ifGiven,
  integer,
  mapOf,
  natural,
  number,
  object,
  optional,
  tagged,
  text,
} from "./shape.ts";

/* The shapes of values that several messages have. */

/** The five content blocks of v1. An embedded resource may have neither text nor blob. */
export const contentBlock = tagged<ContentBlock>("type", {
  text: object({ text }),
  image: object({ data: text, mimeType: text, uri: optional(text) }),
  audio: object({ data: text, mimeType: text }),
  resource_link: object({ uri: text, name: text, mimeType: optional(text) }),
  resource: object({ resource: object({ uri: text, text: optional(text), blob: optional(text) }) }),
});

export const toolCallLocation = object<ToolCallLocation>({ path: text, line: optional(natural) });
export const implementation = object<Implementation>({
  name: text,
  version: text,
  title: optional(text),
});
export const cost = object<Cost>({ amount: number, currency: text });
export const sessionInfo = object<SessionInfo>({ sessionId: text, cwd: text });
export const availableCommand = object<AvailableCommand>({
  name: text,
  description: text,
  input: ifGiven(object({ hint: text })),
});

const named = object({ id: text, name: text });

export const modeState = object<SessionModeState>({
  currentModeId: text,
  availableModes: array(named),
});

const selectOption = object({ value: text, name: text });
const selectGroup = object({ group: text, name: text, options: array(selectOption) });

/** Option types that this version does not know must be ignored. */
export const configOption = tagged<SessionConfigOption>("type", {
  boolean: object({ id: text, name: text, currentValue: boolean }),
  select: object({
    id: text,
    name: text,
    currentValue: text,
    options: either(array(selectOption), array(selectGroup)),
  }),
});

export const authMethod = tagged<AuthMethod>(
  "type",
  {
    agent: named,
    // Both end up on a command line, so unlike other optional fields they must have the right type.
    terminal: object({
      id: text,
      name: text,
      args: ifGiven(array(text)),
      env: ifGiven(mapOf(text)),
    }),
  },
  named,
);

export const authAccount = object<AuthAccount>({ label: text, active: optional(boolean) });
export const providerRouting = object<ProviderRouting>({ apiType: text, baseUrl: text });
export const providerInfo = object<ProviderInfo>({
  providerId: id,
  supported: array(text),
  required: boolean,
});

export const turnUsage = object<TokenUsage>({
  totalTokens: natural,
  inputTokens: natural,
  outputTokens: natural,
});

/** The entries of an items plan are read like those of `plan`. */
export const planContent = tagged<PlanContent>("type", {
  items: object({ planId: text, entries: array(anyObject) }),
  file: object({ planId: text, uri: text }),
  markdown: object({ planId: text, content: text }),
});

/** A JSON-RPC error inside a message. */
export const failure = object<McpErrorObject>({ code: integer, message: text });
