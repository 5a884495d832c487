import { metaField, type ParamsOf, UNSTABLE_METHODS } from "../../acp/index.ts";
import { definedFields } from "../../wire/index.ts";
import type { Handler, MethodTable } from "../connection/method-table.ts";
import { invalidParams, invalidRequest, sessionNotFound } from "../errors.ts";
import type { EmptyAnswer } from "../request-scope.ts";
import type { UnstableDefinition } from "./definition.ts";

/** The part of the session registry that these methods use. */
interface Sessions {
  has(sessionId: string): boolean;
  close(sessionId: string): Promise<unknown>;
}

/** Adds the unstable methods that a definition implements. Without `unstable: true`, it adds none. */
export function addUnstableMethods(
  definition: UnstableDefinition,
  sessions: Sessions,
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

  on(method.listProviders, providers !== undefined, async (params, context) => ({
    providers: await providers?.list(scope(context, params)),
  }));
  on(method.setProvider, providers !== undefined, async (params, context) => {
    const { providerId, apiType, baseUrl, headers } = params;
    const request = scope(context, params);
    const known = (await providers?.list(request))?.find(({ providerId: id }) => id === providerId);
    if (!known) throw unknownProvider();
    if (!known.supported.includes(apiType)) {
      const list = known.supported.map((one) => `"${one}"`).join(", ");
      throw invalidParams({ path: "apiType", message: `must be one of ${list}` });
    }
    const settings = { apiType, baseUrl, ...definedFields({ headers }) };
    return emptyResult(await providers?.set(providerId, settings, request));
  });
  on(method.disableProvider, providers !== undefined, async (params, context) => {
    const { providerId } = params;
    const request = scope(context, params);
    const known = (await providers?.list(request))?.find(({ providerId: id }) => id === providerId);
    if (!known) throw unknownProvider();
    if (known.required) throw invalidRequest("The provider is required", { providerId });
    return emptyResult(await providers?.disable(providerId, request));
  });

  const archive: Handler<"session/archive"> = async (params, context) => {
    await sessions.close(params.sessionId);
    return emptyResult(await archiveSession?.(params.sessionId, scope(context, params)));
  };
  onSession(method.archiveSession, archiveSession !== undefined, archive);
  onSession(method.unarchiveSession, unarchiveSession !== undefined, async (params, context) =>
    emptyResult(await unarchiveSession?.(params.sessionId, scope(context, params))),
  );
  onSession(method.sessionStatus, sessionStatus !== undefined, async (params, context) => {
    const { sessionId } = params;
    if (sessions.has(sessionId)) return { status: "open" };
    const status = await sessionStatus?.(sessionId, scope(context, params));
    if (status === undefined) throw sessionNotFound(sessionId);
    return { status };
  });
  onSession(method.setSessionTitle, setTitle !== undefined, async (params, context) => {
    const { sessionId, title } = params satisfies ParamsOf["session/set_title"];
    if (title.trim() === "") throw invalidParams({ path: "title", message: "must not be empty" });
    const stored = await setTitle?.(sessionId, title, scope(context, params));
    return { title: stored ?? title };
  });
}

function emptyResult(answer: EmptyAnswer | void): object {
  return metaField(answer?.meta);
}

function unknownProvider() {
  return invalidParams({ path: "providerId", message: "is not a provider of this agent" });
}
