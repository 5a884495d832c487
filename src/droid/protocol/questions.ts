import {
  asObject,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
  stringsField,
} from "../../wire/index.ts";
import type { HandlerContext } from "./permissions.ts";

/** One of the questions of a request. */
export interface AskUserQuestion {
  readonly index: number;
  readonly topic: string | undefined;
  readonly question: string;
  /** Suggestions: any other text is an answer too. */
  readonly options: readonly string[];
  readonly raw: JsonObject;
}

/** Droid asks the user something on the model's behalf. */
export interface AskUserRequest {
  readonly requestId: string;
  readonly toolCallId: string | undefined;
  readonly questions: readonly AskUserQuestion[];
}

/** One answer for each question, in their order, or by the question's index. `null` declines. */
export type AskUserAnswer =
  | readonly string[]
  | readonly { readonly index: number; readonly answer: string }[]
  | null;

/** Answers questions; if it throws or leaves one out, they are declined. */
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

/** The answer that declines: always valid. New versions end the turn then. */
export const DECLINED: JsonObject = { cancelled: true, answers: [] };

/**
 * The wire's answer. Answers are always sent as objects: plain strings hung 0.57.14 for good. A
 * question without an answer makes the whole undefined, since Droid would take it for an empty one.
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
