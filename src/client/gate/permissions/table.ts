import {
  PERMISSION_CLASSES,
  type PermissionClass,
  type ToolKind,
} from "../../../protocol/acp/index.ts";

/** The named policies. */
export const POLICY_NAMES = ["deny", "read", "write", "all"] as const;
/** The name of a policy; see {@link PERMISSION_TABLE}. */
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
