import { type JsonObject, numberField, objectField, stringField } from "../../wire/index.ts";

/** Why a model service did not answer. `error` is what fits nothing else. */
export type FailureReason =
  | "authentication"
  | "rate_limit"
  | "usage_exhausted"
  | "rejected"
  | "unavailable"
  | "error";

/** A failure as Droid told it. */
export interface DroidFailure {
  readonly reason: FailureReason;
  readonly message: string;
  /** `Error`, `TimeoutError`, `AuthenticationError` and the like. */
  readonly name: string | undefined;
  /** The HTTP status of the model service, where the message begins with one. */
  readonly status: number | undefined;
}

/** How a turn ended. */
export type DroidStopReason =
  | "completed"
  | "cancelled"
  /** Droid threw the message away without working on it. */
  | "discarded"
  /** Droid ended the turn because it was told to exit. */
  | "process_exit"
  | FailureReason;

/** The reasons of `agent_turn_completed`, as 0.225.2 spells them. A plan handed to a new session is a completed turn. */
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

/** What the reason of an `agent_turn_completed` means; one that is not known is an error. */
export function readStopReason(reason: string): DroidStopReason {
  return REASONS[reason] ?? "error";
}

/** The failure in an `error` notification. Versions without turn reasons leave only its text to judge by. */
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

/** What own-key models say in 0.99 and 0.225 when the service cannot be reached or breaks off. */
const CONNECTION =
  /connection error|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|fetch failed|socket|terminated|premature|timed? ?out|unable to connect/i;
