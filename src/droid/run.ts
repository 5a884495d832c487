import type { AnswerOf, AnswerOptions, AnswerSchema } from "../protocol/schema/index.ts";
import { quietly } from "../base/index.ts";
import { DroidClient } from "./client.ts";
import { DroidError } from "./errors.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "./options.ts";
import type { DroidPromptOptions, PromptInput } from "./protocol/prompt.ts";
import type { DroidEventListener } from "./session/session.ts";
import type { DroidTurnResult } from "./turn/turn.ts";
import { typedAnswer } from "./typed-answer.ts";
import { waitFor } from "./wait.ts";

/** Options for one turn in a process of its own. */
export interface DroidRunOptions
  extends DroidProcessOptions, NewDroidSessionOptions, Omit<DroidPromptOptions, "whenBusy"> {
  /** The id of a session to continue. Default: a new session. */
  readonly resume?: string | undefined;
  /** Gets every event as soon as Droid sends it. */
  readonly onEvent?: DroidEventListener | undefined;
}

/** The result of a run. */
export interface DroidRunResult extends DroidTurnResult {
  /** The text of Droid's answer. */
  readonly text: string;
}

/** The result of a run with a schema. */
export interface DroidRunAnswer<T> extends DroidRunResult {
  /** The answer, which matches the schema. */
  readonly value: T;
  /** How many answers it took, 1 if the first one matched. */
  readonly attempts: number;
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
): Promise<DroidRunAnswer<AnswerOf<S>>>;
/** Runs one turn without a schema for its answer. */
export function run(
  prompt: string | PromptInput,
  options?: DroidRunOptions,
): Promise<DroidRunResult>;
export function run(
  prompt: string | PromptInput,
  options: DroidRunOptions & Partial<AnswerOptions> = {},
): Promise<DroidRunResult> {
  return quietly(async () => {
    const { resume, onEvent, signal } = options;
    const wait = { signal };
    const droid =
      resume === undefined
        ? await DroidClient.start(options, wait)
        : await DroidClient.load(resume, options, wait);
    try {
      if (onEvent) droid.onEvent(onEvent);
      return await waitFor(() => runTurn(droid, prompt, options), wait);
    } finally {
      await droid.close();
    }
  });
}

async function runTurn(
  droid: DroidClient,
  prompt: string | PromptInput,
  options: DroidRunOptions & Partial<AnswerOptions>,
): Promise<DroidRunResult | DroidRunAnswer<unknown>> {
  const { schema, jsonSchema, retries, outputSchema, messageId, signal } = options;
  const promptOptions = { messageId, signal };
  if (schema) {
    const answerOptions = { ...promptOptions, schema, jsonSchema, retries };
    const { result, ...answer } = await typedAnswer(droid, prompt, answerOptions);
    return { ...result, ...answer };
  }
  const turn = droid.prompt(prompt, { ...promptOptions, outputSchema });
  const text = await turn.text();
  const result = await turn.result;
  if (signal?.aborted === true && result.stopReason === "cancelled")
    throw new DroidError("aborted", "the caller cancelled the run", { cause: signal.reason });
  return { ...result, text };
}
