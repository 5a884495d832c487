import { InvalidArgumentError } from "../../errors.ts";
import type { PermissionFunction, Permissions } from "./policy.ts";
import { POLICY_NAMES, type PolicyName } from "./table.ts";

/** Where files and commands are: decisions about one place mean nothing in another. */
export interface DecisionPlace {
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
