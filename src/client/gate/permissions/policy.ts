import type {
  Meta,
  PermissionChoice,
  ToolCallState,
  ToolKind,
} from "../../../protocol/acp/index.ts";
import type { RequestMeta } from "../request-meta.ts";
import type { PermissionSubject } from "./subject.ts";
import type { PolicyName } from "./table.ts";
import type { PermissionTargets } from "./targets.ts";

/** A question for a permission function. */
export interface PermissionRequest extends RequestMeta {
  /** The session that asks. */
  readonly session: {
    readonly id: string;
    /** The folders of the session, as real paths. */
    readonly roots: readonly string[];
  };
  /** The kind to judge by: that of the tool call, or the one that the subject counts as. */
  readonly kind: ToolKind;
  /** The exact work to decide about. */
  readonly subject: PermissionSubject;
  /** The paths and commands that the request is about, read from its fields. */
  readonly targets: PermissionTargets;
  /** Everything known about the tool call, including the request itself. Its title is only prose. */
  readonly toolCall: ToolCallState | undefined;
  /** The question in the agent's words. Only agents of v2 send one. It is prose: decide nothing by it. */
  readonly question?: string | undefined;
  /** More about the question, in the agent's words. */
  readonly description?: string | undefined;
  /**
   * The options from the agent; several may have the same kind. For files and commands, which the
   * agent requests without options: one of each kind, whose id is its kind.
   */
  readonly options: readonly PermissionChoice[];
  /** Aborted when an answer is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * `allow` and `deny` apply once. An `optionId` chooses that option. The choice of an `always` option is
 * remembered, for the session or for all sessions with this agent.
 */
export type PermissionDecision =
  | "allow"
  | "deny"
  | "cancel"
  | {
      readonly optionId: string;
      /** How far the choice of an `always` option reaches. Default: `sticky` of the client. */
      readonly remember?: StickyScope | undefined;
      /** Sent as the `_meta` of the outcome. That of the whole answer is set with `answerMeta`. */
      readonly meta?: Meta | undefined;
    };

/** Decides now or later. If it fails or returns anything else, the request is denied. */
export type PermissionFunction = (
  request: PermissionRequest,
) => PermissionDecision | Promise<PermissionDecision>;

/**
 * Who decides: a named policy, a function that is called for everything, or a policy with a function
 * that is called for everything the policy does not allow.
 */
export type Permissions =
  | PolicyName
  | PermissionFunction
  | {
      /** The policy that decides first. */
      readonly policy: PolicyName;
      /** Decides about everything that the policy does not allow. */
      readonly ask: PermissionFunction;
    };

/** How far the choice of an `always` option is remembered. */
export type StickyScope = "session" | "agent" | "off";

/** The options for work without a permission request from the agent: `fs/*` and `terminal/create`. */
export const OWN_OPTIONS: readonly PermissionChoice[] = [
  ownOption("allow_once", "Allow"),
  ownOption("allow_always", "Allow everything of this kind for this session"),
  ownOption("reject_once", "Reject"),
  ownOption("reject_always", "Reject everything of this kind for this session"),
];

/* @__NO_SIDE_EFFECTS__ */
function ownOption(
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always",
  name: string,
): PermissionChoice {
  return { optionId: kind, name, kind, raw: { optionId: kind, name, kind } };
}

/** Pure: the option that a decision selects. Undefined means the outcome `cancelled`. */
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

/** Pure: whether the chosen option allows the work. An option of an unknown kind does not. */
export function allows(choice: PermissionChoice | undefined): boolean {
  return choice?.kind === "allow_once" || choice?.kind === "allow_always";
}

/** True if the return value of a permission function is a valid decision. */
export function isDecision(value: unknown): value is PermissionDecision {
  if (value === "allow" || value === "deny" || value === "cancel") return true;
  return (
    typeof value === "object" &&
    value !== null &&
    "optionId" in value &&
    typeof value.optionId === "string"
  );
}
