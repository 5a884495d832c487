import {
  AGENT_METHODS,
  checkParams,
  ERROR_CODES,
  type ParamsOf,
  UNSTABLE_METHODS,
} from "../../acp/index.ts";
import { type RequestContext, RpcError } from "../../rpc/index.ts";
import { isTerminalMethod, shownAuthMethods } from "../capabilities.ts";
import type { Link } from "./client-link.ts";
import type { AgentDefinition, RequestScope } from "../definition.ts";
import { authRequired, invalidParams } from "../errors.ts";
import { valueFault } from "../session/config-options.ts";
import { assertPromptTaken } from "../session/workspace.ts";
import type { SessionRegistry } from "../session/session-registry.ts";

/** Answers one method's requests. */
export type MethodHandler = (params: unknown, context: RequestContext) => unknown;

type Handler<M extends keyof ParamsOf> = (params: ParamsOf[M], context: RequestContext) => unknown;

const NOTHING = {};

/**
 * The methods an agent answers: those its definition implements. Whoever is not in this table is
 * answered with -32601, so what is advertised and what is served cannot drift apart.
 */
export function agentMethods<S>(
  definition: AgentDefinition<S>,
  client: Link,
  registry: SessionRegistry<S>,
): ReadonlyMap<string, MethodHandler> {
  const table = new Map<string, MethodHandler>();
  const scope = ({ signal }: RequestContext): RequestScope => ({ client, signal });
  const on = <M extends keyof ParamsOf>(method: M, offered: boolean, handler: Handler<M>): void => {
    if (!offered) return;
    table.set(method, (params, context) => handler(checked(method, params), context));
  };
  const assertSignedIn = async (context: RequestContext): Promise<void> => {
    const signedIn = (await definition.isAuthenticated?.(scope(context))) ?? true;
    if (!signedIn) throw authRequired();
  };
  /** As `on`, for what needs a user who is signed in. */
  const onSession = <M extends keyof ParamsOf>(
    method: M,
    offered: boolean,
    handler: Handler<M>,
  ): void =>
    on(method, offered, async (params, context) => {
      await assertSignedIn(context);
      return await handler(params, context);
    });
  const has = (key: keyof AgentDefinition<S>): boolean => definition[key] !== undefined;

  on(AGENT_METHODS.authenticate, has("authenticate"), async ({ methodId }, context) => {
    const known = shownAuthMethods(definition, client)
      .filter((method) => !isTerminalMethod(method))
      .map((method) => method.id);
    if (!known.includes(methodId)) {
      const message = `must be one of ${known.map((id) => `"${id}"`).join(", ")}`;
      throw invalidParams({ path: "methodId", message });
    }
    await definition.authenticate?.(methodId, scope(context));
    return NOTHING;
  });
  on(AGENT_METHODS.logout, has("logout"), async (_, context) => {
    await definition.logout?.(scope(context));
    return NOTHING;
  });

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
    const request = { ...scope(context), cwd: cwd ?? undefined, cursor: cursor ?? undefined };
    const page = await definition.listSessions?.(request);
    const next = page?.nextCursor;
    return {
      sessions: page?.sessions ?? [],
      ...(next === undefined ? {} : { nextCursor: next }),
    };
  });
  on(AGENT_METHODS.closeSession, has("closeSession"), async ({ sessionId }) => {
    await registry.close(sessionId);
    return NOTHING;
  });
  on(AGENT_METHODS.deleteSession, has("deleteSession"), async ({ sessionId }, context) => {
    await registry.close(sessionId);
    await unlessUnknown(() => definition.deleteSession?.(sessionId, scope(context)));
    return NOTHING;
  });

  // The turn begins at once, before anything is waited for: the next line may be its cancel.
  on(AGENT_METHODS.prompt, true, ({ sessionId, prompt }, context) => {
    assertPromptTaken(prompt, definition);
    return registry.get(sessionId).prompt(prompt, context.signal, () => assertSignedIn(context));
  });
  on(AGENT_METHODS.setMode, has("setMode"), async ({ sessionId, modeId }) => {
    const { handle } = registry.get(sessionId);
    const known = definition.modes?.(handle)?.availableModes.map((mode) => mode.id) ?? [];
    if (!known.includes(modeId)) {
      const message = `must be one of ${known.map((id) => `"${id}"`).join(", ")}`;
      throw invalidParams({ path: "modeId", message });
    }
    await definition.setMode?.(handle, modeId);
    return NOTHING;
  });
  on(AGENT_METHODS.setConfigOption, has("setConfigOption"), async (params) => {
    const { handle } = registry.get(params.sessionId);
    const options = registry.setup(handle).configOptions ?? [];
    const option = options.find(({ id }) => id === params.configId);
    if (!option)
      throw invalidParams({ path: "configId", message: "is not an option of the session" });
    const fault = valueFault(option, params.value);
    if (fault !== undefined) throw invalidParams({ path: "value", message: fault });
    await definition.setConfigOption?.(handle, params.configId, params.value);
    return { configOptions: registry.setup(handle).configOptions ?? [] };
  });

  for (const [method, handler] of Object.entries(definition.requests ?? {})) {
    table.set(method, (params, context) => handler(params, scope(context)));
  }
  return table;
}

/** A method's params, typed. Throws -32602 that names every fault. */
export function checked<M extends keyof ParamsOf>(method: M, params: unknown): ParamsOf[M] {
  const given = checkParams(method, params);
  if (!given.ok) throw invalidParams(...given.faults);
  return given.params;
}

/** To remove what is not there is to have removed it. */
async function unlessUnknown(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== ERROR_CODES.resourceNotFound) throw error;
  }
}
