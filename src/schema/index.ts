/** Typed answers: schemas, how they are checked, and how an agent is asked again. */
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
export type {
  FromJsonSchema,
  FromJsonSchemaProperties,
  FromJsonSchemaType,
} from "./json-schema.ts";
export type { StandardSchema, StandardSchemaIssue, StandardSchemaResult } from "./standard.ts";
