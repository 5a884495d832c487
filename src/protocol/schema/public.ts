/** What `dragoman` and `dragoman/droid` publish. */
export * from "./public-types.ts";
export type { AnswerOf, AnswerOptions, AnswerSchema, TypedAnswer } from "./answer.ts";
export { AnswerMismatchError, SchemaError } from "./errors.ts";
