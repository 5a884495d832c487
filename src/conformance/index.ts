/** The rules of ACP as data, and judges of recorded frames. Runs in Node and browsers. */
export * from "./requirement.ts";
export * from "./requirements/registry.ts";
export * from "./rules/judge.ts";
export type { Violation } from "./rules/rule.ts";
export { messageProblem, unknownMembers } from "./rules/message-rules.ts";
export { describedFields } from "./schema/descriptions.ts";
export { paramsFaults, resultFaults, validatorOf } from "./schema/schema.ts";
export * from "./schema/tables/origin.ts";
