import { isObject } from "./parse/guards.ts";
import type { AgentMethod, ClientMethod, UnstableMethod } from "./methods.ts";
import type { AgentCapabilities, ClientCapabilities } from "./types.ts";

/** How the protocol spells "yes" at a path: `true`, or an object (`{}` is yes, null is no). */
type Marker = "boolean" | "object";

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

export type AgentCapability = keyof typeof AGENT_MARKERS;
export type ClientCapability = keyof typeof CLIENT_MARKERS;

function has(capabilities: unknown, path: string, marker: Marker): boolean {
  let value = capabilities;
  for (const key of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return marker === "boolean" ? value === true : isObject(value);
}

/** Whether an agent's capabilities, as sent, have the one at exactly this path. Total. */
export function agentHas(capabilities: unknown, capability: AgentCapability): boolean {
  return has(capabilities, capability, AGENT_MARKERS[capability]);
}

/** Whether a client's capabilities, as sent, have the one at exactly this path. Total. */
export function clientHas(capabilities: unknown, capability: ClientCapability): boolean {
  return has(capabilities, capability, CLIENT_MARKERS[capability]);
}

const AGENT_GATES = new Map<string, AgentCapability>([
  ["session/load", "loadSession"],
  ["session/resume", "sessionCapabilities.resume"],
  ["session/list", "sessionCapabilities.list"],
  ["session/delete", "sessionCapabilities.delete"],
  ["session/close", "sessionCapabilities.close"],
  ["session/fork", "sessionCapabilities.fork"],
  ["logout", "auth.logout"],
] satisfies [AgentMethod | UnstableMethod, AgentCapability][]);

const CLIENT_GATES = new Map<string, ClientCapability>([
  ["fs/read_text_file", "fs.readTextFile"],
  ["fs/write_text_file", "fs.writeTextFile"],
  ["terminal/create", "terminal"],
  ["terminal/output", "terminal"],
  ["terminal/wait_for_exit", "terminal"],
  ["terminal/kill", "terminal"],
  ["terminal/release", "terminal"],
] satisfies [ClientMethod, ClientCapability][]);

/** The capability an agent must advertise before the method may be called on it, if any. */
export function agentCapabilityFor(method: string): AgentCapability | undefined {
  return AGENT_GATES.get(method);
}

/**
 * The capability a client must advertise before the method may be called on it, if any.
 * `elicitation/create` depends on its mode: see {@link elicitationCapability}.
 */
export function clientCapabilityFor(method: string): ClientCapability | undefined {
  return CLIENT_GATES.get(method);
}

/** The client capability an elicitation mode needs; undefined for a mode v1 does not have. */
export function elicitationCapability(mode: string): ClientCapability | undefined {
  if (mode === "form") return "elicitation.form";
  return mode === "url" ? "elicitation.url" : undefined;
}

/** The agent capability a prompt block asks for and the agent lacks; undefined if it may be sent. */
export function promptBlockLacks(
  block: { readonly type: string },
  capabilities: unknown,
): AgentCapability | undefined {
  const needed = BLOCK_NEEDS.get(block.type);
  return needed === undefined || agentHas(capabilities, needed) ? undefined : needed;
}

/** Whether a prompt block may be sent to an agent. Text and resource links always may. */
export function promptBlockAllowed(
  block: { readonly type: string },
  capabilities: unknown,
): boolean {
  return promptBlockLacks(block, capabilities) === undefined;
}

const BLOCK_NEEDS = new Map<string, AgentCapability>([
  ["image", "promptCapabilities.image"],
  ["audio", "promptCapabilities.audio"],
  ["resource", "promptCapabilities.embeddedContext"],
]);

export type McpServerKind = "stdio" | "http" | "sse" | "unknown";

/** Which transport an MCP server entry is for: on the wire, stdio is the one without a `type`. */
export function mcpServerKind(server: object): McpServerKind {
  const type: unknown = "type" in server ? server.type : undefined;
  if (type === undefined || type === null || type === "stdio") return "stdio";
  return type === "http" || type === "sse" ? type : "unknown";
}

/** The agent capability an MCP server entry asks for and the agent lacks; undefined if it may be sent. */
export function mcpServerLacks(server: object, capabilities: unknown): AgentCapability | undefined {
  const kind = mcpServerKind(server);
  if (kind !== "http" && kind !== "sse") return undefined;
  const needed = `mcpCapabilities.${kind}` as const;
  return agentHas(capabilities, needed) ? undefined : needed;
}

/** An object marker of the typed form: present and empty, or absent. */
function marker<K extends string>(key: K, present: boolean): { [P in K]?: Record<string, never> } {
  const out: { [P in K]?: Record<string, never> } = {};
  if (present) out[key] = {};
  return out;
}

/**
 * The capabilities of an agent in typed form, by the exact-path rules. Total: a capability spelled
 * in any other way is absent. Unknown ones are left out; ask {@link agentHas} on the raw value.
 */
export function readAgentCapabilities(raw: unknown): AgentCapabilities {
  const yes = (capability: AgentCapability) => agentHas(raw, capability);
  return {
    loadSession: yes("loadSession"),
    promptCapabilities: {
      image: yes("promptCapabilities.image"),
      audio: yes("promptCapabilities.audio"),
      embeddedContext: yes("promptCapabilities.embeddedContext"),
    },
    mcpCapabilities: { http: yes("mcpCapabilities.http"), sse: yes("mcpCapabilities.sse") },
    sessionCapabilities: {
      ...marker("list", yes("sessionCapabilities.list")),
      ...marker("delete", yes("sessionCapabilities.delete")),
      ...marker("resume", yes("sessionCapabilities.resume")),
      ...marker("close", yes("sessionCapabilities.close")),
      ...marker("additionalDirectories", yes("sessionCapabilities.additionalDirectories")),
    },
    auth: marker("logout", yes("auth.logout")),
  };
}

/** The capabilities of a client in typed form, by the exact-path rules. Total, as above. */
export function readClientCapabilities(raw: unknown): ClientCapabilities {
  const yes = (capability: ClientCapability) => clientHas(raw, capability);
  return {
    fs: { readTextFile: yes("fs.readTextFile"), writeTextFile: yes("fs.writeTextFile") },
    terminal: yes("terminal"),
    auth: { terminal: yes("auth.terminal") },
    elicitation: {
      ...marker("form", yes("elicitation.form")),
      ...marker("url", yes("elicitation.url")),
    },
    session: {
      configOptions: marker("boolean", yes("session.configOptions.boolean")),
      ...marker("notices", yes("session.notices")),
      ...marker("compaction", yes("session.compaction")),
    },
  };
}
