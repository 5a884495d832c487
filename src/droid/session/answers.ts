import { type JsonObject, log, type Logger, unlessAborted } from "../../base/index.ts";
import { RpcError } from "../../transport/rpc/index.ts";
import type { SessionHandlers } from "../options.ts";
import { CANCEL, permissionResult, readDroidPermissionRequest } from "../protocol/permissions.ts";
import { askUserResult, DECLINED, readAskUser } from "../protocol/questions.ts";

/**
 * Whether the answer makes Droid run an approved plan in a new session. Only later frames contain
 * its id.
 */
export function entersNewSession({ selectedOption }: JsonObject): boolean {
  return typeof selectedOption === "string" && selectedOption.startsWith("proceed_new_session");
}

/** A request from Droid, and everything that its answer depends on. */
interface IncomingRequest {
  readonly method: string;
  readonly requestId: string;
  readonly params: unknown;
  readonly handlers: SessionHandlers;
  /** Aborted once the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request from Droid. Always returns a valid answer: if there is no handler, or it fails, or
 * its answer is not valid, the answer is a denial. Without one, Droid would wait forever. Throws
 * an RpcError for an unknown method.
 */
export function answer(incoming: IncomingRequest): Promise<JsonObject> {
  const { method, requestId, params, signal, handlers } = incoming;
  switch (method) {
    case "droid.request_permission": {
      const request = readDroidPermissionRequest(requestId, params);
      const { onPermission } = handlers;
      const ask = async (): Promise<JsonObject | undefined> =>
        onPermission && permissionResult(request, await onPermission(request, { signal }));
      return answerOrDeny(incoming, CANCEL, onPermission && ask);
    }
    case "droid.ask_user": {
      const request = readAskUser(requestId, params);
      const { onAskUser } = handlers;
      const ask = async (): Promise<JsonObject | undefined> =>
        onAskUser && askUserResult(request, await onAskUser(request, { signal }));
      return answerOrDeny(incoming, DECLINED, onAskUser && ask);
    }
    default:
      throw RpcError.methodNotFound(method);
  }
}

async function answerOrDeny(
  { method, signal, handlers }: IncomingRequest,
  denial: JsonObject,
  ask: (() => Promise<JsonObject | undefined>) | undefined,
): Promise<JsonObject> {
  if (!ask) return deny(handlers.logger, method, denial, "no handler is set");
  try {
    const result = await unlessAborted(ask(), signal);
    return result ?? deny(handlers.logger, method, denial, "the handler's answer is not valid");
  } catch (error) {
    const why = signal.aborted ? "the answer is no longer needed" : "the handler failed";
    return deny(handlers.logger, method, denial, why, error);
  }
}

function deny(
  logger: Logger | undefined,
  method: string,
  denial: JsonObject,
  why: string,
  error?: unknown,
): JsonObject {
  log(logger, "warn", `denied ${method}: ${why}`, { error });
  return denial;
}
