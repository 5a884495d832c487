import {
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  type AnswerAttempt,
  prepareSchema,
  requestAnswer,
  type TypedAnswer,
} from "../protocol/schema/index.ts";
import { quietly, type JsonObject } from "../base/index.ts";
import { DroidClient } from "./client.ts";
import { DroidError } from "./errors.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "./options.ts";
import type { DroidPromptOptions, PromptInput } from "./protocol/prompt.ts";
import type { DroidEventListener } from "./session/session.ts";
import { type DroidTurnResult, DroidTurnError, type DroidTurn } from "./turn/turn.ts";
import { waitForDroid } from "./wait.ts";
import { capabilitiesOf } from "./protocol/versions.ts";

/** Options for one turn in a process of its own. */
export interface DroidRunOptions
  extends DroidProcessOptions, NewDroidSessionOptions, Omit<DroidPromptOptions, "whenBusy"> {
  /** The id of a session to continue. Default: a new session. */
  readonly resume?: string | undefined;
  /** Gets every event as soon as Droid sends it. */
  readonly onEvent?: DroidEventListener | undefined;
}

/**
 * Starts Droid, sends one prompt, waits for the end of the turn, and ends Droid and every process it
 * started, even if the run fails or its signal is aborted.
 *
 * Resolves even if the turn did not complete: see `stopReason`. Rejects as `DroidClient.start` and the
 * result of a turn do, with a DroidError (`aborted`) if the signal is aborted, and with a `schema` as
 * `typedAnswer` does.
 */
export function run<const S extends AnswerSchema>(
  prompt: string | PromptInput,
  options: DroidRunOptions & AnswerOptions<S>,
): Promise<DroidAnswer<AnswerOf<S>>>;
/** Runs one turn without a schema for its answer. */
export function run(
  prompt: string | PromptInput,
  options?: DroidRunOptions,
): Promise<DroidTurnResult>;
export function run(
  prompt: string | PromptInput,
  options: DroidRunOptions & Partial<AnswerOptions> = {},
): Promise<DroidTurnResult | DroidAnswer<unknown>> {
  return quietly(async () => {
    const { resume, onEvent } = options;
    const droid =
      resume === undefined
        ? await DroidClient.start(options)
        : await DroidClient.load(resume, options);
    try {
      if (onEvent) droid.onEvent(onEvent);
      return await waitForDroid(() => runTurn(droid, prompt, options), options);
    } finally {
      await droid.close();
    }
  });
}

async function runTurn(
  droid: DroidClient,
  prompt: string | PromptInput,
  options: DroidRunOptions & Partial<AnswerOptions>,
): Promise<DroidTurnResult | DroidAnswer<unknown>> {
  const { schema, jsonSchema, retries, outputSchema, messageId, timeoutMs, signal } = options;
  const promptOptions = { messageId, timeoutMs, signal };
  if (schema) return typedAnswer(droid, prompt, { ...promptOptions, schema, jsonSchema, retries });
  const result = await droid.prompt(prompt, { ...promptOptions, outputSchema }).result;
  if (signal?.aborted === true && result.stopReason === "cancelled")
    throw new DroidError("cancelled", "the caller cancelled the run", { cause: signal.reason });
  return result;
}

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
  const result = await turn.result;
  const { stopReason, failure, structuredOutput, finalMessage: text } = result;
  if (stopReason === "completed") return { text, value: structuredOutput, result };
  if (failure?.name === INVALID_OUTPUT) return { text, fault: failure.message, result };
  if (stopReason === "cancelled" && signal?.aborted === true)
    throw new DroidError("cancelled", "the caller cancelled the turn", { cause: signal.reason });
  throw new DroidTurnError(result);
}
