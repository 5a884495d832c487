import { type AgentCapabilities, type Meta, metaField } from "../acp/index.ts";
import { isJsonObject } from "../wire/index.ts";

/** The objects among an agent's capabilities, by path. The empty path is the capabilities themselves. */
export type CapabilityPath =
  | ""
  | "promptCapabilities"
  | "mcpCapabilities"
  | "sessionCapabilities"
  | `sessionCapabilities.${"list" | "delete" | "resume" | "close" | "additionalDirectories" | "fork"}`
  | `sessionCapabilities.${"archive" | "status" | "title" | "systemPrompt"}`
  | "auth"
  | "auth.logout"
  | "auth.status"
  | "providers";

/** The `_meta` of capabilities, by path. */
export type CapabilityMeta = { readonly [P in CapabilityPath]?: Meta | undefined };

/** Adds `_meta` to the capabilities that are present. Pure. */
export function withCapabilityMeta<T extends AgentCapabilities>(
  capabilities: T,
  metas: CapabilityMeta,
): T {
  return { ...capabilities, ...metaField(metas[""]), ...nested(capabilities, metas, "") };
}

function nested(value: object, metas: CapabilityMeta, prefix: string): Record<string, object> {
  const out: Record<string, object> = {};
  for (const [key, child] of Object.entries(value)) {
    if (!isJsonObject(child)) continue;
    const path = `${prefix}${key}`;
    const meta = isPath(path, metas) ? metas[path] : undefined;
    out[key] = { ...child, ...metaField(meta), ...nested(child, metas, `${path}.`) };
  }
  return out;
}

function isPath(path: string, metas: CapabilityMeta): path is CapabilityPath {
  return Object.hasOwn(metas, path);
}
