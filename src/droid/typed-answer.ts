import {
  type AnswerAttempt,
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  prepareSchema,
  requestAnswer,
  type TypedAnswer,
} from "../protocol/schema/index.ts";
import { type JsonObject, quietly } from "../base/index.ts";
import type { DroidClient } from "./client.ts";
import { DroidError } from "./errors.ts";
import type { DroidPromptOptions, PromptInput } from "./protocol/prompt.ts";
import { capabilitiesOf } from "./protocol/versions.ts";
import { DroidTurnError, type DroidTurn, type DroidTurnResult } from "./turn/turn.ts";

/** Options for a prompt with a typed answer. */
export interface DroidAnswerOptions<S extends AnswerSchema = AnswerSchema>
  extends AnswerOptions<S>, Omit<DroidPromptOptions, "outputSchema"> {}

/** An answer of Droid that matches its schema. */
export type DroidAnswer<T> = TypedAnswer<T, DroidTurnResult>;

/** The name of the failure if Droid's own check of an answer failed, after its own two retries. */
const INVALID_OUTPUT = "StructuredOutputError";

/**
 * Sends a prompt and resolves with an answer that matches a schema. An answer that does not match goes
 * back to the model with its faults, as a new turn of the session, up to `retries` times.
 *
 * Where Droid can check an answer itself (since 0.215, JSON schemas of objects), it does. Otherwise the
 * schema is part of the prompt. Rejects with AnswerMismatchError, SchemaError (the schema cannot be
 * used), DroidTurnError (a turn failed), DroidError (`aborted`: the signal was aborted), and as the
 * result of a turn does.
 */
export function typedAnswer<const S extends AnswerSchema>(
  droid: DroidClient,
  prompt: string | PromptInput,
  options: DroidAnswerOptions<S>,
): Promise<DroidAnswer<AnswerOf<S>>> {
  return quietly(async () => {
    const { schema, jsonSchema, retries, ...promptOptions } = options;
    const prepared = await prepareSchema({ schema, jsonSchema });
    const outputSchema = nativeSchema(droid, prepared.json);
    return requestAnswer(prepared, retries, async (attempt, instructions) => {
      const isFirst = attempt === 1;
      const suffix = isFirst && outputSchema ? "" : instructions;
      const turn = droid.prompt(
        isFirst ? withSuffix(prompt, suffix) : instructions,
        isFirst
          ? { ...promptOptions, outputSchema }
          : { ...promptOptions, outputSchema, messageId: undefined, whenBusy: "wait" },
      );
      return attemptOf(turn, promptOptions.signal);
    });
  });
}

/** Droid accepts only schemas of objects, and its validator does not need to know the draft. */
function nativeSchema(droid: DroidClient, json: JsonObject | undefined): JsonObject | undefined {
  if (json?.["type"] !== "object") return undefined;
  if (!capabilitiesOf(droid.version).structuredOutput) return undefined;
  const { $schema: _, ...schema } = json;
  return schema;
}

function withSuffix(prompt: string | PromptInput, suffix: string): string | PromptInput {
  if (suffix === "") return prompt;
  if (typeof prompt === "string") return `${prompt}\n\n${suffix}`;
  return { ...prompt, text: `${prompt.text}\n\n${suffix}` };
}

async function attemptOf(
  turn: DroidTurn,
  signal: AbortSignal | undefined,
): Promise<AnswerAttempt<DroidTurnResult>> {
  const text = await lastMessage(turn);
  const result = await turn.result;
  const { stopReason, failure, structuredOutput } = result;
  if (stopReason === "completed") return { text, value: structuredOutput, result };
  if (failure?.name === INVALID_OUTPUT) return { text, fault: failure.message, result };
  if (stopReason === "cancelled" && signal?.aborted === true)
    throw new DroidError("aborted", "the caller cancelled the turn", { cause: signal.reason });
  throw new DroidTurnError(result);
}

/** The text of the last message: the ones before it may only announce tool calls. */
async function lastMessage(turn: DroidTurn): Promise<string> {
  let id: string | undefined;
  let text = "";
  for await (const event of turn) {
    if (event.type === "retracted" && event.messageId === id) text = "";
    if (event.type !== "text") continue;
    text = event.messageId === id ? text + event.text : event.text;
    id = event.messageId;
  }
  return text;
}
