import {
  AGENT_METHODS,
  checkParams,
  ERROR_CODES,
  metaField,
  metaOf,
  type ParamsOf,
  UNSTABLE_METHODS,
  type Fault,
  type ProviderInfo,
} from "../../protocol/acp/index.ts";
import { type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { V2_METHODS } from "../../protocol/translator/index.ts";
import { isTerminalMethod, shownAuthMethods, assertPromptSupported } from "../capabilities.ts";
import type { Link } from "./client.ts";
import type { AgentDefinition, EmptyAnswer, RequestScope } from "../definition.ts";
import {
  authRequired,
  invalidParams,
  invalidRequest,
  notOneOf,
  sessionNotFound,
} from "../errors.ts";
import { configValueFault } from "../session/request-params.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import { definedFields, asObject, stringField } from "../../base/index.ts";
import { archiveFilterOf, listedSession } from "../session/list-sessions.ts";

/** Answers the requests of one method. */
export type MethodHandler = (params: unknown, context: RequestContext) => unknown;

type Handler<M extends keyof ParamsOf> = (params: ParamsOf[M], context: RequestContext) => unknown;

/** Adds a method to the table, if the agent offers it. */
type On = <M extends keyof ParamsOf>(method: M, offered: boolean, handler: Handler<M>) => void;

/**
 * The methods an agent answers: those its definition implements. The connection answers any other
 * method with -32601, so the agent serves exactly what it advertises.
 */
export function agentMethods<S>(
  definition: AgentDefinition<S>,
  client: Link,
  registry: SessionRegistry<S>,
): ReadonlyMap<string, MethodHandler> {
  const table = new Map<string, MethodHandler>();
  const scope = ({ signal }: RequestContext, params?: unknown): RequestScope => ({
    client,
    signal,
    meta: metaOf(params) ?? {},
  });
  const on: On = (method, offered, handler) => {
    if (offered)
      table.set(method, (params, context) => handler(checkedParams(method, params), context));
  };
  const assertSignedIn = async (context: RequestContext, params: unknown): Promise<void> => {
    const signedIn = (await definition.isAuthenticated?.(scope(context, params))) ?? true;
    if (!signedIn) throw authRequired();
  };
  /** Like `on`, for methods that need a signed-in user. */
  const onSession: On = (method, offered, handler) =>
    on(method, offered, async (params, context) => {
      await assertSignedIn(context, params);
      return await handler(params, context);
    });
  const unstable = definition.unstable === true;
  const isV2 = client.protocolVersion === 2;
  const has = (key: keyof AgentDefinition<S>): boolean => definition[key] !== undefined;

  on(AGENT_METHODS.authenticate, has("authenticate"), async (params, context) => {
    const { methodId } = params;
    const known = shownAuthMethods(definition, client)
      .filter((method) => !isTerminalMethod(method))
      .map((method) => method.id);
    if (!known.includes(methodId)) throw notOneOf("methodId", known);
    return emptyResult(await definition.authenticate?.(methodId, scope(context, params)));
  });
  on(AGENT_METHODS.logout, has("logout"), async (params, context) =>
    emptyResult(await definition.logout?.(scope(context, params))),
  );

  onSession(AGENT_METHODS.newSession, true, (params, context) => registry.open(params, context));
  onSession(AGENT_METHODS.loadSession, has("loadSession"), (params, context) =>
    registry.load(params, context),
  );
  onSession(AGENT_METHODS.resumeSession, has("resumeSession"), (params, context) =>
    registry.resume(params, context),
  );
  onSession(UNSTABLE_METHODS.forkSession, has("forkSession"), (params, context) =>
    registry.fork(params, context),
  );
  onSession(AGENT_METHODS.listSessions, has("listSessions"), async (params, context) => {
    const { cwd, cursor } = params;
    const request = {
      ...scope(context, params),
      cwd: cwd ?? undefined,
      cursor: cursor ?? undefined,
      archived: archiveFilterOf(params, definition),
    };
    const page = await definition.listSessions?.(request);
    const next = page?.nextCursor;
    return {
      sessions: (page?.sessions ?? []).map((info) => listedSession(info, unstable)),
      ...(next === undefined ? {} : { nextCursor: next }),
      ...metaField(page?.meta),
    };
  });
  on(AGENT_METHODS.closeSession, has("closeSession") || isV2, async (params, context) =>
    emptyResult(await registry.close(params.sessionId, scope(context, params))),
  );
  on(AGENT_METHODS.deleteSession, has("deleteSession"), async (params, context) => {
    const { sessionId } = params;
    await registry.close(sessionId);
    return emptyResult(
      await unlessUnknown(async () =>
        definition.deleteSession?.(sessionId, scope(context, params)),
      ),
    );
  });

  // The turn starts synchronously, because the next line may already cancel it.
  on(AGENT_METHODS.prompt, true, (params, context) => {
    assertPromptSupported(params.prompt, definition);
    const admit = (): Promise<void> => assertSignedIn(context, params);
    return registry.get(params.sessionId).prompt(params, context, admit);
  });
  on(AGENT_METHODS.setMode, has("setMode"), async (params, context) => {
    const { sessionId, modeId } = params;
    const { handle } = registry.get(sessionId);
    const known = definition.modes?.(handle)?.availableModes.map((mode) => mode.id) ?? [];
    if (!known.includes(modeId)) throw notOneOf("modeId", known);
    return emptyResult(await definition.setMode?.(handle, modeId, scope(context, params)));
  });
  on(AGENT_METHODS.setConfigOption, has("setConfigOption"), async (params, context) => {
    const { handle } = registry.get(params.sessionId);
    const options = registry.setup(handle).configOptions ?? [];
    const option = options.find(({ id }) => id === params.configId);
    if (!option)
      throw invalidParams({ path: "configId", message: "is not a config option of this session" });
    const fault = configValueFault(option, params.value);
    if (fault !== undefined) throw invalidParams({ path: "value", message: fault });
    const { configId, value } = params;
    const request = scope(context, params);
    const answer = await definition.setConfigOption?.(handle, configId, value, request);
    return { configOptions: registry.setup(handle).configOptions ?? [], ...emptyResult(answer) };
  });

  if (isV2) {
    table.set(V2_METHODS.cancelToolCall, (params) => {
      const { sessionId, id: toolCallId } = cancelledItem(params, "toolCallId");
      registry.get(sessionId).beyondTurns.cancel({ type: "tool_call", toolCallId });
      return {};
    });
    table.set(V2_METHODS.cancelTerminal, (params) => {
      const { sessionId, id: terminalId } = cancelledItem(params, "terminalId");
      registry.get(sessionId).beyondTurns.cancel({ type: "terminal", terminalId });
      return {};
    });
  }

  addUnstableMethods(definition, registry, { on, onSession, scope });

  for (const [method, handler] of Object.entries(definition.requests ?? {})) {
    table.set(method, (params, context) => handler(params, scope(context, params)));
  }
  return table;
}

function emptyResult(answer: EmptyAnswer | void): object {
  return metaField(answer?.meta);
}

/** Validates and types a method's params. Throws -32602 that lists every fault. */
export function checkedParams<M extends keyof ParamsOf>(method: M, params: unknown): ParamsOf[M] {
  const given = checkParams(method, params);
  if (!given.ok) throw invalidParams(...given.faults);
  return given.params;
}

/** Deleting an unknown session counts as success. */
async function unlessUnknown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RpcError) || error.rpcCode !== ERROR_CODES.resourceNotFound) throw error;
    return undefined;
  }
}

