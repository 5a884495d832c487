import { unattendedAnswer } from "../../hub/index.ts";
import { RpcError, RpcCode } from "../../../transport/rpc/index.ts";
import {
  deferred,
  type Deferred,
  type JsonObject,
  randomId,
  unlessAborted,
} from "../../../base/index.ts";
import { FleetError } from "../errors.ts";
import type { SessionWriter } from "../session/writer.ts";

const MAX_QUESTIONS = 1000;

interface OpenQuestion {
  readonly method: string;
  readonly answer: Deferred<JsonObject>;
  by: string | undefined;
}

/** The questions of an agent to the clients of its session, by way of the log. */
export class LoggedQuestions {
  readonly #writer: SessionWriter;
  readonly #timeoutMs: number;
  readonly #open = new Map<string, OpenQuestion>();

  /** Questions that no client answers within `timeoutMs` are answered as cancelled. */
  constructor(writer: SessionWriter, timeoutMs: number) {
    this.#writer = writer;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks, and resolves with the first answer. Rejects with RpcError if there is none. */
  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#timeoutMs === 0 || this.#open.size >= MAX_QUESTIONS) return unanswered(method);
    const id = randomId();
    const question: OpenQuestion = { method, answer: deferred(), by: undefined };
    this.#open.set(id, question);
    this.#writer.add({ type: "question", id, method, params });
    const late = AbortSignal.timeout(this.#timeoutMs);
    const end = AbortSignal.any([signal, late]);
    let result: JsonObject | undefined;
    try {
      result = await unlessAborted(question.answer.promise, end);
      return result;
    } catch (error) {
      if (!late.aborted) throw error;
      result = unanswered(method);
      return result;
    } finally {
      this.#open.delete(id);
      this.#writer.add({ type: "question_closed", id, by: question.by, result });
    }
  }

  /** Answers all questions as cancelled, because their turn was. */
  cancel(): void {
    for (const { method, answer } of this.#open.values()) {
      try {
        answer.resolve(unanswered(method));
      } catch (error) {
        answer.reject(error);
      }
    }
    this.#open.clear();
  }

  /** Answers a question. Throws FleetError `invalid` if it is not open. */
  answer(id: string, by: string, result: JsonObject): void {
    const question = this.#open.get(id);
    if (!question) {
      throw new FleetError("invalid", "the question was answered or withdrawn before");
    }
    question.by = by;
    this.#open.delete(id);
    question.answer.resolve(result);
  }
}

/** The answer to a question that no person answers. Throws RpcError if only a person could. */
function unanswered(method: string): JsonObject {
  const answer = unattendedAnswer(method);
  if (answer) return answer;
  throw new RpcError(RpcCode.internalError, "No client answers for this session");
}
