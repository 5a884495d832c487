import { isJsonObject as isObject, type JsonObject, merged } from "../../base/index.ts";
import { metaField, metaOf } from "./meta.ts";
import type { AgentMethod, ClientMethod, UnstableMethod } from "./methods.ts";
import type { AgentCapabilities, ClientCapabilities } from "./types.ts";
import type { UnstableAgentCapabilities, UnstableClientCapabilities } from "./types/unstable.ts";

/** How the protocol spells "yes" at a path: `true`, or an object (`{}` means yes, null means no). */
type Marker = "boolean" | "object";

/** The capabilities of agents, and whether each is advertised by `true` or by an object. */
const AGENT_MARKERS = {
  loadSession: "boolean",
  "promptCapabilities.image": "boolean",
  "promptCapabilities.audio": "boolean",
  "promptCapabilities.embeddedContext": "boolean",
  "mcpCapabilities.http": "boolean",
  "mcpCapabilities.sse": "boolean",
  "sessionCapabilities.list": "object",
  "sessionCapabilities.delete": "object",
  "sessionCapabilities.resume": "object",
  "sessionCapabilities.close": "object",
  "sessionCapabilities.additionalDirectories": "object",
  "sessionCapabilities.fork": "object",
  "auth.logout": "object",
} as const satisfies Record<string, Marker>;

/** The capabilities of clients, and whether each is advertised by `true` or by an object. */
const CLIENT_MARKERS = {
  "fs.readTextFile": "boolean",
  "fs.writeTextFile": "boolean",
  terminal: "boolean",
  "auth.terminal": "boolean",
  // The parent object advertises nothing by itself, so it has no path here.
  "elicitation.form": "object",
  "elicitation.url": "object",
  "session.configOptions.boolean": "object",
  "session.notices": "object",
  "session.compaction": "object",
} as const satisfies Record<string, Marker>;

/** The paths of the unstable capabilities. `session/fork` is not here: it needs no switch. */
const UNSTABLE_AGENT_MARKERS = {
  "mcpCapabilities.acp": "boolean",
  "sessionCapabilities.archive": "object",
  "sessionCapabilities.status": "object",
  "sessionCapabilities.title": "object",
  "sessionCapabilities.systemPrompt": "object",
  "sessionCapabilities.systemPrompt.mode.override": "object",
  "auth.status": "object",
  providers: "object",
} as const satisfies Record<string, Marker>;
const UNSTABLE_CLIENT_MARKERS = { plan: "object", subagents: "object" } as const;

// Not spread into one table, because bundlers keep every spread.
const ALL_AGENT_MARKERS = /* @__PURE__ */ merged(AGENT_MARKERS, UNSTABLE_AGENT_MARKERS);
/** The capabilities of clients, with the unstable ones. */
const ALL_CLIENT_MARKERS = /* @__PURE__ */ merged(CLIENT_MARKERS, UNSTABLE_CLIENT_MARKERS);

export type AgentCapability = keyof typeof ALL_AGENT_MARKERS;
/** The name of a capability that a client may advertise. */
export type ClientCapability = keyof typeof ALL_CLIENT_MARKERS;

function has(capabilities: unknown, path: string, marker: Marker): boolean {
  const value = valueAt(capabilities, path);
  return marker === "boolean" ? value === true : isObject(value);
}

/** Whether an agent's raw capabilities include the one at exactly this path. Never throws. */
export function agentHas(capabilities: unknown, capability: AgentCapability): boolean {
  return has(capabilities, capability, ALL_AGENT_MARKERS[capability]);
}

/** Whether a client's raw capabilities include the one at exactly this path. Never throws. */
export function clientHas(capabilities: unknown, capability: ClientCapability): boolean {
  return has(capabilities, capability, ALL_CLIENT_MARKERS[capability]);
}

const AGENT_GATES = /* @__PURE__ */ new Map<string, AgentCapability>([
  ["session/load", "loadSession"],
  ["session/resume", "sessionCapabilities.resume"],
  ["session/list", "sessionCapabilities.list"],
  ["session/delete", "sessionCapabilities.delete"],
  ["session/close", "sessionCapabilities.close"],
  ["session/fork", "sessionCapabilities.fork"],
  ["logout", "auth.logout"],
  ["auth/status", "auth.status"],
  ["providers/list", "providers"],
  ["providers/set", "providers"],
  ["providers/disable", "providers"],
  ["session/archive", "sessionCapabilities.archive"],
  ["session/unarchive", "sessionCapabilities.archive"],
  ["session/status", "sessionCapabilities.status"],
  ["session/set_title", "sessionCapabilities.title"],
] satisfies (readonly [AgentMethod | UnstableMethod, AgentCapability])[]);

