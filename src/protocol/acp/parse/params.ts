import { definedFields, merged, type JsonObject } from "../../../base/index.ts";
import { isObject } from "./guards.ts";
import {
  absolutePath,
  anyObject,
  anything,
  array,
  boolean,
  both,
  type Fault,
  faultsOf,
  id,
  natural,
  natural16,
  object,
  optional,
  requestId,
  type Shape,
  tagged,
  text,
  Faults,
} from "./shape.ts";
import { isPermissionOptionKind } from "../vocabulary.ts";
import {
  contentBlock,
  toolCallLocation,
  mcpServerAcp,
  UNSTABLE_SHAPES,
  systemPrompt,
} from "./shapes.ts";
import { type Meta, metaOf } from "../meta.ts";
import type {
  McpServer,
  McpMessageParams,
  ProviderSettings,
  ProxyMessage,
  SystemPrompt,
} from "../types/unstable.ts";
import type {
  AuthenticateRequest,
  CancelNotification,
  CancelRequestNotification,
  CloseSessionRequest,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateTerminalRequest,
  DeleteSessionRequest,
  InitializeRequest,
  KillTerminalRequest,
  ListSessionsRequest,
  LoadSessionRequest,
  LogoutRequest,
  PermissionOptionKind,
  NewSessionRequest,
  PromptRequest,
  ReadTextFileRequest,
  ReleaseTerminalRequest,
  ResumeSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
  TerminalOutputRequest,
  WaitForTerminalExitRequest,
  WriteTextFileRequest,
} from "../types.ts";

/** An option of a permission request as received. Its kind may be unknown. */
export interface RawPermissionOption {
  readonly optionId: string;
  /** The label for the user, as the agent wrote it. */
  readonly name: string;
  /** The kind, as the agent sent it. */
  readonly kind: string;
  /** The `_meta` of the option, as received. */
  readonly _meta?: Meta | null | undefined;
}

/** Params with the fields of the unstable schema. `systemPrompt` is unchecked: see `systemPromptFaults`. */
type WithUnstable<P extends { mcpServers?: unknown }> = Omit<P, "mcpServers"> & {
  readonly mcpServers?: McpServer[] | undefined;
  readonly systemPrompt?: unknown;
};

/** The params of every method after validation. Capabilities stay raw: read them with `clientHas`. */
export interface ParamsOf {
  initialize: Omit<InitializeRequest, "clientCapabilities"> & {
    readonly clientCapabilities?: JsonObject | null | undefined;
  };
  authenticate: AuthenticateRequest;
  logout: LogoutRequest;
  "session/new": WithUnstable<NewSessionRequest>;
  "session/load": WithUnstable<LoadSessionRequest>;
  "session/resume": WithUnstable<ResumeSessionRequest>;
  "session/fork": WithUnstable<ResumeSessionRequest>;
  /** `archived` is unchecked: only an agent with `unstable: true` reads it. */
  "session/list": ListSessionsRequest & { readonly archived?: unknown };
  "session/delete": DeleteSessionRequest;
  "session/close": CloseSessionRequest;
  "session/prompt": PromptRequest;
  "session/cancel": CancelNotification;
  "session/set_mode": SetSessionModeRequest;
  "session/set_config_option": SetSessionConfigOptionRequest;

