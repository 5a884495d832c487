import { isList, type JsonObject } from "../../../base/index.ts";

/** A rewriter's output for one message: no message, one message, or several in order. */
export type Rewritten = JsonObject | readonly JsonObject[] | undefined;

/** A rewriter's output as a list. */
export function asList(output: Rewritten): readonly JsonObject[] {
  if (output === undefined) return [];
  return isList(output) ? output : [output];
}

/** Passes the output of one rewriter on to the next. */
export function through(output: Rewritten, next: (message: JsonObject) => Rewritten): Rewritten {
  if (output === undefined) return undefined;
  if (!isList(output)) return next(output);
  return output.flatMap((message) => [...asList(next(message))]);
}