const CLIENT_GATES = new Map<string, ClientCapability>([
  ["fs/read_text_file", "fs.readTextFile"],
  ["fs/write_text_file", "fs.writeTextFile"],
  ["terminal/create", "terminal"],
  ["terminal/output", "terminal"],
  ["terminal/wait_for_exit", "terminal"],
  ["terminal/kill", "terminal"],
  ["terminal/release", "terminal"],
] satisfies [ClientMethod, ClientCapability][]);

/** The capability that an agent must advertise before a client may call the method, if any. */
export function agentCapabilityFor(method: string): AgentCapability | undefined {
  return AGENT_GATES.get(method);
}

/**
 * The capability that a client must advertise before an agent may call the method, if any.
 * For `elicitation/create` it depends on the mode: see {@link elicitationCapability}.
 */
export function clientCapabilityFor(method: string): ClientCapability | undefined {
  return CLIENT_GATES.get(method);
}

/** The client capability that an elicitation mode needs; undefined for a mode that v1 does not have. */
export function elicitationCapability(mode: string): ClientCapability | undefined {
  if (mode === "form") return "elicitation.form";
  return mode === "url" ? "elicitation.url" : undefined;
}

/**
 * The capability that a prompt block needs and the agent lacks; undefined if it may be sent. Text and
 * resource links always may.
 */
export function promptBlockLacks(
  block: { readonly type: string },
  capabilities: unknown,
): AgentCapability | undefined {
  const needed = BLOCK_NEEDS.get(block.type);
  return needed === undefined || agentHas(capabilities, needed) ? undefined : needed;
}

const BLOCK_NEEDS = new Map<string, AgentCapability>([
  ["image", "promptCapabilities.image"],
  ["audio", "promptCapabilities.audio"],
  ["resource", "promptCapabilities.embeddedContext"],
]);

export type McpServerKind = "stdio" | "http" | "sse" | "acp" | "unknown";

/** The transport of an MCP server entry. On the wire, a stdio entry has no `type`. */
export function mcpServerKind(server: object): McpServerKind {
  const type: unknown = "type" in server ? server.type : undefined;
  if (type === undefined || type === null || type === "stdio") return "stdio";
  return type === "http" || type === "sse" || type === "acp" ? type : "unknown";
}

/** The capability that an MCP server entry needs and the agent lacks; undefined if it may be sent. */
export function mcpServerLacks(server: object, capabilities: unknown): AgentCapability | undefined {
  const kind = mcpServerKind(server);
  if (kind === "stdio" || kind === "unknown") return undefined;
  const needed = `mcpCapabilities.${kind}` as const;
  return agentHas(capabilities, needed) ? undefined : needed;
}

