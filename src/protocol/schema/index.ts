/** Schemas of JSON values: their types, how values are checked, and how an agent is asked again. */
export * from "./public.ts";
export { type AnswerResult, TurnIncompleteError } from "./errors.ts";
export * from "./typed-answer.ts";
export { type AnswerAttempt, prepareSchema, requestAnswer } from "./answer.ts";
export { ownFaults } from "./faults.ts";
export { compileSchema } from "./validator.ts";
export { describeIssues, isStandardSchema } from "./standard.ts";
