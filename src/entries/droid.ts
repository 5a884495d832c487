/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "../droid/public.ts";
export { AnswerMismatchError, SchemaError, type TypedAnswer } from "../protocol/schema/index.ts";
export { DragomanError, type ErrorCode, type Logger } from "../base/index.ts";
