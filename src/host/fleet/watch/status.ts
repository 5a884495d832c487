import { quietly } from "../../../base/index.ts";
import type { FleetEngine, StoreHealth } from "../engine.ts";
import { type FleetHost, listHosts } from "../hosts.ts";
import { type JobState, readJob } from "../jobs/job.ts";
import { readSession } from "../session/record.ts";
import { Counter, gauge } from "../../hub/index.ts";
import type { WorkerEvent } from "../worker/options.ts";

/** A pool of workers. */
interface PoolStatus {
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

/** Counts the events of a worker, for Prometheus. */
export class WorkerMetrics {
  readonly #opened = new Counter();
  readonly #lost = new Counter();
  readonly #recovered = new Counter();
  readonly #jobs = new Counter();
  readonly #failures = new Counter();

  /** For `WorkerOptions.onEvent`. */
  event(event: WorkerEvent): void {
    switch (event.type) {
      case "session_opened":
        return this.#opened.add();
      case "session_lost":
        return this.#lost.add();
      case "session_recovered":
        return this.#recovered.add();
      case "job_started":
        return this.#jobs.add();
      case "failed":
        return this.#failures.add();
      case "session_closed":
      case "job_ended":
        return undefined;
    }
  }

  /** Everything, in the text format of Prometheus. */
  format(status: FleetHost): string {
    return [
      gauge("dragoman_sessions", "Sessions that the worker owns.", status.sessions),
      gauge("dragoman_sessions_max", "Sessions that it may own at once.", status.maxSessions),
      gauge("dragoman_turns_running", "Sessions in which a turn is running.", status.turns),
      gauge("dragoman_jobs_running", "Jobs that are running.", status.jobs),
      gauge(
        "dragoman_entries_unacknowledged",
        "Entries of logs that the engine has not acknowledged.",
        status.unacknowledged,
      ),
      this.#opened.format("dragoman_sessions_opened_total", "Sessions that were opened."),
      this.#lost.format("dragoman_sessions_lost_total", "Sessions that the worker lost."),
      this.#recovered.format(
        "dragoman_sessions_recovered_total",
        "Sessions of dead workers whose turns were closed.",
      ),
      this.#jobs.format("dragoman_jobs_started_total", "Jobs that were started."),
      this.#failures.format("dragoman_worker_failures_total", "Attempts that failed."),
      gauge("dragoman_draining", "1 while no new work is taken.", status.isDraining ? 1 : 0),
    ].join("");
  }
}
