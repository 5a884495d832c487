import type { ToolKind } from "../../../acp/index.ts";

/** The policies that go by a name. */
export const POLICY_NAMES = ["deny", "read", "write", "all"] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** `refuse` is a refusal, or a question where there is somebody to ask. */
export type PolicyVerdict = "allow" | "refuse";

/**
 * What each named policy says to each kind of tool. A tool call without a kind, or with one that is
 * unknown, counts as `other`.
 *
 * `fetch` is refused by `read` and `write` because an address can carry data out; `switch_mode`
 * because a mode may lift the agent's own restraints.
 */
export const PERMISSION_TABLE: Readonly<
  Record<PolicyName, Readonly<Record<ToolKind, PolicyVerdict>>>
> = {
  deny: {
    read: "refuse",
    search: "refuse",
    think: "refuse",
    edit: "refuse",
    delete: "refuse",
    move: "refuse",
    execute: "refuse",
    fetch: "refuse",
    switch_mode: "refuse",
    other: "refuse",
  },
  read: {
    read: "allow",
    search: "allow",
    think: "allow",
    edit: "refuse",
    delete: "refuse",
    move: "refuse",
    execute: "refuse",
    fetch: "refuse",
    switch_mode: "refuse",
    other: "refuse",
  },
  write: {
    read: "allow",
    search: "allow",
    think: "allow",
    edit: "allow",
    delete: "allow",
    move: "allow",
    execute: "refuse",
    fetch: "refuse",
    switch_mode: "refuse",
    other: "refuse",
  },
  all: {
    read: "allow",
    search: "allow",
    think: "allow",
    edit: "allow",
    delete: "allow",
    move: "allow",
    execute: "allow",
    fetch: "allow",
    switch_mode: "allow",
    other: "allow",
  },
};