interface MethodTable {
  readonly on: On;
  readonly onSession: On;
  readonly scope: (context: RequestContext, params?: unknown) => RequestScope;
}

/** Adds the unstable methods that a definition implements. Without `unstable: true`, it adds none. */
function addUnstableMethods<S>(
  definition: AgentDefinition<S>,
  registry: SessionRegistry<S>,
  { on, onSession, scope }: MethodTable,
): void {
  if (definition.unstable !== true) return;
  const { authStatus, providers, archiveSession, unarchiveSession, sessionStatus, setTitle } =
    definition;
  const method = UNSTABLE_METHODS;

  // A client asks for the status to learn whether it has to sign in.
  on(method.authStatus, authStatus !== undefined, (params, context) =>
    authStatus?.(scope(context, params)),
  );

  const findProvider = async (providerId: string, request: RequestScope): Promise<ProviderInfo> => {
    const listed = await providers?.list(request);
    const found = listed?.find((provider) => provider.providerId === providerId);
    if (found) return found;
    throw invalidParams({ path: "providerId", message: "is not a provider of this agent" });
  };
  on(method.listProviders, providers !== undefined, async (params, context) => ({
    providers: await providers?.list(scope(context, params)),
  }));
  on(method.setProvider, providers !== undefined, async (params, context) => {
    const { providerId, apiType, baseUrl, headers } = params;
    const request = scope(context, params);
    const known = await findProvider(providerId, request);
    if (!known.supported.includes(apiType)) throw notOneOf("apiType", known.supported);
    const settings = { apiType, baseUrl, ...definedFields({ headers }) };
    return emptyResult(await providers?.set(providerId, settings, request));
  });
  on(method.disableProvider, providers !== undefined, async (params, context) => {
    const { providerId } = params;
    const request = scope(context, params);
    const known = await findProvider(providerId, request);
    if (known.required) throw invalidRequest("The provider is required", { providerId });
    return emptyResult(await providers?.disable(providerId, request));
  });

  onSession(method.archiveSession, archiveSession !== undefined, async (params, context) => {
    await registry.close(params.sessionId);
    return emptyResult(await archiveSession?.(params.sessionId, scope(context, params)));
  });
  onSession(method.unarchiveSession, unarchiveSession !== undefined, async (params, context) =>
    emptyResult(await unarchiveSession?.(params.sessionId, scope(context, params))),
  );
  onSession(method.sessionStatus, sessionStatus !== undefined, async (params, context) => {
    const { sessionId } = params;
    if (registry.has(sessionId)) return { status: "open" };
    const status = await sessionStatus?.(sessionId, scope(context, params));
    if (status === undefined) throw sessionNotFound(sessionId);
    return { status };
  });
  onSession(method.setSessionTitle, setTitle !== undefined, async (params, context) => {
    const { sessionId, title } = params;
    if (title.trim() === "") throw invalidParams({ path: "title", message: "must not be empty" });
    const stored = await setTitle?.(sessionId, title, scope(context, params));
    return { title: stored ?? title };
  });
}

/** The item that the client cancels, from the params of the request. Throws -32602. */
function cancelledItem(
  params: unknown,
  idField: "toolCallId" | "terminalId",
): { readonly sessionId: string; readonly id: string } {
  const given = asObject(params);
  const sessionId = stringField(given, "sessionId");
  const id = stringField(given, idField);
  if (sessionId !== undefined && id !== undefined) return { sessionId, id };
  const missing = (path: string, value: unknown): Fault[] =>
    value === undefined ? [{ path, message: "must be a string" }] : [];
  throw invalidParams(...missing("sessionId", sessionId), ...missing(idField, id));
}
