import {
  AGENT_METHODS,
  type AgentCapability,
  agentCapabilityFor,
  agentHas,
  type AuthStatus,
  isUnstableCapability,
  ProtocolViolation,
  type ProviderInfo,
  type ProviderSettings,
  readAuthStatus,
  readEmptyResult,
  readListResult,
  readProvidersResult,
  readSessionStatusResult,
  readSessionTitleResult,
  type RequestOptions,
  type SessionArchiveFilter,
  type SessionInfo,
  type SessionStatus,
  UNSTABLE_METHODS,
} from "../protocol/acp/index.ts";
import { CapabilityError, InvalidArgumentError } from "./errors.ts";
import { type AsyncStream, definedFields, quietIterator, quietly } from "../base/index.ts";
import type { HostCallOptions, SessionHost } from "./session/session-host.ts";

/** The part of a connection that decides what may be called. */
export type CapabilityHost = Pick<SessionHost, "capabilities" | "unstable">;

/** Throws CapabilityError unless the agent advertises the capability and this client may use it. */
export function assertCapability(
  host: CapabilityHost,
  what: string,
  capability: AgentCapability,
): void {
  if (agentHas(host.capabilities, capability)) return;
  if (host.unstable || !isUnstableCapability(capability)) {
    throw new CapabilityError(what, capability);
  }
  const why = `"${capability}" is not stable in the protocol; start the client with unstable: true`;
  throw new CapabilityError(what, capability, why);
}

type CallHost = CapabilityHost & Pick<SessionHost, "call">;

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
  host: CallHost,
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
  host: CallHost,
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

/** Rejects with RemoteError (-32002) if the agent does not know the session. */
export function sessionStatus(
  host: CallHost,
  sessionId: string,
  options: RequestOptions,
): Promise<SessionStatus> {
  const method = UNSTABLE_METHODS.sessionStatus;
  return call(host, method, { sessionId }, readSessionStatusResult, options);
}

/** Sets the title of a session. `accepted` runs in wire order with the title that the agent stored. */
export async function setSessionTitle(
  host: CallHost,
  sessionId: string,
  title: string,
  accepted: (stored: string) => void,
  options: RequestOptions,
): Promise<string> {
  const method = UNSTABLE_METHODS.setSessionTitle;
  if (title.trim() === "") throw new InvalidArgumentError(`${method}: the title is empty`);
  const accept = (result: unknown): string => {
    const stored = readSessionTitleResult(result);
    accepted(stored);
    return stored;
  };
  return await call(host, method, { sessionId, title }, accept, options);
}

export async function moveSession(
  host: CallHost,
  method: typeof UNSTABLE_METHODS.archiveSession | typeof UNSTABLE_METHODS.unarchiveSession,
  sessionId: string,
  options: RequestOptions,
): Promise<void> {
  await call(host, method, { sessionId }, (result) => readEmptyResult(method, result), options);
}

export function agentProviders(host: CallHost): AgentProviders {
  const { listProviders, setProvider, disableProvider } = UNSTABLE_METHODS;
  const empty = (method: string) => (result: unknown) => void readEmptyResult(method, result);
  return {
    list: (options = {}) =>
      quietly(() => call(host, listProviders, {}, readProvidersResult, options)),
    set: (providerId, { apiType, baseUrl, headers }, options = {}) => {
      const given = { providerId, apiType, baseUrl, ...(headers && { headers: { ...headers } }) };
      return quietly(() => call(host, setProvider, given, empty(setProvider), options));
    },
    disable: (providerId, options = {}) =>
      quietly(() => call(host, disableProvider, { providerId }, empty(disableProvider), options)),
  };
}

/** Ends one tool call or terminal of a v2 agent. Rejects with CapabilityError unless it offers that. */
export async function cancelOne(
  host: SessionHost,
  method: "tool_call/cancel" | "terminal/cancel",
  params: { readonly sessionId: string } & Readonly<Record<string, string>>,
  known: { readonly canCancel?: boolean | undefined } | undefined,
  options: RequestOptions,
): Promise<void> {
  if (known?.canCancel !== true) throw new CapabilityError(method, "capabilities.cancel");
  const accept = (result: unknown): void => void readEmptyResult(method, result);
  await host.call(method, params, accept, options);
}

/** `onMeta` receives the `_meta` of each page. */
export interface ListSessionsOptions extends RequestOptions {
  /** Lists only the sessions in this folder. An absolute path. */
  readonly cwd?: string | undefined;
  /**
   * Whether archived sessions are listed. Default: `exclude`. Needs `unstable: true` and
   * `sessionCapabilities.archive`.
   */
  readonly archived?: SessionArchiveFilter | undefined;
}

/** The sessions that an agent has stored. Can be read only once. */
export interface SessionList extends AsyncStream<SessionInfo> {
  /** Resolves with all of them. Rejects with the errors that the loop throws. */
  all(): Promise<readonly SessionInfo[]>;
}

export function listSessions(host: CallHost, options: ListSessionsOptions): SessionList {
  const pages = quietIterator(sessionPages(host, options));
  const all = async (): Promise<readonly SessionInfo[]> => {
    const sessions: SessionInfo[] = [];
    for await (const session of pages) sessions.push(session);
    return sessions;
  };
  return Object.assign(pages, { all: () => quietly(all) });
}

/** Fetches the stored sessions, a page at a time. Throws CapabilityError and the errors of a call. */
async function* sessionPages(
  host: CallHost,
  options: ListSessionsOptions,
): AsyncGenerator<SessionInfo, undefined> {
  const method = AGENT_METHODS.listSessions;
  assertCapability(host, method, "sessionCapabilities.list");
  const { cwd, archived } = options;
  if (archived !== undefined) {
    assertCapability(host, `${method} with archived`, "sessionCapabilities.archive");
  }
  const filter = definedFields({ cwd, archived });
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? filter : { ...filter, cursor };
    const page = await host.call(method, params, readListResult, options);
    yield* page.sessions;
    cursor = page.nextCursor;
    if (cursor === undefined) return undefined;
    // Without this check, an agent that repeats a cursor would be asked forever.
    if (seen.has(cursor)) {
      const expected = "a cursor that was not used before";
      throw new ProtocolViolation(method, "nextCursor", expected, cursor);
    }
    seen.add(cursor);
  } while (true);
}
