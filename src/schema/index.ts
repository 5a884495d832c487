/** Schemas of JSON values: their types, how values are checked, and how an agent is asked again. */
export {
  prepareSchema,
  requestAnswer,
  type AnswerAttempt,
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  type TypedAnswer,
} from "./answer.ts";
export { AnswerMismatchError, SchemaError } from "./errors.ts";
export { compileSchema } from "./validator.ts";
export type {
  FromJsonSchema,
  FromJsonSchemaProperties,
  FromJsonSchemaType,
} from "./json-schema.ts";
export {
  describeIssues,
  isStandardSchema,
  type StandardSchema,
  type StandardSchemaIssue,
  type StandardSchemaResult,
} from "./standard.ts";
