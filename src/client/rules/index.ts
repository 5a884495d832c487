/** Permission rules: a file of rules, and what they decide about a request of an agent. */
export { type PermissionRule, RulesError, type RulesFile, readRules } from "./rules.ts";
export {
  applyRules,
  describeRuleQuery,
  type RuleQuery,
  queryOf,
  type RuleAnswer,
  showCommand,
} from "./rules.ts";
