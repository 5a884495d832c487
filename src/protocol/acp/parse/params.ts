import type {
  AuthenticateRequest,
  CancelRequestNotification,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateTerminalRequest,
  InitializeRequest,
  ListSessionsRequest,
  LoadSessionRequest,
  LogoutRequest,
  NewSessionRequest,
  PromptRequest,
  ReadTextFileRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
  TerminalOutputRequest,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk";
import {
  definedFields,
  isJsonObject as isObject,
  type JsonObject,
  merged,
} from "../../../base/index.ts";
import {
  absolutePath,
  anyObject,
  anything,
  array,
  boolean,
  both,
  type Fault,
  Faults,
  fits,
  id,
  mapOf,
  natural,
  natural16,
  object,
  optional,
  requestId,
  type Shape,
  tagged,
  text,
  type ValueOf,
} from "./shape.ts";
import { isPermissionOptionKind } from "../vocabulary.ts";
import { contentBlock, implementation, toolCallLocation } from "./acp-shapes.ts";
import { type Meta, metaOf } from "../meta.ts";
import type { PermissionOptionKind } from "../types.ts";
import type {
  AuthStatus,
  McpServer,
  McpMessageParams,
  ProviderSettings,
  ProxyMessage,
  SystemPrompt,
} from "../types/unstable.ts";

/** An option of a permission request as received. Its kind may be unknown. */
export interface RawPermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** The kind, as the agent sent it. */
  readonly kind: string;
  readonly _meta?: Meta | null | undefined;
}

/** Params with the fields of the unstable schema. `systemPrompt` is unchecked: see `systemPromptParamFaults`. */
type WithUnstable<P extends { mcpServers?: unknown }> = Omit<P, "mcpServers"> & {
  readonly mcpServers?: McpServer[] | undefined;
  readonly systemPrompt?: unknown;
};

interface InSession {
  readonly sessionId: string;
}

const nameValue = object({ name: text, value: text });
const remoteMcp = object({ name: text, url: text, headers: array(nameValue) });
const stdioMcp = object({ name: text, command: text, args: array(text), env: array(nameValue) });
const mcpServer = tagged(
  "type",
  {
    http: remoteMcp,
    sse: remoteMcp,
    stdio: stdioMcp,
    acp: object({ name: text, serverId: id }),
  },
  stdioMcp,
);

const inSession = object<InSession>({ sessionId: id });
const inTerminal = object<TerminalOutputRequest>({ sessionId: id, terminalId: id });
const folders = object({
  cwd: absolutePath,
  additionalDirectories: optional(array(absolutePath)),
});
const reopened = both<WithUnstable<ResumeSessionRequest>>(
  folders,
  object({ sessionId: id, mcpServers: optional(array(mcpServer)) }),
);

const toolCall = object({
  toolCallId: text,
  title: optional(text),
  name: optional(text),
  kind: optional(text),
  status: optional(text),
  content: optional(array(anyObject)),
  locations: optional(array(toolCallLocation)),
});

/** An elicitation has exactly one of two scopes. */
const elicitationScope: Shape = {
  accepts: anything.accepts,
  check: (value, path, faults) => {
    if (!isObject(value)) return;
    const hasSessionId = value["sessionId"] !== undefined;
    const hasRequestId = value["requestId"] !== undefined;
    if (hasSessionId === hasRequestId) {
      faults.add(path, "must have exactly one of sessionId and requestId");
    } else if (hasSessionId) {
      object({ sessionId: id, toolCallId: optional(text) }).check(value, path, faults);
    } else {
      object({ requestId }).check(value, path, faults);
    }
  },
};

const elicitation: Shape<CreateElicitationRequest> = both(
  tagged("mode", {
    form: object({ message: text, requestedSchema: anyObject }),
    url: object({ message: text, url: text, elicitationId: id }),
  }),
  elicitationScope,
);

const configValue: Shape = {
  accepts: anything.accepts,
  check: (value, path, faults) => {
    const isBoolean = isObject(value) && value["type"] === "boolean";
    object({ configId: id, value: isBoolean ? boolean : text }).check(value, path, faults);
  },
};

