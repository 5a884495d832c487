import {
  CLIENT_METHODS,
  type PermissionOption,
  type PermissionOutcome,
  readPermissionResult,
  type ToolCallUpdate,
} from "../../acp/index.ts";
import { TurnCancelledError } from "../errors.ts";
import type { TurnScope } from "./turn-scope.ts";

export interface PermissionQuestion {
  /** The choices; "Allow" and "Reject", once each, unless given. */
  readonly options?: readonly PermissionOption[];
  /** Adds "Always allow" and "Always reject" to the usual choices. */
  readonly always?: boolean;
}

export interface PermissionAnswer {
  /** True only if an option was chosen that was offered and allows. */
  readonly allowed: boolean;
  /** `cancelled` when nobody chose: the turn was cancelled, or the client closed the question. */
  readonly outcome: "selected" | "cancelled";
  /** What was chosen; undefined when cancelled. */
  readonly optionId: string | undefined;
  /** The choice covers later questions of the same sort too. */
  readonly always: boolean;
}

const ONCE: readonly PermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];

const ALWAYS: readonly PermissionOption[] = [
  { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject_always", name: "Always reject", kind: "reject_always" },
];

/** The options a question is asked with. Pure. */
export function optionsFor(question: PermissionQuestion): PermissionOption[] {
  if (question.options) return [...question.options];
  return question.always === true ? [...ONCE, ...ALWAYS] : [...ONCE];
}

/** Reads an outcome against what was offered. An option that was not offered allows nothing. Pure. */
export function toAnswer(
  outcome: PermissionOutcome,
  options: readonly PermissionOption[],
): PermissionAnswer {
  if (outcome.outcome === "cancelled") return CANCELLED;
  const { optionId } = outcome;
  const kind = options.find((option) => option.optionId === optionId)?.kind;
  return {
    allowed: kind === "allow_once" || kind === "allow_always",
    outcome: "selected",
    optionId,
    always: kind === "allow_always" || kind === "reject_always",
  };
}

const CANCELLED: PermissionAnswer = {
  allowed: false,
  outcome: "cancelled",
  optionId: undefined,
  always: false,
};

/** Asks the user, through the client. A cancelled turn is an answer, not a failure. */
export async function requestPermission(
  scope: TurnScope,
  toolCall: ToolCallUpdate,
  question: PermissionQuestion,
): Promise<PermissionAnswer> {
  const options = optionsFor(question);
  try {
    const outcome = await scope.ask(
      CLIENT_METHODS.requestPermission,
      { toolCall, options },
      readPermissionResult,
    );
    return toAnswer(outcome, options);
  } catch (error) {
    if (error instanceof TurnCancelledError) return CANCELLED;
    throw error;
  }
}
