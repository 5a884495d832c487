/** What `dragoman/hub` publishes. */
export {
  type PermissionRule,
  type RuleDecision,
  RulesError,
  type RulesFile,
  type RulesEnvironment,
  readRules,
} from "./rules.ts";