/**
 * The params of every method. The shapes are strict about required fields and types, and lenient about
 * unknown fields and unknown words in closed lists. A tag that decides which other fields exist (content
 * type, MCP transport, elicitation mode) must be known.
 */
const SHAPES = {
  /** Capabilities stay raw: read them with `clientHas`. */
  initialize: object<
    Omit<InitializeRequest, "clientCapabilities"> & {
      readonly clientCapabilities?: JsonObject | null | undefined;
    }
  >({
    protocolVersion: natural16,
    clientCapabilities: optional(anyObject),
    clientInfo: optional(implementation),
  }),
  authenticate: object<AuthenticateRequest>({ methodId: id }),
  logout: object<LogoutRequest>({}),
  "session/new": both<WithUnstable<NewSessionRequest>>(
    folders,
    object({ mcpServers: array(mcpServer) }),
  ),
  "session/load": both<WithUnstable<LoadSessionRequest>>(
    folders,
    object({ sessionId: id, mcpServers: array(mcpServer) }),
  ),
  "session/resume": reopened,
  "session/fork": reopened,
  /** `archived` is unchecked: only an agent with `unstable: true` reads it. */
  "session/list": object<ListSessionsRequest & { readonly archived?: unknown }>({
    cwd: optional(absolutePath),
    cursor: optional(text),
  }),
  "session/delete": inSession,
  "session/close": inSession,
  "session/prompt": object<PromptRequest>({ sessionId: id, prompt: array(contentBlock) }),
  "session/cancel": inSession,
  "session/set_mode": object<SetSessionModeRequest>({ sessionId: id, modeId: id }),
  "session/set_config_option": both<SetSessionConfigOptionRequest>(inSession, configValue),

  /** Read `update` with `toUpdate`. */
  "session/update": object<InSession & { readonly update: JsonObject }>({
    sessionId: id,
    update: anyObject,
  }),
  /** Read `toolCall` with `toToolCallPatch` and `options` with `readPermissionOptions`. */
  "session/request_permission": object<
    InSession & {
      readonly toolCall: JsonObject;
      readonly options: readonly RawPermissionOption[];
      /** Unchecked. Only agents of v2 send a title, a description and a subject. */
      readonly title?: unknown;
      readonly description?: unknown;
      readonly subject?: unknown;
    }
  >({
    sessionId: id,
    toolCall,
    options: array(object({ optionId: text, name: text, kind: text })),
  }),
  "fs/read_text_file": object<ReadTextFileRequest>({
    sessionId: id,
    path: absolutePath,
    line: optional(natural),
    limit: optional(natural),
  }),
  "fs/write_text_file": object<WriteTextFileRequest>({
    sessionId: id,
    path: absolutePath,
    content: text,
  }),
  "terminal/create": object<CreateTerminalRequest>({
    sessionId: id,
    command: text,
    args: optional(array(text)),
    env: optional(array(nameValue)),
    cwd: optional(absolutePath),
    outputByteLimit: optional(natural),
  }),
  "terminal/output": inTerminal,
  "terminal/wait_for_exit": inTerminal,
  "terminal/kill": inTerminal,
  "terminal/release": inTerminal,
  "elicitation/complete": object<CompleteElicitationNotification>({ elicitationId: id }),
  "$/cancel_request": object<CancelRequestNotification>({ requestId }),

  "auth/status": anyObject,
  /** Read it with `readAuthStatus`. */
  "auth/status_update": object<AuthStatus>({ state: text, accounts: optional(array(anyObject)) }),
  "providers/list": anyObject,
  "providers/set": object<ProviderSettings & { readonly providerId: string }>({
    providerId: id,
    apiType: text,
    baseUrl: text,
    headers: optional(mapOf(text)),
  }),
  "providers/disable": object<{ readonly providerId: string }>({ providerId: id }),
  "session/archive": inSession,
  "session/unarchive": inSession,
  "session/status": inSession,
  "session/set_title": object<InSession & { readonly title: string }>({
    sessionId: id,
    title: text,
  }),
  "mcp/message": object<McpMessageParams>({
    serverId: id,
    requestId: id,
    method: text,
    params: optional(anyObject),
  }),
  /** The params of `initialize`, which the next component checks. */
  "proxy/initialize": anyObject,
  "proxy/successor": object<ProxyMessage>({ method: text }),
} as const;

