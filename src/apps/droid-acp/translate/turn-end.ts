/** Translates the end of a turn in Droid to ACP. Pure and total. */
import { ERROR_CODES, type StopReason } from "../../../protocol/acp/index.ts";
import { authRequired } from "../../../agent/index.ts";
import type { DroidStopReason, DroidTurnResult } from "../../../droid/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";

interface TurnFacts {
  readonly model: string | undefined;
  /** The message from Droid about the failure. */
  readonly failureMessage: string | undefined;
}

export const ADVICE =
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
