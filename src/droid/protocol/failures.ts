import { type JsonObject, numberField, objectField, stringField } from "../../base/index.ts";

/** Why a model service failed. `error` covers every failure without a reason of its own. */
type FailureReason =
  | "authentication"
  | "rate_limit"
  | "usage_exhausted"
  | "rejected"
  /** Its content filter stopped the answer. Versions before 0.215 report such a turn as completed. */
  | "moderation"
  | "unavailable"
  | "error";

/** A failure as Droid reported it. */
export interface DroidFailure {
  /** The kind of failure. */
  readonly reason: FailureReason;
  readonly message: string;
  /** `Error`, `TimeoutError`, `AuthenticationError` and the like. */
  readonly name: string | undefined;
  /** The HTTP status of the model service, if Droid reports one or the message starts with one. */
  readonly status: number | undefined;
}

/** How a turn ended. */
export type DroidStopReason =
  | "completed"
  | "cancelled"
  /** Droid discarded the prompt without working on it. */
  | "discarded"
  /** Droid ended the turn because it was asked to exit. */
  | "process_exit"
  | FailureReason;

/**
 * The reasons of `agent_turn_completed`, as spelled by 0.225.2. A plan handed to a new session
 * counts as a completed turn.
 */
const REASONS: Readonly<Record<string, DroidStopReason>> = {
  completed: "completed",
  spec_handoff: "completed",
  cancelled: "cancelled",
  process_exit: "process_exit",
  model_authentication_failed: "authentication",
  model_rate_limited: "rate_limit",
  model_usage_exhausted: "usage_exhausted",
  model_request_rejected: "rejected",
  model_provider_unavailable: "unavailable",
  model_provider_unreachable: "unavailable",
};

/** Maps the reason of an `agent_turn_completed` to a stop reason. An unknown reason becomes `error`. */
export function readStopReason(reason: string): DroidStopReason {
  return REASONS[reason] ?? "error";
}

/**
 * Reads the failure in an `error` notification. For versions without turn reasons its text is the
 * only clue.
 */
export function readFailure(notification: JsonObject): DroidFailure {
  const error = objectField(notification, "error") ?? {};
  const message =
    stringField(notification, "message") ?? stringField(error, "message") ?? "unknown error";
  const name = stringField(error, "name") ?? stringField(notification, "errorType");
  const status = numberField(error, "status") ?? statusIn(message);
  return { reason: classifyFailureText(status, name, message), message, name, status };
}

function statusIn(message: string): number | undefined {
  const [, digits] = /^(?:[A-Za-z]*Error: )?([45]\d\d)\b/.exec(message) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function classifyFailureText(
  status: number | undefined,
  name: string | undefined,
  message: string,
): FailureReason {
  if (name === "LLMContentModerationError") return "moderation";
  if (status === 401 || status === 403) return "authentication";
  if (status === 402) return "usage_exhausted";
  if (status === 429) return "rate_limit";
  if (status === 408 || (status !== undefined && status >= 500)) return "unavailable";
  if (status !== undefined) return "rejected";
  if (name === "AuthenticationError") return "authentication";
  if (name === "TimeoutError" || name === "APIConnectionError" || CONNECTION.test(message))
    return "unavailable";
  return "error";
}

/** Errors of own-key models in 0.99 and 0.225 when the service is unreachable or drops the connection. */
const CONNECTION =
  /connection error|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|fetch failed|socket|terminated|premature|timed? ?out|unable to connect/i;
