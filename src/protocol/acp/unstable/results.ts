import type { JsonObject } from "../../../base/index.ts";
import { ProtocolViolation } from "../errors.ts";
import { requiredText, resultObject } from "../parse/agent-results.ts";
import { onlyValid } from "../parse/fields.ts";
import { isObject } from "../parse/guards.ts";
import { authAccount, providerInfo, providerRouting, rpcFailure } from "./shapes.ts";
import type {
  AuthAccount,
  AuthState,
  AuthStatus,
  McpErrorObject,
  McpOutcome,
  ProviderInfo,
  ProviderRouting,
  SessionStatus,
} from "./types.ts";

const AUTH_STATES: ReadonlySet<unknown> = /* @__PURE__ */ new Set<AuthState>([
  "authenticated",
  "unauthenticated",
  "not_required",
  "unknown",
]);

function isAuthState(value: unknown): value is AuthState {
  return AUTH_STATES.has(value);
}

function isAccount(value: unknown): value is AuthAccount {
  return authAccount.accepts(value);
}

/**
 * Reads the result of `auth/status` or the params of `auth/status_update`. A state that this version
 * does not know reads as `unknown`, as the protocol requires. Throws ProtocolViolation without a state.
 */
export function readAuthStatus(method: string, result: unknown): AuthStatus {
  const raw = resultObject(method, result);
  const state = requiredText(method, raw, "state");
  const meta = raw["_meta"];
  return {
    state: isAuthState(state) ? state : "unknown",
    accounts: onlyValid(raw["accounts"], isAccount) ?? [],
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
}

function isProvider(value: unknown): value is ProviderInfo {
  return providerInfo.accepts(value);
}

function isRouting(value: unknown): value is ProviderRouting {
  return providerRouting.accepts(value);
}

/** Reads the result of `providers/list`. Throws ProtocolViolation if an item is malformed. */
export function readProviders(result: unknown): readonly ProviderInfo[] {
  const method = "providers/list";
  const providers = resultObject(method, result)["providers"];
  if (!Array.isArray(providers)) {
    throw new ProtocolViolation(method, "providers", "an array", providers);
  }
  return providers.map((item: unknown, i): ProviderInfo => {
    if (!isProvider(item)) {
      throw new ProtocolViolation(method, `providers[${i}]`, "a provider", item);
    }
    return { ...item, current: isRouting(item.current) ? item.current : undefined };
  });
}

/** Reads the result of `session/status`. An unknown status reads as `saved`, as the protocol requires. */
export function readSessionStatus(result: unknown): SessionStatus {
  const method = "session/status";
  const status = requiredText(method, resultObject(method, result), "status");
  return status === "open" ? "open" : "saved";
}

/** Reads the title that the agent stored from the result of `session/set_title`. */
export function readSessionTitle(result: unknown): string {
  const method = "session/set_title";
  return requiredText(method, resultObject(method, result), "title");
}

function isMcpError(value: unknown): value is McpErrorObject {
  return rpcFailure.accepts(value);
}

/** Reads the result of `mcp/message`. If it has both outcomes, the result counts. */
export function readMcpOutcome(result: unknown): McpOutcome {
  const method = "mcp/message";
  const raw: JsonObject = resultObject(method, result);
  if (Object.hasOwn(raw, "result")) return { result: raw["result"] };
  const error = raw["error"];
  if (isMcpError(error)) return { error };
  throw new ProtocolViolation(method, "result", "present, or an error", raw["error"]);
}
