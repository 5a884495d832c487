import type { FleetEngine, Lease } from "../engine.ts";
import { writeEntry } from "../session/entries.ts";
import { type LogSummary, summarise, takeoverEntries } from "../session/summary.ts";
import { quiet } from "../../../base/index.ts";
import { RENEWALS } from "./lease-keeper.ts";

/** The engine and the host that takes a session over. */
export interface TakeoverDeps {
  readonly engine: FleetEngine;
  readonly host: string;
}

/** A session whose lease was taken. */
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
    return { lease, summary: await summarise(engine.log.read(session)) };
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
