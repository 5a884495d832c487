import { type JsonObject, quietly } from "../../base/index.ts";
import {
  type AnswerAttempt,
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  prepareSchema,
  requestAnswer,
  type TypedAnswer,
} from "./answer.ts";
import { type AnswerResult, TurnIncompleteError } from "./errors.ts";

/** A prompt: a text, a part of another kind, or a list of both. */
export type AnswerPrompt<Part> = string | Part | readonly (string | Part)[];

/** How an agent itself checks that its answer matches a schema. */
export interface AnswerCheck<Options, Result> {
  /** The options that make it do so. */
  readonly options: Options;
  /** The outcome of its check. Without a value or a fault, the answer is the last message. */
  read(result: Result): Pick<AnswerAttempt<Result>, "value" | "fault">;
}

/** A conversation that can give typed answers: a session of any agent. */
export interface AnswerSession<Part, Options, Result extends AnswerResult> {
  /** Sends a prompt. Corrections wait for the turn before them. */
  prompt(
    content: AnswerPrompt<Part>,
    options: Options & { readonly whenBusy?: "wait" | undefined },
  ): { readonly result: Promise<Result> };
  /** Present if the agent may check answers itself. Undefined: it cannot check this schema. */
  readonly answerCheck?:
    | ((schema: JsonObject) => AnswerCheck<Options, Result> | undefined)
    | undefined;
}

/** A type that is inferred from other arguments only, so that unknown fields of this one are errors. */
type Fixed<T> = [T][T extends unknown ? 0 : never];

/**
 * Sends a prompt and resolves with an answer that matches a schema. The schema is part of the prompt,
 * unless the agent itself checks its answers. An answer that does not match goes back to the agent with
 * its faults, as a new turn of the session, up to `retries` times.
 *
 * Rejects with AnswerMismatchError, SchemaError (the schema cannot be used), TurnIncompleteError (a turn
 * ended without an answer), and as the result of a turn rejects.
 */
export function typedAnswer<
  const S extends AnswerSchema,
  Part,
  Options,
  Result extends AnswerResult,
>(
  session: AnswerSession<Part, Options, Result>,
  prompt: AnswerPrompt<Fixed<Part>>,
  options: AnswerOptions<S> & Fixed<Options>,
): Promise<TypedAnswer<AnswerOf<S>, Result>>;
export function typedAnswer<S extends AnswerSchema, Part, Options, Result extends AnswerResult>(
  session: AnswerSession<Part, Options, Result>,
  prompt: AnswerPrompt<Part>,
  options: AnswerOptions<S> & Options,
): Promise<TypedAnswer<AnswerOf<S>, Result>> {
  return quietly(async () => {
    const prepared = await prepareSchema<S>(options);
    const check = prepared.json && session.answerCheck?.(prepared.json);
    const parts = isParts(prompt) ? prompt : [prompt];
    return requestAnswer(prepared, options.retries, (attempt, instructions) => {
      const own = without({ ...options, ...check?.options }, ANSWER_OPTIONS);
      const turn =
        attempt === 1
          ? session.prompt(check ? parts : [...parts, instructions], own)
          : session.prompt(instructions, { ...without(own, ["messageId"]), whenBusy: "wait" });
      return attemptOf(turn, check);
    });
  });
}

const ANSWER_OPTIONS = ["schema", "jsonSchema", "retries"];

/** A copy without some fields. Sessions refuse options that they do not know. */
function without<T extends object>(options: T, names: readonly string[]): T {
  const copy = { ...options };
  for (const name of names) Reflect.deleteProperty(copy, name);
  return copy;
}

function isParts<Part>(prompt: AnswerPrompt<Part>): prompt is readonly (string | Part)[] {
  return Array.isArray(prompt);
}

async function attemptOf<Options, Result extends AnswerResult>(
  turn: { readonly result: Promise<Result> },
  check: AnswerCheck<Options, Result> | undefined,
): Promise<AnswerAttempt<Result>> {
  const result = await turn.result;
  const { stopReason, finalMessage: text } = result;
  const { value, fault } = check?.read(result) ?? {};
  const isComplete = stopReason === "end_turn" || stopReason === "completed";
  if (!isComplete && fault === undefined) throw new TurnIncompleteError(result);
  return { text, value, fault, result };
}
