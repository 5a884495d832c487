import { quietly } from "../../../base/index.ts";
import type { FleetEngine, StoreHealth } from "../engine.ts";
import { type FleetHost, listHosts } from "../hosts.ts";
import { type JobState, readJob } from "../jobs/job.ts";
import { readSession } from "../session/record.ts";

/** A pool of workers. */
export interface PoolStatus {
  /** Its name. */
  readonly pool: string;
  /** How many sessions it has. */
  readonly sessions: number;
  /** In how many of them a turn is running. */
  readonly busy: number;
  /** How many jobs wait or run. */
  readonly queued: number;
}

/** A fleet at one moment. */
export interface FleetStatus {
  /** The workers that reported themselves lately. */
  readonly workers: readonly FleetHost[];
  /** The pools that have workers, sessions or jobs. */
  readonly pools: readonly PoolStatus[];
  /** How many jobs are in each state. */
  readonly jobs: Readonly<Record<JobState, number>>;
  /** The stores of the engine, and how far their replicas are behind. */
  readonly stores: readonly StoreHealth[];
}

/** Looks at a fleet. Rejects with FleetError. */
export function fleetStatus(engine: FleetEngine): Promise<FleetStatus> {
  return quietly(async () => {
    const [workers, sessionEntries, jobEntries, stores] = await Promise.all([
      listHosts(engine.hosts),
      engine.sessions.list(),
      engine.jobs.list(),
      engine.health(),
    ]);
    const sessions = sessionEntries.flatMap(({ value }) => readSession(value) ?? []);
    const jobs = jobEntries.flatMap(({ value }) => readJob(value) ?? []);
    const names = new Set([...workers, ...sessions, ...jobs].map(({ pool }) => pool));
    const pools = await Promise.all(
      [...names].toSorted().map(async (pool) => {
        const own = sessions.filter((session) => session.pool === pool);
        const busy = own.filter(({ isBusy }) => isBusy).length;
        return { pool, sessions: own.length, busy, queued: await engine.work.depth(pool) };
      }),
    );
    const counts: Record<JobState, number> = {
      queued: 0,
      running: 0,
      done: 0,
      failed: 0,
      cancelled: 0,
      unknown: 0,
    };
    for (const { state } of jobs) counts[state]++;
    return { workers, pools, jobs: counts, stores };
  });
}
