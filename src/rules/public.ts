/** What `dragoman/hub` publishes. */
export { type PermissionRule, type RuleDecision, RulesError } from "./rules.ts";
export * from "./rules-file.ts";
