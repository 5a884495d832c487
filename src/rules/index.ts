/** Permission rules: a file of rules, and what they decide about a request of an agent. */
export { describeQuery, queryOf, showCommand, type Query } from "./rule-query.ts";
export {
  applyRules,
  type PermissionRule,
  type RuleAnswer,
  type RuleDecision,
  RulesError,
} from "./rules.ts";
export { readRules, type RulesEnvironment, type RulesFile } from "./rules-file.ts";
