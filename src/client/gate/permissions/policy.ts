import {
  PERMISSION_CLASSES,
  type PermissionChoice,
  type PermissionClass,
  type PermissionDecision,
  type ToolCallState,
  type ToolKind,
} from "../../../protocol/acp/index.ts";
import { isJsonObject } from "../../../base/index.ts";
import type { RequestMeta } from "../providers/provider.ts";
import type { PermissionSubject, PermissionTargets } from "./targets.ts";
import { InvalidArgumentError } from "../../errors.ts";

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

const DECISIONS: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "allow",
  "allow_always",
  "deny",
  "cancel",
]);

/** True if the return value of a permission function is a valid decision. */
export function isDecision(value: unknown): value is PermissionDecision {
  if (typeof value === "string") return DECISIONS.has(value);
  if (!isJsonObject(value)) return false;
  if (value["decision"] === "deny") return typeof value["message"] === "string";
  return typeof value["optionId"] === "string";
}

/** The named policies. */
export const POLICY_NAMES = ["deny", "read", "write", "all"] as const;
/** The name of a policy: what it allows without a question. */
export type PolicyName = (typeof POLICY_NAMES)[number];

/** `deny` means that the request is denied, or put to the `ask` function if there is one. */
export type PolicyVerdict = "allow" | "deny";

const ALLOWED: Readonly<Record<PolicyName, readonly PermissionClass[]>> = {
  deny: [],
  read: ["read"],
  write: ["read", "write"],
  all: ["read", "write", "execute", "other"],
};

/**
 * The verdict of each named policy on each tool kind. A tool call without a kind, or with an unknown
 * one, counts as `other`.
 */
export const PERMISSION_TABLE: Readonly<
  Record<PolicyName, Readonly<Record<ToolKind, PolicyVerdict>>>
> = {
  deny: verdicts("deny"),
  read: verdicts("read"),
  write: verdicts("write"),
  all: verdicts("all"),
};

/* @__NO_SIDE_EFFECTS__ */
function verdicts(policy: PolicyName): Record<ToolKind, PolicyVerdict> {
  const verdict = (kind: ToolKind): PolicyVerdict =>
    ALLOWED[policy].includes(PERMISSION_CLASSES[kind]) ? "allow" : "deny";
  return {
    read: verdict("read"),
    search: verdict("search"),
    think: verdict("think"),
    edit: verdict("edit"),
    delete: verdict("delete"),
    move: verdict("move"),
    execute: verdict("execute"),
    fetch: verdict("fetch"),
    switch_mode: verdict("switch_mode"),
    other: verdict("other"),
  };
}

/** Where files and commands are: decisions about one place mean nothing in another. */
interface DecisionPlace {
  /** The provider of the files. Undefined: this disk. */
  readonly files: object | undefined;
  /** The provider that runs commands. */
  readonly commands: object | undefined;
}

/** Who decides for a session: a policy, a function, or both. */
export interface Decider extends DecisionPlace {
  readonly policy: PolicyName | undefined;
  readonly ask: PermissionFunction | undefined;
  /** The value that the application passed. */
  readonly source: Permissions;
}

/** Throws InvalidArgumentError if the permissions name no policy and have no function. */
export function toDecider(permissions: Permissions, place: DecisionPlace): Decider {
  const { policy, ask } = partsOf(permissions);
  if (policy !== undefined && !POLICY_NAMES.includes(policy)) {
    throw new InvalidArgumentError(
      `unknown permission policy "${policy}": use ${POLICY_NAMES.join(", ")}`,
    );
  }
  if (policy === undefined && typeof ask !== "function") {
    throw new InvalidArgumentError("permissions must name a policy or be a function");
  }
  return { policy, ask, source: permissions, ...place };
}

/**
 * Pure: whether a choice made for all sessions by one decider holds for another: only if the same
 * person or rule decides about the same files and commands.
 */
export function isSameDecider(one: Decider, other: Decider): boolean {
  return (
    one.source === other.source && one.files === other.files && one.commands === other.commands
  );
}

function partsOf(permissions: Permissions): {
  readonly policy?: PolicyName | undefined;
  readonly ask?: PermissionFunction | undefined;
} {
  if (typeof permissions === "string") return { policy: permissions };
  return typeof permissions === "function" ? { ask: permissions } : permissions;
}

/** Pure: the option that a decision selects. Undefined means the outcome `cancelled`. */
export function chooseOption(
  decision: PermissionDecision,
  options: readonly PermissionChoice[],
): PermissionChoice | undefined {
  const first = (wanted: PermissionChoice["kind"]): PermissionChoice | undefined =>
    options.find(({ kind }) => kind === wanted);
  switch (decision) {
    case "allow":
      return first("allow_once");
    case "allow_always":
      return first("allow_always") ?? first("allow_once");
    case "deny":
      return first("reject_once");
    case "cancel":
      return undefined;
    default:
      return "optionId" in decision
        ? options.find(({ optionId }) => optionId === decision.optionId)
        : first("reject_once");
  }
}

/** Pure: whether the chosen option allows the work. An option of an unknown kind does not. */
export function allows(choice: PermissionChoice | undefined): boolean {
  return choice?.kind === "allow_once" || choice?.kind === "allow_always";
}
