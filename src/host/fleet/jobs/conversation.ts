import {
  AnswerMismatchError,
  type prepareSchema,
  requestAnswer,
} from "../../../protocol/schema/index.ts";
import {
  type JsonObject,
  stringField,
  asObject,
  numberField,
  objectField,
} from "../../../base/index.ts";
import type { LoggedEntry } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { type LoggedTurnEnd, TURN_CODES, type FleetEntry, readEntry } from "../session/entries.ts";
import type { OwnedSession } from "../worker/owned-session.ts";
import type { FleetJob, JobBudget, JobResult, JobState } from "./job.ts";

export interface JobOutcome {
  readonly state: JobState;
  readonly error: string | undefined;
  readonly result: Omit<JobResult, "diff">;
}

type PreparedSchema = Awaited<ReturnType<typeof prepareSchema>>;

/** The turns of a job: one, or more if the answer has to match a schema. */
export class JobConversation {
  readonly #job: FleetJob;
  readonly #session: OwnedSession;
  readonly #spending: JobSpending;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #prompts = 0;
  #turns = NO_TURNS;
  /** The position of the last entry of the job. */
  #position = 0;

  constructor(job: FleetJob, session: OwnedSession) {
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

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#session.close();
  }

  async #turn(text: string): Promise<JobTurns> {
    const id = `job-${++this.#prompts}`;
    const sent = { id, by: this.#job.tenant, prompt: [{ type: "text", text }] };
    let isCancelled = false;
    this.#position = await this.#session.run(sent, (entry) => {
      this.#turns = withEntry(this.#turns, entry);
      this.#spending.take(entry);
      if (isCancelled || this.#spending.passed === undefined) return;
      isCancelled = true;
      this.#cancel();
    });
    if (this.#spending.passed !== undefined || this.#isLate) throw new TurnStopped();
    return this.#turns;
  }

  #cancel(): void {
    this.#session.handle({ type: "cancel", session: this.#job.session }).catch(() => {});
  }

  #outcome(): JobOutcome {
    const { end, answer, usage } = this.#turns;
    if (!end) throw new FleetError("closed", "the session of the job ended before its turn");
    const stopReason = end.result && stringField(end.result, "stopReason");
    const result = { answer, usage, position: this.#position, stopReason };
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

/** Adds up what a job uses, over all its turns. */
export class JobSpending {
  readonly #budget: JobBudget;
  readonly #calls = new Set<string>();
  #earlierCalls = 0;
  #cost = 0;
  #context = 0;
  #turnTokens = 0;

  constructor(budget: JobBudget) {
    this.#budget = budget;
  }

  take(entry: FleetEntry): void {
    if (entry.type === "turn_ended") return this.#endTurn(entry.result ?? {});
    if (entry.type !== "update" || this.passed !== undefined) return undefined;
    const update = asObject(entry.params["update"]);
    switch (update["sessionUpdate"]) {
      case "tool_call":
      case "tool_call_update":
        this.#calls.add(stringField(update, "toolCallId") ?? "");
        return undefined;
      case "usage_update":
        this.#context = Math.max(this.#context, numberField(update, "used") ?? 0);
        this.#cost = numberField(objectField(update, "cost") ?? {}, "amount") ?? this.#cost;
        return undefined;
      default:
        return undefined;
    }
  }

  /** The first limit that was passed, as a sentence; undefined if there is none. */
  get passed(): string | undefined {
    const { cost = Infinity, tokens = Infinity, toolCalls = Infinity } = this.#budget;
    const used = Math.max(this.#context, this.#turnTokens);
    const calls = this.#earlierCalls + this.#calls.size;
    if (this.#cost > cost) return `the job cost ${this.#cost}, more than its budget of ${cost}`;
    if (used > tokens) return `the job used ${used} tokens, more than its budget of ${tokens}`;
    if (calls > toolCalls) {
      return `the job made ${calls} tool calls, more than its budget of ${toolCalls}`;
    }
    return undefined;
  }

  #endTurn(result: object): void {
    const usage = objectField(asObject(result), "usage") ?? {};
    this.#turnTokens += numberField(usage, "totalTokens") ?? 0;
    // Ids of tool calls may start over in each turn.
    this.#earlierCalls += this.#calls.size;
    this.#calls.clear();
  }
}

/** Longer answers lose their beginning; the log has all of them. */
const MAX_ANSWER_CHARS = 256 * 1024;

/** The turns of a job, as its log has them. */
export interface JobTurns {
  /** The end of the last turn; undefined if none has ended. */
  readonly end: LoggedTurnEnd | undefined;
  readonly answer: string;
  /** The messages after the last tool call. */
  readonly finalText: string;
  readonly usage: JsonObject | undefined;
}

const NO_TURNS: JobTurns = { end: undefined, answer: "", finalText: "", usage: undefined };

/** Reads the turns of a job from its log. Rejects with FleetError. */
export async function readTurns(
  entries: AsyncIterable<LoggedEntry>,
): Promise<JobTurns & { readonly position: number }> {
  let turns = NO_TURNS;
  let last = 0;
  for await (const { position, text } of entries) {
    turns = withEntry(turns, readEntry(text));
    last = position;
  }
  return { ...turns, position: last };
}

function withEntry(turns: JobTurns, entry: FleetEntry): JobTurns {
  if (entry.type === "turn_started") return { ...turns, answer: "", finalText: "" };
  if (entry.type === "turn_ended") return { ...turns, end: entry };
  if (entry.type !== "update") return turns;
  const update = asObject(entry.params["update"]);
  switch (update["sessionUpdate"]) {
    case "usage_update":
      return { ...turns, usage: update };
    case "tool_call":
      return { ...turns, finalText: "" };
    case "agent_message_chunk": {
      const content = objectField(update, "content");
      const more = (content && stringField(content, "text")) ?? "";
      return {
        ...turns,
        answer: (turns.answer + more).slice(-MAX_ANSWER_CHARS),
        finalText: (turns.finalText + more).slice(-MAX_ANSWER_CHARS),
      };
    }
    default:
      return turns;
  }
}
