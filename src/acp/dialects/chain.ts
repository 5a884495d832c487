import { isList, type JsonObject } from "../../wire/index.ts";

/** What a rewriter gives for one message: nothing, one, or several in order. */
export type Rewritten = JsonObject | readonly JsonObject[] | undefined;

/** What a rewriter gave, as a list. */
export function asList(given: Rewritten): readonly JsonObject[] {
  if (given === undefined) return [];
  return isList(given) ? given : [given];
}

/** Passes what one rewriter gave on to the next. */
export function through(given: Rewritten, next: (message: JsonObject) => Rewritten): Rewritten {
  if (given === undefined) return undefined;
  if (!isList(given)) return next(given);
  return given.flatMap((message) => [...asList(next(message))]);
}
