import type { PermissionChoice, ToolCallState, ToolKind } from "../../../acp/index.ts";
import type { PermissionSubject } from "./subject.ts";
import type { PolicyName } from "./table.ts";
import type { PermissionTargets } from "./targets.ts";

/** One thing to decide. */
export interface PermissionRequest {
  readonly session: { readonly id: string; readonly roots: readonly string[] };
  /** The kind to judge by: the tool call's, or what the subject amounts to. */
  readonly kind: ToolKind;
  readonly subject: PermissionSubject;
  /** The paths and commands that the request is about, read from its fields. */
  readonly targets: PermissionTargets;
  /** For a tool call: all that is known of it, the request itself included. Titles are prose. */
  readonly toolCall: ToolCallState | undefined;
  /** The agent's own options; for everything else, {@link OWN_OPTIONS}. Several may be of one kind. */
  readonly options: readonly PermissionChoice[];
  /** Aborted when an answer is of no use any more. */
  readonly signal: AbortSignal;
}

/**
 * `allow` and `deny` are for this once. An option is chosen by its id; one of the `always` kinds is
 * remembered, for the session or for all sessions with this agent.
 */
export type PermissionDecision =
  | "allow"
  | "deny"
  | "cancel"
  | { readonly optionId: string; readonly remember?: StickyScope };

/** Decides, at once or later. Failing, or answering with anything else, is a refusal. */
export type PermissionFunction = (
  request: PermissionRequest,
) => PermissionDecision | Promise<PermissionDecision>;

/**
 * Who decides: a named policy, a function that is asked about everything, or a policy with a
 * function that is asked about what the policy does not allow.
 */
export type Permissions =
  | PolicyName
  | PermissionFunction
  | { readonly policy: PolicyName; readonly ask: PermissionFunction };

/** For whom a decision made by an `always` option is remembered. */
export type StickyScope = "session" | "agent" | "off";

/** The options of a question that no agent asked: about `fs/*` and `terminal/create`. */
export const OWN_OPTIONS: readonly PermissionChoice[] = [
  ownOption("allow_once", "Allow"),
  ownOption("allow_always", "Allow everything of this kind for this session"),
  ownOption("reject_once", "Reject"),
  ownOption("reject_always", "Reject everything of this kind for this session"),
];

function ownOption(
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always",
  name: string,
): PermissionChoice {
  return { optionId: kind, name, kind, raw: { optionId: kind, name, kind } };
}

/** Pure: the option a decision comes to; undefined is the outcome `cancelled`. */
export function chooseOption(
  decision: PermissionDecision,
  options: readonly PermissionChoice[],
): PermissionChoice | undefined {
  switch (decision) {
    case "allow":
      return options.find((option) => option.kind === "allow_once");
    case "deny":
      return options.find((option) => option.kind === "reject_once");
    case "cancel":
      return undefined;
    default:
      return options.find((option) => option.optionId === decision.optionId);
  }
}

/** Pure: whether choosing an option lets the work be done. A kind nobody knows does not. */
export function allows(choice: PermissionChoice | undefined): boolean {
  return choice?.kind === "allow_once" || choice?.kind === "allow_always";
}

/** What a function of the user's returned, if it is a decision at all. */
export function isDecision(value: unknown): value is PermissionDecision {
  if (value === "allow" || value === "deny" || value === "cancel") return true;
  return (
    typeof value === "object" &&
    value !== null &&
    "optionId" in value &&
    typeof value.optionId === "string"
  );
}
