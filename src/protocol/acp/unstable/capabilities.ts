import { merged, isJsonObject, type JsonObject } from "../../../base/index.ts";
import type { AgentCapabilities, ClientCapabilities } from "../types.ts";
import type { UnstableMethod } from "./methods.ts";
import type { UnstableAgentCapabilities, UnstableClientCapabilities } from "./types.ts";

/** The paths of an agent's unstable capabilities. `session/fork` is not here: it needs no switch. */
export const UNSTABLE_AGENT_MARKERS = {
  "mcpCapabilities.acp": "boolean",
  "sessionCapabilities.archive": "object",
  "sessionCapabilities.status": "object",
  "sessionCapabilities.title": "object",
  "sessionCapabilities.systemPrompt": "object",
  "sessionCapabilities.systemPrompt.mode.override": "object",
  "auth.status": "object",
  providers: "object",
} as const;

/** The paths of a client's unstable capabilities. */
export const UNSTABLE_CLIENT_MARKERS = { plan: "object", subagents: "object" } as const;

type UnstableAgentPath = keyof typeof UNSTABLE_AGENT_MARKERS;

/** The capability that each unstable method of an agent needs. */
export const UNSTABLE_AGENT_GATES = [
  ["auth/status", "auth.status"],
  ["providers/list", "providers"],
  ["providers/set", "providers"],
  ["providers/disable", "providers"],
  ["session/archive", "sessionCapabilities.archive"],
  ["session/unarchive", "sessionCapabilities.archive"],
  ["session/status", "sessionCapabilities.status"],
  ["session/set_title", "sessionCapabilities.title"],
] as const satisfies readonly (readonly [UnstableMethod, UnstableAgentPath])[];

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
  if (unstable || !isJsonObject(raw)) return raw;
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
  if (!isJsonObject(inner)) return value;
  const kept = withoutPath(inner, rest);
  return kept === inner ? value : { ...value, [key]: kept };
}

/** Adds the unstable capabilities to the typed form of an agent's capabilities. Never throws. */
export function withUnstableAgentCapabilities(
  typed: AgentCapabilities,
  raw: unknown,
): AgentCapabilities & UnstableAgentCapabilities {
  const session = objectAt(raw, "sessionCapabilities");
  const prompt = session?.["systemPrompt"];
  const override = objectAt(objectAt(prompt, "mode"), "override");
  return {
    ...typed,
    mcpCapabilities: {
      ...typed.mcpCapabilities,
      acp: objectAt(raw, "mcpCapabilities")?.["acp"] === true,
    },
    sessionCapabilities: {
      ...typed.sessionCapabilities,
      ...marked(session, "fork"),
      ...marked(session, "archive"),
      ...marked(session, "status"),
      ...marked(session, "title"),
      ...(isJsonObject(prompt) ? { systemPrompt: override ? { mode: { override: {} } } : {} } : {}),
    },
    auth: { ...typed.auth, ...marked(objectAt(raw, "auth"), "status") },
    ...marked(raw, "providers"),
  };
}

/** Adds the unstable capabilities to the typed form of a client's capabilities. Never throws. */
export function withUnstableClientCapabilities(
  typed: ClientCapabilities,
  raw: unknown,
): ClientCapabilities & UnstableClientCapabilities {
  return { ...typed, ...marked(raw, "plan"), ...marked(raw, "subagents") };
}

function objectAt(value: unknown, key: string): JsonObject | undefined {
  const inner = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

function marked<K extends string>(value: unknown, key: K): { [P in K]?: Record<string, never> } {
  const out: { [P in K]?: Record<string, never> } = {};
  if (objectAt(value, key)) out[key] = {};
  return out;
}
