import { isJsonObject } from "../../../../base/index.ts";
import type { RecordedLine } from "../../../../transport/wire/index.ts";

/** One line of a recording, seen from the agent's side. */
export type ReplayStep =
  /** A line to send. `answers` is the recorded id of the call that it answers. */
  | {
      readonly kind: "send";
      readonly line: string;
      readonly answers: Id | undefined;
      readonly ms: number;
    }
  /** A message expected from the client: a call or notification by its method, an answer by its id. */
  | {
      readonly kind: "expect";
      readonly method: string | undefined;
      readonly id: Id | undefined;
      readonly ms: number;
    };

export type Id = string | number;

/** The fields that identify a message. */
export interface MessageHead {
  readonly method: string | undefined;
  readonly id: Id | undefined;
}

/** The steps of a recording, in order. Lines from the client that are not messages are left out. */
export function stepsOf(lines: readonly RecordedLine[]): readonly ReplayStep[] {
  return lines.flatMap(({ ms, direction, line }): ReplayStep[] => {
    const head = readHead(line);
    if (direction === "in") {
      const isAnswer = head !== undefined && head.method === undefined;
      return [{ kind: "send", line, answers: isAnswer ? head.id : undefined, ms }];
    }
    return head === undefined ? [] : [{ kind: "expect", ...head, ms }];
  });
}

/** Reads the method and id of a message; undefined if the line is not a message. */
export function readHead(line: string): MessageHead | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { method, id } = value;
  const isId = typeof id === "string" || typeof id === "number";
  if (typeof method !== "string" && !isId) return undefined;
  return {
    method: typeof method === "string" ? method : undefined,
    id: isId ? id : undefined,
  };
}

/** Returns the line as an answer to another call. */
export function withId(line: string, id: Id): string {
  const value: unknown = JSON.parse(line);
  return isJsonObject(value) ? JSON.stringify({ ...value, id }) : line;
}

/** Whether a message is the one that a step expects. Ids of calls may differ; ids of answers may not. */
export function matches(
  step: Extract<ReplayStep, { kind: "expect" }>,
  message: MessageHead,
): boolean {
  if (step.method !== message.method) return false;
  if (step.method === undefined) return step.id === message.id;
  return (step.id === undefined) === (message.id === undefined);
}

/** Describes a step for error messages. */
export function describeStep(step: Extract<ReplayStep, { kind: "expect" }>): string {
  return step.method ?? `the answer to request ${step.id ?? "?"}`;
}