/** The value at a path of raw capabilities; undefined if there is none. */
function valueAt(capabilities: unknown, path: string): unknown {
  let value = capabilities;
  for (const key of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The `_meta` of a group of capabilities. */
function metaAt(raw: unknown, path: string): { _meta?: Record<string, unknown> } {
  return metaField(metaOf(valueAt(raw, path)));
}

/** A group of capabilities that are `true` or `false`, with its `_meta`. */
function flags<K extends string>(raw: unknown, path: string, names: readonly K[]) {
  const read: { [P in K]?: boolean } = {};
  for (const name of names) read[name] = valueAt(raw, `${path}.${name}`) === true;
  return { ...metaAt(raw, path), ...read };
}

/** A group of capabilities that are objects with at most their `_meta`, or absent. */
function markers<K extends string>(raw: unknown, path: string, names: readonly K[]) {
  const read: { [P in K]?: { _meta?: Record<string, unknown> } } = {};
  for (const name of names) {
    if (isObject(valueAt(raw, `${path}.${name}`))) read[name] = metaAt(raw, `${path}.${name}`);
  }
  return { ...metaAt(raw, path), ...read };
}

/**
 * Reads the capabilities of an agent into typed form, with every `_meta`. Only exact paths count: a
 * capability spelled in any other way is absent. Capabilities without a typed field are left out: use
 * {@link agentHas} on the raw value for those. Never throws.
 */
export function readAgentCapabilities(raw: unknown): AgentCapabilities {
  const session = ["list", "delete", "resume", "close", "additionalDirectories"] as const;
  return {
    ...metaField(metaOf(raw)),
    loadSession: agentHas(raw, "loadSession"),
    promptCapabilities: flags(raw, "promptCapabilities", ["image", "audio", "embeddedContext"]),
    mcpCapabilities: flags(raw, "mcpCapabilities", ["http", "sse"]),
    sessionCapabilities: markers(raw, "sessionCapabilities", session),
    auth: markers(raw, "auth", ["logout"]),
  };
}

/** Reads the capabilities of a client into typed form, by the same rules. Never throws. */
export function readClientCapabilities(raw: unknown): ClientCapabilities {
  return {
    ...metaField(metaOf(raw)),
    fs: flags(raw, "fs", ["readTextFile", "writeTextFile"]),
    terminal: clientHas(raw, "terminal"),
    auth: flags(raw, "auth", ["terminal"]),
    elicitation: markers(raw, "elicitation", ["form", "url"]),
    session: {
      ...markers(raw, "session", ["notices", "compaction"]),
      configOptions: markers(raw, "session.configOptions", ["boolean"]),
    },
  };
}

const UNSTABLE_PATHS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ Object.keys(
    /* @__PURE__ */ merged(UNSTABLE_AGENT_MARKERS, UNSTABLE_CLIENT_MARKERS),
  ),
);

/** Whether a capability, given by its path, is used only with `unstable: true`. */
export function isUnstableCapability(path: string): boolean {
  return UNSTABLE_PATHS.has(path);
}

/**
 * The capabilities that one side may use of those that the other side sent: without the switch, all but
 * the unstable ones. Returns the value itself if there is nothing to remove. Never throws.
 */
export function usableCapabilities(raw: unknown, unstable: boolean): unknown {
  if (unstable || !isObject(raw)) return raw;
  let usable: JsonObject = raw;
  for (const path of UNSTABLE_PATHS) usable = withoutPath(usable, path.split("."));
  return usable;
}

function withoutPath(value: JsonObject, [key = "", ...rest]: readonly string[]): JsonObject {
  if (!Object.hasOwn(value, key)) return value;
  if (rest.length === 0) {
    const { [key]: _, ...others } = value;
    return others;
  }
  const inner = value[key];
  if (!isObject(inner)) return value;
  const kept = withoutPath(inner, rest);
  return kept === inner ? value : { ...value, [key]: kept };
}

/** Adds the unstable capabilities to the typed form of an agent's capabilities. Never throws. */
export function withUnstableAgentCapabilities(
  typed: AgentCapabilities,
  raw: unknown,
): AgentCapabilities & UnstableAgentCapabilities {
  const yes = (capability: AgentCapability) => agentHas(raw, capability);
  const overrides = yes("sessionCapabilities.systemPrompt.mode.override");
  const systemPrompt = overrides ? { mode: { override: {} } } : {};
  return {
    ...typed,
    mcpCapabilities: { ...typed.mcpCapabilities, acp: yes("mcpCapabilities.acp") },
    sessionCapabilities: {
      ...typed.sessionCapabilities,
      ...markers(raw, "sessionCapabilities", ["fork", "archive", "status", "title"]),
      ...(yes("sessionCapabilities.systemPrompt") ? { systemPrompt } : {}),
    },
    auth: { ...typed.auth, ...markers(raw, "auth", ["status"]) },
    ...(yes("providers") ? { providers: {} } : {}),
  };
}

/** Adds the unstable capabilities to the typed form of a client's capabilities. Never throws. */
export function withUnstableClientCapabilities(
  typed: ClientCapabilities,
  raw: unknown,
): ClientCapabilities & UnstableClientCapabilities {
  return {
    ...typed,
    ...(clientHas(raw, "plan") ? { plan: {} } : {}),
    ...(clientHas(raw, "subagents") ? { subagents: {} } : {}),
  };
}
