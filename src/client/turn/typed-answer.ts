import {
  type AnswerAttempt,
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  prepareSchema,
  requestAnswer,
  type TypedAnswer,
} from "../../protocol/schema/index.ts";
import { isList, quietly } from "../../base/index.ts";
import { TurnIncompleteError } from "../errors.ts";
import type { PromptOptions, PromptTurn, Session, TurnResult } from "../session/session.ts";
import type { PromptContent } from "./prompt-content.ts";

/** Options for a prompt with a typed answer. */
export interface TypedAnswerOptions<S extends AnswerSchema = AnswerSchema>
  extends AnswerOptions<S>, PromptOptions {}

/**
 * Sends a prompt and resolves with an answer that matches a schema. The schema is part of the prompt,
 * and an answer that does not match goes back to the agent with its faults, as a new turn of the
 * session, up to `retries` times.
 *
 * Rejects with AnswerMismatchError, SchemaError (the schema cannot be used), TurnIncompleteError (a turn
 * did not end with `end_turn`), and as the result of a turn rejects.
 */
export function typedAnswer<const S extends AnswerSchema>(
  session: Session,
  prompt: PromptContent,
  options: TypedAnswerOptions<S>,
): Promise<TypedAnswer<AnswerOf<S>, TurnResult>> {
  return quietly(async () => {
    const { schema, jsonSchema, retries, ...promptOptions } = options;
    const prepared = await prepareSchema({ schema, jsonSchema });
    const parts = isList(prompt) ? prompt : [prompt];
    return requestAnswer(prepared, retries, (attempt, instructions) =>
      attemptOf(
        attempt === 1
          ? session.prompt([...parts, instructions], promptOptions)
          : session.prompt(instructions, { ...promptOptions, whenBusy: "wait" }),
      ),
    );
  });
}

/** Only the last message is the answer: those before it may announce tool calls. */
async function attemptOf(turn: PromptTurn): Promise<AnswerAttempt<TurnResult>> {
  const result = await turn.result;
  if (result.stopReason !== "end_turn") throw new TurnIncompleteError(result);
  return { text: result.finalMessage, result };
}