  /** Read `update` with `toUpdate`. */
  "session/update": { readonly sessionId: string; readonly update: JsonObject };
  /** Read `toolCall` with `toToolCallPatch` and `options` with `toPermissionChoices`. */
  "session/request_permission": {
    readonly sessionId: string;
    readonly toolCall: JsonObject;
    readonly options: readonly RawPermissionOption[];
    /** Unchecked. Only agents of v2 send a title, a description and a subject. */
    readonly title?: unknown;
    readonly description?: unknown;
    readonly subject?: unknown;
  };
  "fs/read_text_file": ReadTextFileRequest;
  "fs/write_text_file": WriteTextFileRequest;
  "terminal/create": CreateTerminalRequest;
  "terminal/output": TerminalOutputRequest;
  "terminal/wait_for_exit": WaitForTerminalExitRequest;
  "terminal/kill": KillTerminalRequest;
  "terminal/release": ReleaseTerminalRequest;
  "elicitation/create": CreateElicitationRequest;
  "elicitation/complete": CompleteElicitationNotification;
  "$/cancel_request": CancelRequestNotification;

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

interface InSession {
  readonly sessionId: string;
}

/*
 * The shapes of the params of every method. They are strict about required fields and types, and lenient
 * about unknown fields and unknown words in closed lists. A tag that decides which other fields exist
 * (content type, MCP transport, elicitation mode) must be known.
 */

const nameValue = object({ name: text, value: text });
const remoteMcp = object({ name: text, url: text, headers: array(nameValue) });
const stdioMcp = object({ name: text, command: text, args: array(text), env: array(nameValue) });
const mcpServer = tagged(
  "type",
  { http: remoteMcp, sse: remoteMcp, stdio: stdioMcp, acp: mcpServerAcp },
  stdioMcp,
);

const implementation = object({ name: text, version: text, title: optional(text) });
const inSession = object({ sessionId: id });
const inTerminal = object({ sessionId: id, terminalId: id });
const folders = object({
  cwd: absolutePath,
  additionalDirectories: optional(array(absolutePath)),
});

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
  accepts: () => true,
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

const elicitation = both(
  tagged("mode", {
    form: object({ message: text, requestedSchema: anyObject }),
    url: object({ message: text, url: text, elicitationId: id }),
  }),
  elicitationScope,
);

const configValue: Shape = {
  accepts: () => true,
  check: (value, path, faults) => {
    const isBoolean = isObject(value) && value["type"] === "boolean";
    object({ configId: id, value: isBoolean ? boolean : text }).check(value, path, faults);
  },
};

const SHAPES = {
  initialize: object({
    protocolVersion: natural16,
    clientCapabilities: optional(anyObject),
    clientInfo: optional(implementation),
  }),
  authenticate: object({ methodId: id }),
  logout: optional(anyObject),
  "session/new": both(folders, object({ mcpServers: array(mcpServer) })),
  "session/load": both(folders, object({ sessionId: id, mcpServers: array(mcpServer) })),
  "session/resume": both(
    folders,
    object({ sessionId: id, mcpServers: optional(array(mcpServer)) }),
  ),
  "session/fork": both(folders, object({ sessionId: id, mcpServers: optional(array(mcpServer)) })),
  "session/list": optional(object({ cwd: optional(absolutePath), cursor: optional(text) })),
  "session/delete": inSession,
  "session/close": inSession,
  "session/prompt": object({ sessionId: id, prompt: array(contentBlock) }),
  "session/cancel": inSession,
  "session/set_mode": object({ sessionId: id, modeId: id }),
  "session/set_config_option": both(inSession, configValue),

  "session/update": object({ sessionId: id, update: anyObject }),
  "session/request_permission": object({
    sessionId: id,
    toolCall,
    options: array(object({ optionId: text, name: text, kind: text })),
  }),
  "fs/read_text_file": object({
    sessionId: id,
    path: absolutePath,
    line: optional(natural),
    limit: optional(natural),
  }),
  "fs/write_text_file": object({ sessionId: id, path: absolutePath, content: text }),
  "terminal/create": object({
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
  "elicitation/create": elicitation,
  "elicitation/complete": object({ elicitationId: id }),
  "$/cancel_request": object({ requestId }),
} as const;

const ALL_SHAPES: { readonly [M in keyof ParamsOf]: Shape } = /* @__PURE__ */ merged(
  SHAPES,
  UNSTABLE_SHAPES,
);

const BY_NAME = /* @__PURE__ */ new Map<string, Shape>(/* @__PURE__ */ Object.entries(ALL_SHAPES));

export type CheckedParams<T> =
  | { readonly ok: true; readonly params: T }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Every fault in the params of a method, for `data.errors` of error -32602; empty when there is none.
 * Absent params count as `{}`, and a null field counts as omitted. Unknown methods have no rules, and so
 * no faults. Lists at most a hundred faults. Never throws.
 */
export function paramFaults(method: string, params: unknown): readonly Fault[] {
  return faultsOf(BY_NAME.get(method) ?? anything, params ?? {});
}

/**
 * Checks the params of a method and returns them typed, or returns their faults. Drops null fields from
 * the returned params, so that an absent value has only one form. Never throws.
 */
export function checkParams<M extends keyof ParamsOf>(
  method: M,
  params: unknown,
): CheckedParams<ParamsOf[M]> {
  const given = withoutNulls(params ?? {});
  if (fits(method, given)) return { ok: true, params: given };
  return { ok: false, faults: paramFaults(method, given) };
}

function fits<M extends keyof ParamsOf>(method: M, params: unknown): params is ParamsOf[M] {
  return paramFaults(method, params).length === 0;
}

function withoutNulls(params: unknown): unknown {
  if (!isObject(params)) return params;
  const entries = Object.entries(params);
  // Null is a valid request id.
  const kept = entries.filter(([key, value]) => value !== null || key === "requestId");
  return kept.length === entries.length ? params : Object.fromEntries(kept);
}

/** Every fault of a `systemPrompt`, for error -32602. It must have content, all of it text. Never throws. */
export function systemPromptFaults(value: unknown): readonly Fault[] {
  const faults = new Faults();
  systemPrompt.check(value, "systemPrompt", faults);
  if (!isSystemPrompt(value)) return faults.list();
  if (value.content.length === 0) faults.add("systemPrompt.content", "must not be empty");
  for (const [i, block] of value.content.entries()) {
    if (block.type !== "text") faults.add(`systemPrompt.content[${i}].type`, 'must be "text"');
  }
  return faults.list();
}

/** The value as a system prompt; undefined if it has a mode that this version does not know. */
export function toSystemPrompt(value: unknown): SystemPrompt | undefined {
  if (!isSystemPrompt(value)) return undefined;
  return value.mode === "append" || value.mode === "override" ? value : undefined;
}

const isSystemPrompt = (value: unknown): value is SystemPrompt => systemPrompt.accepts(value);

/**
 * The kind of a permission option that has no known kind. It is not a kind of the protocol, so a policy
 * that looks for an allowing or rejecting option never picks it. Only a person can choose it.
 */
export const UNKNOWN_OPTION_KIND = "unknown";

/** One option of a permission request, with a known kind or `unknown`. */
export interface PermissionChoice {
  readonly optionId: string;
  /** The label for the user, as the agent wrote it. */
  readonly name: string;
  /** The kind of the option; `unknown` if the agent sent one that is not in the protocol. */
  readonly kind: PermissionOptionKind | typeof UNKNOWN_OPTION_KIND;
  /** The option's `_meta`. */
  readonly meta?: Meta | undefined;
  /** The option as received. */
  readonly raw: RawPermissionOption;
}

/** Reads the options of a validated permission request, in order. Never throws. */
export function toPermissionChoices(
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
