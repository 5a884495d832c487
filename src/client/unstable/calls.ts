import {
  agentCapabilityFor,
  type AuthStatus,
  type ProviderInfo,
  type ProviderSettings,
  readAuthStatus,
  readEmptyResult,
  readProviders,
  readSessionStatus,
  readSessionTitle,
  type RequestOptions,
  type SessionStatus,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import { quietly } from "../../base/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { HostCallOptions, SessionHost } from "../session/session-host.ts";
import { assertCapability, type CapabilityHost } from "./capability.ts";

/** The part of a connection that these calls use. */
export interface UnstableCallHost extends CapabilityHost, Pick<SessionHost, "call"> {}

/**
 * The model providers of an agent. Every call needs `unstable: true` and the capability `providers`,
 * and rejects as other calls do.
 */
export interface AgentProviders {
  /** Lists the providers that can be configured. */
  list(options?: RequestOptions): Promise<readonly ProviderInfo[]>;
  /** Replaces the whole configuration of a provider. */
  set(providerId: string, settings: ProviderSettings, options?: RequestOptions): Promise<void>;
  /** Disables a provider. A provider that is `required` cannot be disabled. */
  disable(providerId: string, options?: RequestOptions): Promise<void>;
}

/** Calls an unstable method, or throws CapabilityError before anything is sent. */
async function call<T>(
  host: UnstableCallHost,
  method: string,
  params: object,
  accept: (result: unknown) => T,
  options: HostCallOptions,
): Promise<T> {
  const capability = agentCapabilityFor(method);
  if (capability !== undefined) assertCapability(host, method, capability);
  return await host.call(method, params, accept, options);
}

/** Asks whether the agent is signed in. `accepted` runs in wire order with the updates of the status. */
export function authStatus(
  host: UnstableCallHost,
  accepted: (status: AuthStatus) => void,
  options: RequestOptions,
): Promise<AuthStatus> {
  const method = UNSTABLE_METHODS.authStatus;
  const accept = (result: unknown): AuthStatus => {
    const status = readAuthStatus(method, result);
    accepted(status);
    return status;
  };
  return call(host, method, {}, accept, options);
}

/**
 * Asks whether the agent has a session in memory. Rejects with RemoteError (-32002) if the session is
 * unknown.
 */
export function sessionStatus(
  host: UnstableCallHost,
  sessionId: string,
  options: RequestOptions,
): Promise<SessionStatus> {
  const method = UNSTABLE_METHODS.sessionStatus;
  return call(host, method, { sessionId }, readSessionStatus, options);
}

/** Sets the title of a session. `accepted` runs in wire order with the title that the agent stored. */
export async function setSessionTitle(
  host: UnstableCallHost,
  sessionId: string,
  title: string,
  accepted: (stored: string) => void,
  options: RequestOptions,
): Promise<string> {
  const method = UNSTABLE_METHODS.setSessionTitle;
  if (title.trim() === "") throw new InvalidArgumentError(`${method}: the title is empty`);
  const accept = (result: unknown): string => {
    const stored = readSessionTitle(result);
    accepted(stored);
    return stored;
  };
  return await call(host, method, { sessionId, title }, accept, options);
}

/** Archives a session, or returns it from the archive. */
export async function moveSession(
  host: UnstableCallHost,
  method: typeof UNSTABLE_METHODS.archiveSession | typeof UNSTABLE_METHODS.unarchiveSession,
  sessionId: string,
  options: RequestOptions,
): Promise<void> {
  await call(host, method, { sessionId }, (result) => readEmptyResult(method, result), options);
}

/** The calls about model providers. */
export function agentProviders(host: UnstableCallHost): AgentProviders {
  const { listProviders, setProvider, disableProvider } = UNSTABLE_METHODS;
  const empty = (method: string) => (result: unknown) => void readEmptyResult(method, result);
  return {
    list: (options = {}) => quietly(() => call(host, listProviders, {}, readProviders, options)),
    set: (providerId, { apiType, baseUrl, headers }, options = {}) => {
      const given = { providerId, apiType, baseUrl, ...(headers && { headers: { ...headers } }) };
      return quietly(() => call(host, setProvider, given, empty(setProvider), options));
    },
    disable: (providerId, options = {}) =>
      quietly(() => call(host, disableProvider, { providerId }, empty(disableProvider), options)),
  };
}
