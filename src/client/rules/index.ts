/** Permission rules: a file of rules, and what they decide about a request of an agent. */
export * from "./public.ts";
export * from "./rule-query.ts";
export { applyRules, type RuleAnswer } from "./rules.ts";
