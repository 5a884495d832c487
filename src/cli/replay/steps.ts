import { isJsonObject, type RecordedLine } from "../../wire/index.ts";

/** One line of a recording, seen from the agent's side. */
export type ReplayStep =
  /** The agent said it. `answers` is the recorded id of the call it answers. */
  | {
      readonly kind: "say";
      readonly line: string;
      readonly answers: Id | undefined;
      readonly ms: number;
    }
  /** The client is expected to say it: a call or notification by method, an answer by its id. */
  | {
      readonly kind: "expect";
      readonly method: string | undefined;
      readonly id: Id | undefined;
      readonly ms: number;
    };

export type Id = string | number;

/** What a message of the client's is. */
export interface Heard {
  readonly method: string | undefined;
  readonly id: Id | undefined;
}

/** The steps of a recording, in order. What a client sent that is no message is left out. */
export function stepsOf(lines: readonly RecordedLine[]): readonly ReplayStep[] {
  return lines.flatMap(({ ms, direction, line }): ReplayStep[] => {
    const heard = hear(line);
    if (direction === "in") {
      const answers = heard !== undefined && heard.method === undefined ? heard.id : undefined;
      return [{ kind: "say", line, answers, ms }];
    }
    return heard === undefined ? [] : [{ kind: "expect", ...heard, ms }];
  });
}

/** Reads the envelope of a message; undefined if it is none. */
export function hear(line: string): Heard | undefined {
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

/** The same line as an answer to another call. */
export function withId(line: string, id: Id): string {
  const value: unknown = JSON.parse(line);
  return isJsonObject(value) ? JSON.stringify({ ...value, id }) : line;
}

/** Whether what was heard is what a step expects. Ids of calls may differ; those of answers may not. */
export function fits(step: Extract<ReplayStep, { kind: "expect" }>, heard: Heard): boolean {
  if (step.method !== heard.method) return false;
  if (step.method === undefined) return step.id === heard.id;
  return (step.id === undefined) === (heard.id === undefined);
}

/** A step in words. */
export function describeStep(step: Extract<ReplayStep, { kind: "expect" }>): string {
  return step.method ?? `the answer to request ${step.id ?? "?"}`;
}
