/** The rules of ACP as data, and judges of recorded frames. Runs in Node and browsers. */
export type { CheckedSide, Level, Provocation, Requirement } from "./requirement.ts";
export { REQUIREMENT_SET, requirementsFor } from "./requirements/registry.ts";
export {
  idKey,
  readFrame,
  unknownMembers,
  type ReadFrame,
  type WireFrame,
} from "./rules/message.ts";
export { ConnectionJudge } from "./rules/judge.ts";
export type { Violation } from "./rules/rule.ts";
export { describedFields } from "./schema/descriptions.ts";
export { paramsFaults, resultFaults, validatorOf } from "./schema/schema.ts";
export { SCHEMA_DIGESTS, SCHEMA_VERSION } from "./schema/tables/origin.ts";
