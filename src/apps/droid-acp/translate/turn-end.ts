/** Translates the end of a turn in Droid to ACP. Pure and total. */
import { ERROR_CODES, type StopReason, type TurnUsage } from "../../../protocol/acp/index.ts";
import { authRequired } from "../../../agent/index.ts";
import {
  DroidError,
  DroidExitedError,
  DroidNotFoundError,
  type DroidStopReason,
  type DroidTurnResult,
  type TokenUsage,
} from "../../../droid/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { missingDroid } from "../access.ts";

interface TurnFacts {
  readonly model: string | undefined;
  /** The message from Droid about the failure. */
  readonly failureMessage: string | undefined;
}

const ADVICE =
  "Log in with `droid`, set FACTORY_API_KEY in the environment of droid-acp, or choose an own-key model.";

/** The stop reason, or the error response to the prompt. */
export function turnEnd(result: DroidTurnResult, facts: TurnFacts): StopReason | RpcError {
  const { stopReason: reason, failure } = result;
  const message = failure?.message ?? facts.failureMessage;
  switch (reason) {
    case "completed":
      return "end_turn";
    case "cancelled":
      return "cancelled";
    case "moderation":
      return "refusal";
    case "authentication":
      return isOwnKey(facts.model)
        ? failed("The model service did not accept the API key", reason, message)
        : authRequired(`${message ?? "Droid needs a login"}. ${ADVICE}`);
    default:
      return failed(FAILURES[reason], reason, message);
  }
}

type Failure = Exclude<
  DroidStopReason,
  "completed" | "cancelled" | "moderation" | "authentication"
>;

const FAILURES: Readonly<Record<Failure, string>> = {
  discarded: "Droid discarded the message; send it again",
  process_exit: "Droid is shutting down",
  rate_limit: "The model service received too many requests",
  usage_exhausted: "The account has reached its usage limit at the model service",
  rejected: "The model service rejected the request",
  unavailable: "The model service is unreachable or failing",
  error: "The turn failed",
};

function isOwnKey(model: string | undefined): boolean {
  return model?.startsWith("custom:") === true;
}

function failed(what: string, reason: string, message: string | undefined): RpcError {
  const text = message === undefined || message === "" ? what : `${what}: ${message}`;
  return new RpcError(ERROR_CODES.internalError, text, { reason });
}

/** The error response for a failure of Droid. Returns other errors unchanged. */
export function translateDroidError(error: unknown): unknown {
  if (error instanceof DroidExitedError) {
    const { exit, stderr } = error;
    return new RpcError(
      ERROR_CODES.internalError,
      `${error.message}. The next prompt restarts Droid and continues the session.`,
      {
        reason: "droid_exited",
        ...(exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal }),
        ...(stderr === "" ? {} : { stderr }),
      },
    );
  }
  if (error instanceof DroidNotFoundError) {
    const { what, advice, tried } = missingDroid(error);
    const data = { reason: error.code, what, advice, tried };
    return new RpcError(ERROR_CODES.internalError, `${what}. ${advice}`, data);
  }
  if (!(error instanceof DroidError)) return error;
  if (error.code === "login_required") return authRequired(`${error.message}. ${ADVICE}`);
  return new RpcError(ERROR_CODES.internalError, error.message, { reason: error.code });
}

export function turnUsage(usage: TokenUsage): TurnUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage;
  return {
    totalTokens: inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens,
    inputTokens,
    outputTokens,
    thoughtTokens: thinkingTokens,
    cachedReadTokens: cacheReadTokens,
    cachedWriteTokens: cacheCreationTokens,
  };
}
