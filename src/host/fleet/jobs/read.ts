import type { FleetClient, FollowedEntry } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { pause } from "../pause.ts";
import type { FleetJobs } from "./client.ts";
import { type FleetJob, hasEnded } from "./job.ts";

/** How long a reader waits for the next entry before it gets none. */
const WAIT_MS = 20_000;
/** How often a job that waits or runs is looked at. */
const LOOK_MS = 250;
/** The most that one answer holds. */
const MAX_ENTRIES = 200;
const MAX_CHARS = 4 * 1024 * 1024;

/** A part of a job's log. */
export interface JobEntries {
  /** The job, as it was before the entries were read. */
  readonly job: FleetJob;
  /** The entries, oldest first. Empty if there was none for a while, or if the job has ended. */
  readonly entries: readonly FollowedEntry[];
}

/** Where the jobs are. */
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
  const never = new AbortController().signal;
  let job = await deps.jobs.show(id);
  while (job.state === "queued" && performance.now() < until) {
    await pause(LOOK_MS, never);
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
