import { toError } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import { pause } from "../pause.ts";
import { changeSession, readSession } from "../session/record.ts";
import { endOpenTurns, takeOver } from "./takeover.ts";

/** The parts of a worker that a recovery needs. */
export interface RecoveryDeps {
  readonly engine: FleetEngine;
  readonly host: string;
  readonly pool: string;
  /** Whether the worker itself owns a session. */
  readonly owns: (session: string) => boolean;
  readonly recovered: (session: string, unknown: number) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Looks after the turns of workers that died, until the signal is aborted. It watches which sessions of the
 * pool have a running turn, and asks for the owners of these, because no engine reports that a lease expired.
 */
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
