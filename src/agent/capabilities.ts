import {
  AGENT_METHODS,
  type AuthMethod,
  type InitializeResponse,
  metaField,
  PROTOCOL_VERSION,
  type AgentCapabilities,
  type ContentBlock,
  type Fault,
  promptBlockLacks,
} from "../protocol/acp/index.ts";
import type { Client } from "./connection/client.ts";
import type { AgentDefinition, CapabilityMeta, CapabilityPath } from "./definition.ts";
import { HAS_FOLDERS } from "./session/folder.ts";
import { isJsonObject, type OptionNames, optionsFault } from "../base/index.ts";
import { invalidParams } from "./errors.ts";

/** The capabilities an agent advertises: exactly those it implements. Pure. */
export function advertised<S>(definition: AgentDefinition<S>) {
  const { promptCapabilities: prompt, mcpCapabilities: mcp } = definition;
  const unstable = unstableCapabilities(definition);
  const session = {
    ...(definition.listSessions ? { list: {} } : {}),
    ...(definition.deleteSession ? { delete: {} } : {}),
    ...(definition.resumeSession ? { resume: {} } : {}),
    ...(definition.closeSession ? { close: {} } : {}),
    ...(definition.additionalDirectories === true ? { additionalDirectories: {} } : {}),
    ...(definition.forkSession ? { fork: {} } : {}),
    ...unstable.session,
  };
  const auth = { ...(definition.logout ? { logout: {} } : {}), ...unstable.auth };
  return {
    loadSession: definition.loadSession !== undefined,
    promptCapabilities: {
      image: prompt?.image === true,
      audio: prompt?.audio === true,
      embeddedContext: prompt?.embeddedContext === true,
    },
    mcpCapabilities: { http: mcp?.http === true, sse: mcp?.sse === true, ...unstable.mcp },
    ...(Object.keys(session).length > 0 ? { sessionCapabilities: session } : {}),
    ...(Object.keys(auth).length > 0 ? { auth } : {}),
    ...unstable.agent,
  };
}

/** The result of `initialize`. It always names our own protocol version, never the client's. Pure. */
export function initializeResult<S>(
  definition: AgentDefinition<S>,
  client: Pick<Client, "can" | "protocolVersion">,
): InitializeResponse {
  const methods = shownAuthMethods(definition, client);
  const capabilities = advertised(definition);
  // In v2, sessions can always be closed.
  const sessions =
    client.protocolVersion === 2 ? { close: {}, ...capabilities.sessionCapabilities } : undefined;
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: withCapabilityMeta(
      sessions ? { ...capabilities, sessionCapabilities: sessions } : capabilities,
      definition.capabilityMeta ?? {},
    ),
    agentInfo: definition.info,
    ...(methods.length > 0 ? { authMethods: methods } : {}),
    ...metaField(definition.meta),
  };
}

export function shownAuthMethods<S>(
  definition: AgentDefinition<S>,
  client: Pick<Client, "can">,
): AuthMethod[] {
  const terminals = client.can("auth.terminal");
  return (definition.authMethods ?? []).filter((method) => terminals || !isTerminalMethod(method));
}

export function isTerminalMethod(method: AuthMethod): boolean {
  return "type" in method && method.type === "terminal";
}

const DEFINITION_MEMBERS: OptionNames<AgentDefinition<unknown>> = {
  info: true,
  meta: true,
  capabilityMeta: true,
  promptCapabilities: true,
  mcpCapabilities: true,
  additionalDirectories: true,
  localWorkspaces: true,
  authMethods: true,
  authenticate: true,
  isAuthenticated: true,
  logout: true,
  newSession: true,
  sessionId: true,
  loadSession: true,
  resumeSession: true,
  forkSession: true,
  listSessions: true,
  closeSession: true,
  deleteSession: true,
  sessionMeta: true,
  sessionOpened: true,
  modes: true,
  setMode: true,
  configOptions: true,
  setConfigOption: true,
  whenBusy: true,
  prompt: true,
  requests: true,
  notifications: true,
  recordUpdate: true,
  close: true,
  unstable: true,
  authStatus: true,
  providers: true,
  archiveSession: true,
  unarchiveSession: true,
  sessionStatus: true,
  setTitle: true,
  systemPrompt: true,
};

/** Throws a TypeError if a definition is inconsistent, so that the mistake shows at startup. */
export function assertComplete<S>(definition: AgentDefinition<S>): void {
  const fault = optionsFault(definition, DEFINITION_MEMBERS, "the agent definition");
  if (fault !== undefined) throw new TypeError(fault);
  const missing = (what: string, why: string): never => {
    throw new TypeError(`the agent definition needs ${what}: ${why}`);
  };
  const methods = definition.authMethods ?? [];
  if (methods.some((method) => !isTerminalMethod(method)) && !definition.authenticate) {
    missing("authenticate", "it has authMethods");
  }
  if (definition.setMode && !definition.modes) missing("modes", "it has setMode");
  if (definition.setConfigOption && !definition.configOptions) {
    missing("configOptions", "it has setConfigOption");
  }
  if (!HAS_FOLDERS && definition.localWorkspaces !== false) {
    missing("localWorkspaces: false", "this runtime has no disk");
  }
  const { archiveSession, unarchiveSession, listSessions } = definition;
  if ((archiveSession === undefined) !== (unarchiveSession === undefined)) {
    missing("both archiveSession and unarchiveSession", "it has one of them");
  }
  if (archiveSession && !listSessions) missing("listSessions", "it has archiveSession");
  const standard = new Set<string>(Object.values(AGENT_METHODS));
  for (const method of [
    ...Object.keys(definition.requests ?? {}),
    ...Object.keys(definition.notifications ?? {}),
  ]) {
    if (!method.startsWith("_") || standard.has(method)) {
      missing("extension names that start with _", `"${method}" does not`);
    }
  }
}

/** The unstable capabilities that an agent advertises: none without `unstable: true`. Pure. */
function unstableCapabilities<S>(definition: AgentDefinition<S>) {
  if (definition.unstable !== true) return { mcp: {}, session: {}, auth: {}, agent: {} };
  const { systemPrompt } = definition;
  const override = typeof systemPrompt === "object" && systemPrompt.override;
  return {
    mcp: { acp: definition.mcpCapabilities?.acp === true },
    session: {
      ...(definition.archiveSession ? { archive: {} } : {}),
      ...(definition.sessionStatus ? { status: {} } : {}),
      ...(definition.setTitle ? { title: {} } : {}),
      ...(systemPrompt === undefined || systemPrompt === false
        ? {}
        : { systemPrompt: override ? { mode: { override: {} } } : {} }),
    },
    auth: definition.authStatus ? { status: {} } : {},
    agent: definition.providers ? { providers: {} } : {},
  };
}

/** Adds `_meta` to the capabilities that are present. Pure. */
function withCapabilityMeta<T extends AgentCapabilities>(
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

/** Throws -32602 for content that the agent does not advertise. */
export function assertPromptSupported<S>(
  prompt: readonly ContentBlock[],
  definition: AgentDefinition<S>,
): void {
  const capabilities = advertised(definition);
  const faults = prompt.flatMap((block, i): Fault[] => {
    const missing = promptBlockLacks(block, capabilities);
    return missing === undefined
      ? []
      : [{ path: `prompt[${i}].type`, message: `needs ${missing}` }];
  });
  if (faults.length > 0) throw invalidParams(...faults);
}
