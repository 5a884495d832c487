import type { FleetEngine, Lease, LoggedEntry } from "../engine.ts";
import {
  writeEntry,
  type FleetEntry,
  readEntry,
  OUTCOME_UNKNOWN,
  NOT_RUN,
  remember,
} from "../session/entries.ts";
import { quiet, toError, pause } from "../../../base/index.ts";
import { changeSession, readSession } from "../session/record.ts";
import { RENEWALS } from "./lease.ts";

export interface TakeoverDeps {
  readonly engine: FleetEngine;
  readonly host: string;
}

export interface TakenSession {
  readonly lease: Lease;
  readonly summary: LogSummary;
}

/** Takes the lease of a session and reads its log; undefined if another host has it. Rejects with FleetError. */
export async function takeOver(
  { engine, host }: TakeoverDeps,
  session: string,
): Promise<TakenSession | undefined> {
  const lease = await engine.leases.take(session, host);
  if (!lease) return undefined;
  // A long log takes longer to read than a lease lasts.
  const renewing = setInterval(() => void quiet(lease.renew()), engine.limits.leaseMs / RENEWALS);
  try {
    return { lease, summary: await summarize(engine.log.read(session)) };
  } catch (error) {
    await lease.release();
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/** Ends everything that the owner before left open, without an agent. Rejects with FleetError. */
export async function endOpenTurns(
  { engine, host }: TakeoverDeps,
  { lease, summary }: TakenSession,
): Promise<void> {
  const { session, fence } = lease;
  let after = summary.position;
  for (const entry of takeoverEntries(summary, host)) {
    after = await engine.log.append(session, writeEntry(entry), { fence, after });
  }
}

export interface RecoveryDeps {
  readonly engine: FleetEngine;
  readonly host: string;
  readonly pool: string;
  readonly owns: (session: string) => boolean;
  readonly recovered: (session: string, unknown: number) => void;
  readonly failed: (error: Error) => void;
}

/** Ends the turns of dead workers. No engine reports the end of a lease, so busy sessions are watched. */
export function startRecovery(deps: RecoveryDeps, signal: AbortSignal): void {
  const recovery = new Recovery(deps);
  void recovery.watch(signal);
  void recovery.poll(signal);
}

class Recovery {
  readonly #deps: RecoveryDeps;
  readonly #busy = new Set<string>();

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  async watch(signal: AbortSignal): Promise<void> {
    const { engine, pool, failed } = this.#deps;
    while (!signal.aborted) {
      try {
        for await (const { key, value } of engine.sessions.watch(signal)) {
          const session = value === undefined ? undefined : readSession(value);
          if (session?.isBusy === true && session.pool === pool) this.#busy.add(key);
          else this.#busy.delete(key);
        }
      } catch (error) {
        failed(toError(error));
      }
      await pause(engine.limits.leaseMs, signal);
    }
  }

  async poll(signal: AbortSignal): Promise<void> {
    const { engine, owns, failed } = this.#deps;
    while (!signal.aborted) {
      // Workers that look at the same moment only race for the lease; one wins.
      await pause(engine.limits.leaseMs * (0.5 + Math.random() / 2), signal);
      for (const session of this.#busy) {
        if (signal.aborted) return;
        if (owns(session)) continue;
        await this.#check(session).catch((error: unknown) => failed(toError(error)));
      }
    }
  }

  async #check(session: string): Promise<void> {
    const { engine, recovered } = this.#deps;
    if (await engine.leases.holder(session)) return;
    const owned = await takeOver(this.#deps, session);
    if (!owned) return;
    const { lease, summary } = owned;
    try {
      await endOpenTurns(this.#deps, owned);
      const { fence } = lease;
      await changeSession(engine.sessions, session, (record) =>
        record.fence <= fence ? { ...record, fence, isBusy: false } : record,
      );
      this.#busy.delete(session);
      recovered(session, summary.running.size);
    } finally {
      await lease.release();
    }
  }
}

/** The log of a session, as far as its next owner needs it. */
export interface LogSummary {
  readonly position: number;
  /** The ids of the newest prompts, in order. */
  readonly prompts: ReadonlySet<string>;
  /** The prompts that were accepted and never sent to an agent. */
  readonly waiting: ReadonlySet<string>;
  /** The prompts that were sent to an agent and have not ended. */
  readonly running: ReadonlySet<string>;
  readonly questions: ReadonlySet<string>;
  readonly hasTurns: boolean;
}

async function summarize(entries: AsyncIterable<LoggedEntry>): Promise<LogSummary> {
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
