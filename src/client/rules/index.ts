/** Permission rules: a file of rules, and what they decide about a request of an agent. */
export * from "./public.ts";
export {
  applyRules,
  describeQuery,
  type Query,
  queryOf,
  type RuleAnswer,
  showCommand,
} from "./rules.ts";
