import { PERMISSION_CLASSES, type PermissionClass } from "../../../protocol/acp/index.ts";
import { applyRules, type PermissionRule, type Query } from "../../../client/rules/index.ts";

/** The permissions that the flags grant. In a chat, `/permissions` changes them. */
export interface FlagGrants {
  write: boolean;
  exec: boolean;
  yolo: boolean;
}

export interface PermissionPolicy {
  readonly grants: FlagGrants;
  readonly rules: readonly PermissionRule[];
  /** Whether the user can be asked. */
  readonly canAsk: boolean;
}

/** A decision and its reason. */
export interface PolicyDecision {
  readonly decision: "allow" | "deny" | "ask";
  readonly by: "flag" | "rule" | "default";
  /** The flag that would have allowed it, or the reason why none would. Set only for a denial. */
  readonly hint: string | undefined;
}

/**
 * The flag that allows each class of tools inside the session's roots; undefined for a class that
 * needs none. Outside the roots, only `--yolo` allows anything.
 */
const FLAG_FOR: Readonly<Record<PermissionClass, "--write" | "--exec" | "--yolo" | undefined>> = {
  read: undefined,
  write: "--write",
  execute: "--exec",
  other: "--yolo",
};

/**
 * Decides about a request from the agent: first by the rules, then by the flags. The user is asked
 * about the rest. If that is not possible, only reading is allowed.
 */
export function decide(query: Query, policy: PermissionPolicy): PolicyDecision {
  const answer = applyRules(policy.rules, query);
  const undecided = policy.canAsk ? "ask" : "deny";
  if (answer !== undefined) {
    const decision = answer.decision === "ask" ? undecided : answer.decision;
    const rule = `rule ${answer.rule.number} of --permissions`;
    const why =
      answer.decision === "ask"
        ? `${rule} requires asking, which is not possible here`
        : `${rule} denies it`;
    return { decision, by: "rule", hint: decision === "deny" ? why : undefined };
  }
  const flag = query.isInside ? FLAG_FOR[PERMISSION_CLASSES[query.kind]] : "--yolo";
  const { yolo, write, exec } = policy.grants;
  if (yolo || (flag === "--write" && write) || (flag === "--exec" && exec)) {
    return { decision: "allow", by: "flag", hint: undefined };
  }
  if (policy.canAsk) return { decision: "ask", by: "default", hint: undefined };
  if (flag === undefined) return { decision: "allow", by: "default", hint: undefined };
  return { decision: "deny", by: "default", hint: flag };
}
