import {
  asObject,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
  stringsField,
} from "../../base/index.ts";
import type { HandlerContext } from "./permissions.ts";

/** One question of a request. */
export interface AskUserQuestion {
  /** The number of the question, counted from 1. */
  readonly index: number;
  /** A short heading, if the model wrote one. */
  readonly topic: string | undefined;
  /** The text of the question. */
  readonly question: string;
  /** Suggestions. Any other text is a valid answer too. */
  readonly options: readonly string[];
  /** The question as Droid sent it. */
  readonly raw: JsonObject;
}

/** Droid asks the user questions on behalf of the model. */
export interface AskUserRequest {
  /** Droid's id for this request. */
  readonly requestId: string;
  /** The tool call that asks, if Droid names it. */
  readonly toolCallId: string | undefined;
  /** The questions, in order. */
  readonly questions: readonly AskUserQuestion[];
}

/** One answer per question, in order or by the index of the question. `null` declines. */
export type AskUserAnswer =
  | readonly string[]
  | readonly {
      /** The index of the question. */
      readonly index: number;
      /** The answer of the user. */
      readonly answer: string;
    }[]
  | null;

/** Answers questions. If it throws or omits an answer, all questions are declined. */
export type AskUserHandler = (
  request: AskUserRequest,
  context: HandlerContext,
) => AskUserAnswer | Promise<AskUserAnswer>;

export function readAskUser(requestId: string, params: unknown): AskUserRequest {
  const raw = asObject(params);
  return {
    requestId,
    toolCallId: stringField(raw, "toolCallId"),
    questions: objectsField(raw, "questions").map((question, position) => ({
      index: numberField(question, "index") ?? position + 1,
      topic: stringField(question, "topic"),
      question: stringField(question, "question") ?? "",
      options: stringsField(question, "options"),
      raw: question,
    })),
  };
}

/** The answer that declines. It is always valid; new versions then end the turn. */
export const DECLINED: JsonObject = { cancelled: true, answers: [] };

/**
 * The response to send. Answers are always sent as objects, because plain strings hung 0.57.14
 * forever. Returns undefined if any question has no answer, since Droid would read that as an empty
 * answer.
 */
export function askUserResult(
  request: AskUserRequest,
  answer: AskUserAnswer,
): JsonObject | undefined {
  if (answer === null) return DECLINED;
  const answers = request.questions.map(({ index, question }, position) => ({
    index,
    question,
    answer: answerTo(index, position, answer),
  }));
  if (answers.some((one) => one.answer === undefined)) return undefined;
  return { cancelled: false, answers };
}

function answerTo(
  index: number,
  position: number,
  answers: NonNullable<AskUserAnswer>,
): string | undefined {
  const atPosition = answers[position];
  if (typeof atPosition === "string") return atPosition;
  for (const one of answers) if (typeof one === "object" && one.index === index) return one.answer;
  return undefined;
}
