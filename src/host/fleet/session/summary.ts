import type { LoggedEntry } from "../engine.ts";
import { readEntry, type FleetEntry, TURN_CODES, type TurnFailure } from "./entries.ts";

/** How many ids of prompts are remembered, so that none is accepted twice. */
const KEPT_PROMPTS = 1000;

const OUTCOME_UNKNOWN: TurnFailure = {
  code: TURN_CODES.outcomeUnknown,
  message:
    "The worker of this session ended. The outcome of the prompt is unknown: parts of it may have been done.",
  data: { reason: "worker_ended" },
};

/** The end of a prompt that no agent got. */
export const NOT_RUN: TurnFailure = {
  code: TURN_CODES.notRun,
  message: "The worker of this session ended before it ran the prompt. Send it again.",
  data: { reason: "worker_ended" },
};

/** The log of a session, as far as its next owner needs it. */
export interface LogSummary {
  /** The position of the last entry. */
  readonly position: number;
  /** The ids of the newest prompts, in order. */
  readonly prompts: ReadonlySet<string>;
  /** The prompts that were accepted and never sent to an agent. */
  readonly waiting: ReadonlySet<string>;
  /** The prompts that were sent to an agent and have not ended. */
  readonly running: ReadonlySet<string>;
  /** The questions that are open. */
  readonly questions: ReadonlySet<string>;
  /** Whether a prompt was ever sent to an agent. */
  readonly hasTurns: boolean;
}

/** Reads the log of a session. Rejects with FleetError. */
export async function summarise(entries: AsyncIterable<LoggedEntry>): Promise<LogSummary> {
  const prompts = new Set<string>();
  const waiting = new Set<string>();
  const running = new Set<string>();
  const questions = new Set<string>();
  let position = 0;
  let hasTurns = false;
  for await (const logged of entries) {
    position = logged.position;
    const entry = readEntry(logged.text);
    switch (entry.type) {
      case "prompt":
        waiting.add(entry.id);
        remember(prompts, entry.id);
        break;
      case "turn_started":
        waiting.delete(entry.id);
        running.add(entry.id);
        hasTurns = true;
        break;
      case "turn_ended":
        waiting.delete(entry.id);
        running.delete(entry.id);
        break;
      case "question":
        questions.add(entry.id);
        break;
      case "question_closed":
        questions.delete(entry.id);
        break;
      case "takeover":
      case "opened":
      case "update":
      case "notification":
      case "unknown":
        break;
    }
  }
  return { position, prompts, waiting, running, questions, hasTurns };
}

/** Adds an id to those of the newest prompts. */
export function remember(prompts: Set<string>, id: string): void {
  prompts.add(id);
  const [oldest] = prompts.size > KEPT_PROMPTS ? prompts : [];
  if (oldest !== undefined) prompts.delete(oldest);
}

/** Pure: the entries with which a new owner starts. They close everything that the old one left open. */
export function takeoverEntries(summary: LogSummary, host: string): readonly FleetEntry[] {
  return [
    { type: "takeover", host },
    ...[...summary.questions].map((id): FleetEntry => ({ type: "question_closed", id })),
    ...[...summary.running].map((id): FleetEntry => ({
      type: "turn_ended",
      id,
      error: OUTCOME_UNKNOWN,
    })),
    ...[...summary.waiting].map((id): FleetEntry => ({ type: "turn_ended", id, error: NOT_RUN })),
  ];
}
