import { quietly, pause } from "../../../base/index.ts";
import { fleetClient, type FollowedEntry, type FleetClient } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { FleetError, isFleetError, unknownJob } from "../errors.ts";
import { tenantRecordId } from "../session/record.ts";
import { type FleetJob, hasEnded, jobSession, type NewJob, readJob, writeJob } from "./job.ts";

/** The jobs of one tenant. Calls reject with FleetError. */
export interface FleetJobs {
  /**
   * Submits a job, and resolves with it. A job whose id is known is not submitted again, even after a
   * failure in between. Rejects with `try_later` if the queue is full; then the job does not exist.
   */
  submit(job: NewJob): Promise<FleetJob>;
  /** A job of the tenant. Rejects with `invalid` if there is none. */
  show(id: string): Promise<FleetJob>;
  /** The jobs of the tenant. */
  list(): Promise<readonly FleetJob[]>;
  /** Cancels a job that waits or runs, and resolves with it. A running one ends with its turn. */
  cancel(id: string): Promise<FleetJob>;
  /** The changes of a job, as a patch for git; undefined if there are none to show. */
  diff(id: string): Promise<string | undefined>;
  /** Waits for the end of a job, and resolves with it. Rejects with `closed` if the signal is aborted. */
  wait(id: string, signal?: AbortSignal): Promise<FleetJob>;
}

/** The jobs of a tenant. The engine stays the caller's, who closes it. */
export function fleetJobs(engine: FleetEngine, tenant: string): FleetJobs {
  return new EngineJobs(engine, tenant);
}

class EngineJobs implements FleetJobs {
  readonly #engine: FleetEngine;
  readonly #tenant: string;

  constructor(engine: FleetEngine, tenant: string) {
    this.#engine = engine;
    this.#tenant = tenant;
  }

  submit(spec: NewJob): Promise<FleetJob> {
    return quietly(async () => {
      const { jobs, work } = this.#engine;
      const key = this.#key(spec.id);
      const job: FleetJob = {
        ...spec,
        tenant: this.#tenant,
        session: jobSession(key),
        state: "queued",
        host: undefined,
        result: undefined,
        error: undefined,
      };
      const revision = await jobs.create(key, writeJob(job));
      const known = revision === undefined ? await this.#find(job.id) : job;
      if (known.state !== "queued") return known;
      try {
        // The queue knows the id as well, so a submission that was interrupted here can be repeated.
        await work.add(job.pool, key, key);
      } catch (error) {
        if (isFleetError(error, "try_later") && revision !== undefined) {
          await jobs.delete(key, revision);
        }
        throw error;
      }
      return known;
    });
  }

  show(id: string): Promise<FleetJob> {
    return quietly(() => this.#find(id));
  }

  list(): Promise<readonly FleetJob[]> {
    return quietly(async () => {
      const entries = await this.#engine.jobs.list();
      return entries
        .flatMap(({ value }) => readJob(value) ?? [])
        .filter(({ tenant }) => tenant === this.#tenant);
    });
  }

  cancel(id: string): Promise<FleetJob> {
    return quietly(async () => {
      const { jobs } = this.#engine;
      for (;;) {
        const job = await this.#find(id);
        if (hasEnded(job)) return job;
        if (job.state === "running") {
          await fleetClient(this.#engine, this.#tenant).cancel(job.session);
          return job;
        }
        const entry = await jobs.get(this.#key(id));
        const cancelled: FleetJob = { ...job, state: "cancelled" };
        const isWaiting = entry && readJob(entry.value)?.state === "queued";
        if (!isWaiting) continue;
        const stored = await jobs.update(this.#key(id), writeJob(cancelled), entry.revision);
        if (stored !== undefined) return cancelled;
      }
    });
  }

  diff(id: string): Promise<string | undefined> {
    return quietly(async () => {
      const { result } = await this.#find(id);
      if (!result?.diff) return undefined;
      const { diff } = result;
      return "text" in diff ? diff.text : this.#engine.values.get(diff.reference);
    });
  }

  wait(id: string, signal?: AbortSignal): Promise<FleetJob> {
    return quietly(async () => {
      const stop = new AbortController();
      const end = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      const changes = this.#engine.jobs.watch(end);
      try {
        const known = await this.#find(id);
        if (hasEnded(known)) return known;
        for await (const { key, value } of changes) {
          const job = key === this.#key(id) && value !== undefined ? readJob(value) : undefined;
          if (job && hasEnded(job)) return job;
        }
      } finally {
        stop.abort();
      }
      throw new FleetError("closed", `stopped waiting for the job ${id}`);
    });
  }

  #key(id: string): string {
    return tenantRecordId(this.#tenant, id);
  }

  async #find(id: string): Promise<FleetJob> {
    const entry = await this.#engine.jobs.get(this.#key(id));
    const job = entry && readJob(entry.value);
    if (job?.tenant === this.#tenant) return job;
    throw unknownJob(id);
  }
}

/** How long a reader waits for the next entry before it gets none. */
const WAIT_MS = 20_000;

/** How often a job that waits or runs is looked at. */
const LOOK_MS = 250;

const MAX_ENTRIES = 200;

const MAX_CHARS = 4 * 1024 * 1024;

export interface JobEntries {
  /** The job, as it was before the entries were read. */
  readonly job: FleetJob;
  /** The entries, oldest first. Empty if there was none for a while, or if the job has ended. */
  readonly entries: readonly FollowedEntry[];
}

export interface JobLogDeps {
  readonly engine: FleetEngine;
  readonly jobs: Pick<FleetJobs, "show">;
  readonly fleet: Pick<FleetClient, "read">;
}

/** The next entries of a job's log. Waits a while if there are none yet. Rejects with FleetError. */
export async function readJobEntries(
  deps: JobLogDeps,
  id: string,
  after: number,
): Promise<JobEntries> {
  const until = performance.now() + WAIT_MS;
  let job = await deps.jobs.show(id);
  while (job.state === "queued" && performance.now() < until) {
    await pause(LOOK_MS);
    job = await deps.jobs.show(id);
  }
  const session = await deps.engine.sessions.get(job.session);
  if (!session) return { job, entries: [] };
  const known = await collect(deps.fleet.read(job.session, { after }));
  if (known.length > 0 || hasEnded(job)) return { job, entries: known };
  const over = new AbortController();
  const watching = setInterval(() => {
    const end = (now: FleetJob): void => {
      if (hasEnded(now) || performance.now() >= until) over.abort();
    };
    deps.jobs.show(id).then(end, () => over.abort());
  }, LOOK_MS);
  try {
    const { signal } = over;
    const next = deps.fleet.read(job.session, { after, follow: true, signal });
    return { job, entries: await collect(next, 1) };
  } finally {
    clearInterval(watching);
  }
}

async function collect(
  entries: AsyncIterable<FollowedEntry>,
  most = MAX_ENTRIES,
): Promise<readonly FollowedEntry[]> {
  const found: FollowedEntry[] = [];
  let chars = 0;
  for await (const entry of entries) {
    found.push(entry);
    chars += JSON.stringify(entry).length;
    if (found.length >= most || chars >= MAX_CHARS) break;
  }
  return found;
}
