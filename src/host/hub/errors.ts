import { type ErrorObject, RpcCode, RpcError } from "../../transport/rpc/index.ts";
import type { AgentEndCause } from "./events.ts";
import { redactText, toError } from "../../base/index.ts";
import { type CloseReason, describeClose } from "../../transport/wire/index.ts";

/** The error codes that a hub answers with, besides those of JSON-RPC and ACP. */
export const HUB_CODES = {
  /** The session does not exist, or belongs to another owner. */
  unknownSession: -32002,
  /** The client may not do this. */
  notAllowed: -32003,
  /** The hub accepts no new turns, because it is about to end. */
  draining: -32004,
  /** The agent ended during the prompt, so it is unknown how much of it was done. */
  outcomeUnknown: -32005,
} as const;

export function unknownSession(sessionId: string): RpcError {
  return new RpcError(HUB_CODES.unknownSession, `Unknown session: ${sessionId}`, { sessionId });
}

export function notAllowed(message: string): RpcError {
  return new RpcError(HUB_CODES.notAllowed, message);
}

/** The last lines of stderr that an error shows. */
const SHOWN_STDERR_CHARS = 2000;

/** Why the hub ended an agent, which did not end by itself then. */
const WHY_ENDED: Readonly<Record<AgentEndCause, string | undefined>> = {
  died: undefined,
  ignored_cancel: "it did not end a cancelled turn",
  unresponsive: "it did not answer in time",
  flooded: "it sent too much that could not be handled",
  idle: "it was idle",
  closed: "the hub was closed",
};

/** How an agent ended, as the `data` of an error. */
function endData(reason: CloseReason, cause: AgentEndCause): object {
  const exit = "exit" in reason ? reason.exit : undefined;
  const stderr = "stderr" in reason ? reason.stderr : undefined;
  return {
    reason: "agent_ended",
    cause,
    exit: exit?.code ?? null,
    signal: exit?.signal ?? null,
    stderr: stderr === undefined ? "" : redactText(stderr.slice(-SHOWN_STDERR_CHARS)),
  };
}

/** The error for a request that an agent did not answer because it ended. */
export function agentEnded(
  agent: string,
  { reason, cause }: { readonly reason: CloseReason; readonly cause: AgentEndCause },
  method: string,
): RpcError {
  const why = WHY_ENDED[cause];
  const how =
    why === undefined
      ? `${agent} ended: ${describeClose(reason)}`
      : `${agent} was ended, because ${why}`;
  const data = endData(reason, cause);
  if (method !== "session/prompt") return new RpcError(RpcCode.internalError, how, data);
  const message = `${how}. The outcome of the prompt is unknown: parts of it may have been done.`;
  return new RpcError(HUB_CODES.outcomeUnknown, message, data);
}

/** The error for a request that needs an agent which could not be started. */
export function cannotStart(agent: string, error: unknown): RpcError {
  const { message } = toError(error);
  return new RpcError(RpcCode.internalError, `${agent} could not be started: ${message}`, {
    reason: "cannot_start",
  });
}

export function hubErrorObject(error: unknown): ErrorObject {
  if (!(error instanceof RpcError)) {
    return { code: RpcCode.internalError, message: redactText(toError(error).message) };
  }
  const { rpcCode: code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}
