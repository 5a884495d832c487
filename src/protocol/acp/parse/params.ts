import { merged } from "../../../base/index.ts";
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
} from "./shape.ts";
import { contentBlock, toolCallLocation } from "./content-shapes.ts";
import { mcpServerAcp, UNSTABLE_SHAPES } from "../unstable/shapes.ts";
import type { ParamsOf } from "./params-types.ts";

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
