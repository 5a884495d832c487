import {
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  typedAnswer,
  type TypedAnswer,
} from "../protocol/schema/index.ts";
import { quietly } from "../base/index.ts";
import { DroidClient } from "./client.ts";
import { DroidError } from "./errors.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "./options.ts";
import type { DroidPrompt, DroidPromptOptions } from "./protocol/prompt.ts";
import type { DroidEventListener } from "./session/session.ts";
import type { DroidTurnResult } from "./turn/turn.ts";
import { waitForDroid } from "./wait.ts";

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
 * result of a turn do, with a DroidError (`cancelled`) if the signal is aborted, and with a `schema` as
 * `typedAnswer` does.
 */
export function run<const S extends AnswerSchema>(
  prompt: DroidPrompt,
  options: DroidRunOptions & AnswerOptions<S>,
): Promise<TypedAnswer<AnswerOf<S>, DroidTurnResult>>;
/** Runs one turn without a schema for its answer. */
export function run(prompt: DroidPrompt, options?: DroidRunOptions): Promise<DroidTurnResult>;
export function run(
  prompt: DroidPrompt,
  options: DroidRunOptions & Partial<AnswerOptions> = {},
): Promise<DroidTurnResult | TypedAnswer<unknown, DroidTurnResult>> {
  return quietly(async () => {
    const {
      resume,
      onEvent,
      schema: _schema,
      jsonSchema: _jsonSchema,
      retries: _retries,
      outputSchema: _outputSchema,
      messageId: _messageId,
      timeoutMs: _timeoutMs,
      ...session
    } = options;
    const droid =
      resume === undefined
        ? await DroidClient.start(session)
        : await DroidClient.load(resume, session);
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
  prompt: DroidPrompt,
  options: DroidRunOptions & Partial<AnswerOptions>,
): Promise<DroidTurnResult | TypedAnswer<unknown, DroidTurnResult>> {
  const { schema, jsonSchema, retries, outputSchema, messageId, timeoutMs, signal } = options;
  const promptOptions = { messageId, timeoutMs, signal };
  if (schema) return typedAnswer(droid, prompt, { ...promptOptions, schema, jsonSchema, retries });
  const result = await droid.prompt(prompt, { ...promptOptions, outputSchema }).result;
  if (signal?.aborted === true && result.stopReason === "cancelled")
    throw new DroidError("cancelled", "the caller cancelled the run", { cause: signal.reason });
  return result;
}
