import {
  AGENT_METHODS,
  checkParams,
  ERROR_CODES,
  metaField,
  metaOf,
  type ParamsOf,
  UNSTABLE_METHODS,
} from "../../acp/index.ts";
import { type RequestContext, RpcError } from "../../rpc/index.ts";
import { V2_METHODS } from "../../v2/index.ts";
import { isTerminalMethod, shownAuthMethods } from "../capabilities.ts";
import type { Link } from "./client-link.ts";
import type { Handler, MethodHandler } from "./method-table.ts";
import type { AgentDefinition, EmptyAnswer, RequestScope } from "../definition.ts";
import { authRequired, invalidParams } from "../errors.ts";
import { valueFault } from "../session/config-options.ts";
import { assertPromptSupported } from "../session/workspace.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import { addUnstableMethods } from "../unstable/methods.ts";
import { cancelledItem } from "../v2/cancel-params.ts";
import { archiveFilterOf, listedSession } from "../unstable/session-params.ts";

/** The result of a method without fields. */
function emptyResult(answer: EmptyAnswer | void): object {
  return metaField(answer?.meta);
}

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
  const on = <M extends keyof ParamsOf>(method: M, offered: boolean, handler: Handler<M>): void => {
    if (!offered) return;
    table.set(method, (params, context) => handler(checked(method, params), context));
  };
  const assertSignedIn = async (context: RequestContext, params: unknown): Promise<void> => {
    const signedIn = (await definition.isAuthenticated?.(scope(context, params))) ?? true;
    if (!signedIn) throw authRequired();
  };
  /** Like `on`, for methods that need a signed-in user. */
  const onSession = <M extends keyof ParamsOf>(
    method: M,
    offered: boolean,
    handler: Handler<M>,
  ): void =>
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
    if (!known.includes(methodId)) {
      const message = `must be one of ${known.map((id) => `"${id}"`).join(", ")}`;
      throw invalidParams({ path: "methodId", message });
    }
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
    if (!known.includes(modeId)) {
      const message = `must be one of ${known.map((id) => `"${id}"`).join(", ")}`;
      throw invalidParams({ path: "modeId", message });
    }
    return emptyResult(await definition.setMode?.(handle, modeId, scope(context, params)));
  });
  on(AGENT_METHODS.setConfigOption, has("setConfigOption"), async (params, context) => {
    const { handle } = registry.get(params.sessionId);
    const options = registry.setup(handle).configOptions ?? [];
    const option = options.find(({ id }) => id === params.configId);
    if (!option)
      throw invalidParams({ path: "configId", message: "is not a config option of this session" });
    const fault = valueFault(option, params.value);
    if (fault !== undefined) throw invalidParams({ path: "value", message: fault });
    const { configId, value } = params;
    const request = scope(context, params);
    const answer = await definition.setConfigOption?.(handle, configId, value, request);
    return { configOptions: registry.setup(handle).configOptions ?? [], ...emptyResult(answer) };
  });

  if (isV2) {
    table.set(V2_METHODS.cancelToolCall, (params) => {
      const { sessionId, id } = cancelledItem(params, "toolCallId");
      registry.get(sessionId).beyondTurns.cancel({ type: "tool_call", toolCallId: id });
      return {};
    });
    table.set(V2_METHODS.cancelTerminal, (params) => {
      const { sessionId, id } = cancelledItem(params, "terminalId");
      registry.get(sessionId).beyondTurns.cancel({ type: "terminal", terminalId: id });
      return {};
    });
  }

  addUnstableMethods(definition, registry, { on, onSession, scope });

  for (const [method, handler] of Object.entries(definition.requests ?? {})) {
    table.set(method, (params, context) => handler(params, scope(context, params)));
  }
  return table;
}

/** Validates and types a method's params. Throws -32602 that lists every fault. */
export function checked<M extends keyof ParamsOf>(method: M, params: unknown): ParamsOf[M] {
  const given = checkParams(method, params);
  if (!given.ok) throw invalidParams(...given.faults);
  return given.params;
}

/** Deleting an unknown session counts as success. */
async function unlessUnknown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== ERROR_CODES.resourceNotFound) throw error;
    return undefined;
  }
}
