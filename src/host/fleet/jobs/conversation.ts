import {
  AnswerMismatchError,
  type prepareSchema,
  requestAnswer,
} from "../../../protocol/schema/index.ts";
import { type JsonObject, stringField } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { type LoggedTurnEnd, TURN_CODES } from "../session/entries.ts";
import type { SessionRequest } from "../worker/protocol.ts";
import { JobSpending } from "./budget.ts";
import type { FleetJob, JobResult, JobState } from "./job.ts";
import { type JobTurns, readTurns } from "./turn.ts";

/** The session of a job on its worker. */
export interface JobSessionHandle {
  handle(request: SessionRequest): Promise<JsonObject>;
}

/** How a job ended, without its changes. */
export interface JobOutcome {
  readonly state: JobState;
  readonly error: string | undefined;
  readonly result: Omit<JobResult, "diff">;
}

type PreparedSchema = Awaited<ReturnType<typeof prepareSchema>>;

/** The turns of a job: one, or more if the answer has to match a schema. */
export class JobConversation {
  readonly #engine: FleetEngine;
  readonly #job: FleetJob;
  readonly #session: JobSessionHandle;
  readonly #spending: JobSpending;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #prompts = 0;
  #last: JobTurns | undefined;

  constructor(engine: FleetEngine, job: FleetJob, session: JobSessionHandle) {
    this.#engine = engine;
    this.#job = job;
    this.#session = session;
    this.#spending = new JobSpending(job.budget ?? {});
    const { timeoutMs } = job;
    const late = (): void => {
      this.#isLate = true;
      this.#cancel();
    };
    this.#timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  }

  /** Runs the turns. Rejects with FleetError if the session is lost. */
  async run(schema: PreparedSchema | undefined): Promise<JobOutcome> {
    const { prompt, schemaRetries } = this.#job;
    try {
      if (!schema) {
        await this.#turn(prompt);
        return this.#outcome();
      }
      const { value } = await requestAnswer(
        schema,
        schemaRetries,
        async (attempt, instructions) => {
          const turns = await this.#turn(
            attempt === 1 ? `${prompt}\n\n${instructions}` : instructions,
          );
          if (turns.end?.result?.["stopReason"] !== "end_turn") throw new TurnStopped();
          return { text: turns.finalText, result: turns };
        },
      );
      const { state, error, result } = this.#outcome();
      return { state, error, result: { ...result, value } };
    } catch (error) {
      if (error instanceof TurnStopped) return this.#outcome();
      if (!(error instanceof AnswerMismatchError)) throw error;
      return { ...this.#outcome(), state: "failed", error: error.message };
    }
  }

  /** Ends the session. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#session.handle({ type: "close", session: this.#job.session }).catch(() => {});
  }

  async #turn(text: string): Promise<JobTurns> {
    const { session, tenant: by } = this.#job;
    const id = `job-${++this.#prompts}`;
    const prompt = [{ type: "text", text }];
    await this.#session.handle({ type: "prompt", session, id, by, prompt });
    const after = this.#last?.position ?? 0;
    let isCancelled = false;
    const turns = await readTurns(this.#engine.log.read(session, { after, follow: true }), {
      until: id,
      watch: (entry) => {
        this.#spending.take(entry);
        if (isCancelled || this.#spending.passed === undefined) return;
        isCancelled = true;
        this.#cancel();
      },
    });
    this.#last = { ...turns, usage: turns.usage ?? this.#last?.usage };
    if (this.#spending.passed !== undefined || this.#isLate) throw new TurnStopped();
    return this.#last;
  }

  #cancel(): void {
    this.#session.handle({ type: "cancel", session: this.#job.session }).catch(() => {});
  }

  #outcome(): JobOutcome {
    const last = this.#last;
    if (!last?.end) throw new FleetError("closed", "the log of the job ended before its turn");
    const { end, answer, usage, position } = last;
    const stopReason = end.result && stringField(end.result, "stopReason");
    const result = { answer, usage, position, stopReason };
    const { passed } = this.#spending;
    if (passed !== undefined) return { state: "failed", error: passed, result };
    if (this.#isLate && stopReason === "cancelled") {
      const error = `the job took longer than ${this.#job.timeoutMs} ms and was cancelled`;
      return { state: "failed", error, result };
    }
    return { state: stateOf(end), error: end.error?.message, result };
  }
}

/** A turn ended without an answer that counts. */
class TurnStopped extends Error {}

/** Pure: the state that the end of the last turn means for a job. */
function stateOf({ result, error }: LoggedTurnEnd): JobState {
  if (error) return error.code === TURN_CODES.outcomeUnknown ? "unknown" : "failed";
  return result?.["stopReason"] === "cancelled" ? "cancelled" : "done";
}
