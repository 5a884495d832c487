/** Typed answers, as `dragoman/droid` publishes them. */
export { type AnswerResult, TurnIncompleteError } from "./errors.ts";
export * from "./typed-answer.ts";
