/** Schemas of JSON values: their types, how values are checked, and how an agent is asked again. */
export type * from "./json-schema.ts";
export type { StandardSchema } from "./standard.ts";
export type { AnswerOf, AnswerOptions, AnswerSchema, TypedAnswer } from "./answer.ts";
export * from "./errors.ts";
export * from "./typed-answer.ts";
export { prepareSchema, requestAnswer } from "./answer.ts";
export { ownFaults } from "./faults.ts";
export { compileSchema } from "./validator.ts";
export { describeIssues, isStandardSchema } from "./standard.ts";