/** The params of every method after validation. */
export type ParamsOf = { readonly [M in keyof typeof SHAPES]: ValueOf<(typeof SHAPES)[M]> } & {
  // The compiler cannot name this type by itself, because the SDK has a function of the same name.
  readonly "elicitation/create": CreateElicitationRequest;
};

const BY_METHOD: { readonly [M in keyof ParamsOf]: Shape<ParamsOf[M]> } = /* @__PURE__ */ merged(
  SHAPES,
  { "elicitation/create": elicitation },
);
const BY_NAME = /* @__PURE__ */ new Map<string, Shape>(/* @__PURE__ */ Object.entries(BY_METHOD));

/**
 * Every fault in the params of a method, for `data.errors` of error -32602; empty when there is none.
 * Absent params count as `{}`, and a null field counts as omitted. Unknown methods have no rules, and so
 * no faults. Lists at most a hundred faults. Never throws.
 */
export function paramFaults(method: string, params: unknown): readonly Fault[] {
  const faults = new Faults();
  (BY_NAME.get(method) ?? anything).check(params ?? {}, "", faults);
  return faults.list();
}

/**
 * Checks the params of a method and returns them typed, or returns their faults. Drops null fields from
 * the returned params, so that an absent value has only one form. Never throws.
 */
export function checkParams<M extends keyof ParamsOf>(
  method: M,
  params: unknown,
):
  | { readonly ok: true; readonly params: ParamsOf[M] }
  | { readonly ok: false; readonly faults: readonly Fault[] } {
  const given = withoutNulls(params ?? {});
  const faults = new Faults();
  if (fits(BY_METHOD[method], given, faults)) return { ok: true, params: given };
  return { ok: false, faults: faults.list() };
}

function withoutNulls(params: unknown): unknown {
  if (!isObject(params)) return params;
  const entries = Object.entries(params);
  // Null is a valid request id.
  const kept = entries.filter(([key, value]) => value !== null || key === "requestId");
  return kept.length === entries.length ? params : Object.fromEntries(kept);
}

/** The mode is checked by the agent, which knows the modes it accepts. */
const systemPrompt = object<SystemPrompt>({ mode: text, content: array(contentBlock) });

/** Every fault of a `systemPrompt`, for error -32602. It must have content, all of it text. Never throws. */
export function systemPromptParamFaults(value: unknown): readonly Fault[] {
  const faults = new Faults();
  systemPrompt.check(value, "systemPrompt", faults);
  if (!systemPrompt.accepts(value)) return faults.list();
  if (value.content.length === 0) faults.add("systemPrompt.content", "must not be empty");
  for (const [i, block] of value.content.entries()) {
    if (block.type !== "text") faults.add(`systemPrompt.content[${i}].type`, 'must be "text"');
  }
  return faults.list();
}

/** The value as a system prompt; undefined if it has a mode that this version does not know. */
export function toSystemPromptParam(value: unknown): SystemPrompt | undefined {
  if (!systemPrompt.accepts(value)) return undefined;
  return value.mode === "append" || value.mode === "override" ? value : undefined;
}

/**
 * The kind of a permission option that has no known kind. It is not a kind of the protocol, so a policy
 * that looks for an allowing or rejecting option never picks it. Only a person can choose it.
 */
export const UNKNOWN_OPTION_KIND = "unknown";

/** One option of a permission request, with a known kind or `unknown`. */
export interface PermissionChoice {
  readonly optionId: string;
  readonly name: string;
  /** The kind of the option; `unknown` if the agent sent one that is not in the protocol. */
  readonly kind: PermissionOptionKind | typeof UNKNOWN_OPTION_KIND;
  readonly meta?: Meta | undefined;
  readonly raw: RawPermissionOption;
}

/** Reads the options of a validated permission request, in order. Never throws. */
export function readPermissionOptions(
  options: readonly RawPermissionOption[],
): readonly PermissionChoice[] {
  return options.map((raw) => ({
    optionId: raw.optionId,
    name: raw.name,
    kind: isPermissionOptionKind(raw.kind) ? raw.kind : UNKNOWN_OPTION_KIND,
    ...definedFields({ meta: metaOf(raw) }),
    raw,
  }));
}
