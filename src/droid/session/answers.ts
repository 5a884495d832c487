import { type JsonObject, log, type Logger, unlessAborted } from "../../wire/index.ts";
import { RpcError } from "../../rpc/index.ts";
import type { SessionHandlers } from "../options.ts";
import { CANCEL, permissionResult, readDroidPermissionRequest } from "../protocol/permissions.ts";
import { askUserResult, DECLINED, readAskUser } from "../protocol/questions.ts";

/** A request of Droid's, and what its answer depends on. */
export interface Inquiry {
  readonly method: string;
  readonly requestId: string;
  readonly params: unknown;
  readonly handlers: SessionHandlers;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request of Droid's, always and always validly: where there is no handler, or it fails,
 * or says something that was not offered, with the refusal. Nothing else keeps Droid from waiting
 * for ever. Throws an RpcError for a method that is not known.
 */
export function answer(inquiry: Inquiry): Promise<JsonObject> {
  const { method, requestId, params, signal, handlers } = inquiry;
  switch (method) {
    case "droid.request_permission": {
      const request = readDroidPermissionRequest(requestId, params);
      const { onPermission } = handlers;
      const ask = async (): Promise<JsonObject | undefined> =>
        onPermission && permissionResult(request, await onPermission(request, { signal }));
      return withRefusal(inquiry, CANCEL, onPermission && ask);
    }
    case "droid.ask_user": {
      const request = readAskUser(requestId, params);
      const { onAskUser } = handlers;
      const ask = async (): Promise<JsonObject | undefined> =>
        onAskUser && askUserResult(request, await onAskUser(request, { signal }));
      return withRefusal(inquiry, DECLINED, onAskUser && ask);
    }
    default:
      throw RpcError.methodNotFound(method);
  }
}

async function withRefusal(
  { method, signal, handlers }: Inquiry,
  refusal: JsonObject,
  ask: (() => Promise<JsonObject | undefined>) | undefined,
): Promise<JsonObject> {
  if (!ask) return refuse(handlers.logger, method, refusal, "there is no handler");
  try {
    const given = await unlessAborted(ask(), signal);
    return given ?? refuse(handlers.logger, method, refusal, "the answer was not among the offers");
  } catch (error) {
    const why = signal.aborted ? "nobody waits for the answer any more" : "the handler failed";
    return refuse(handlers.logger, method, refusal, why, error);
  }
}

function refuse(
  logger: Logger | undefined,
  method: string,
  refusal: JsonObject,
  why: string,
  error?: unknown,
): JsonObject {
  log(logger, "warn", `${method} is refused: ${why}`, { error });
  return refusal;
}
