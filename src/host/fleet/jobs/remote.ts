import type { Peer } from "../../../transport/rpc/index.ts";
import {
  asObject,
  type JsonObject,
  numberField,
  objectsField,
  quietly,
  stringField,
} from "../../../base/index.ts";
import type { FollowedEntry } from "../client.ts";
import { FleetError } from "../errors.ts";
import { parseEntry } from "../session/entries.ts";
import type { FleetJobs, JobEntries } from "./client.ts";
import { type FleetJob, hasEnded, parseJob } from "./job.ts";

export const JOB_METHODS = {
  submit: "_dragoman/jobs/submit",
  list: "_dragoman/jobs/list",
  show: "_dragoman/jobs/show",
  cancel: "_dragoman/jobs/cancel",
  /** Answers with the next entries of a job's log, after a while with none. */
  read: "_dragoman/jobs/read",
  diff: "_dragoman/jobs/diff",
} as const;

/** The jobs of the tenant that a token belongs to, and their logs. */
export interface RemoteJobs extends FleetJobs {
  /** The next entries of a job's log. Waits a while if there are none yet. */
  read(id: string, after: number): Promise<JobEntries>;
}

/** The jobs of a gateway, over an initialized connection, whose agent and pool they have. */
export function remoteJobs(peer: Pick<Peer, "call">): RemoteJobs {
  const call = async (method: string, params: JsonObject): Promise<JsonObject> =>
    asObject(await peer.call(method, params));
  const jobOf = async (method: string, params: JsonObject): Promise<FleetJob> =>
    expectJob((await call(method, params))["job"]);
  const read = async (id: string, after: number): Promise<JobEntries> => {
    const answer = await call(JOB_METHODS.read, { id, after });
    return { job: expectJob(answer["job"]), entries: objectsField(answer, "entries").map(entryOf) };
  };
  const wait = async (id: string, signal?: AbortSignal): Promise<FleetJob> => {
    let after = 0;
    for (;;) {
      if (signal?.aborted === true) break;
      const { job, entries } = await read(id, after);
      if (hasEnded(job)) return job;
      after = entries.at(-1)?.position ?? after;
    }
    throw new FleetError("closed", `stopped waiting for the job ${id}`);
  };
  return {
    submit: (job) => quietly(() => jobOf(JOB_METHODS.submit, { job })),
    show: (id) => quietly(() => jobOf(JOB_METHODS.show, { id })),
    cancel: (id) => quietly(() => jobOf(JOB_METHODS.cancel, { id })),
    list: () =>
      quietly(async () => {
        const { jobs } = await call(JOB_METHODS.list, {});
        return Array.isArray(jobs) ? jobs.map(expectJob) : [];
      }),
    diff: (id) => quietly(async () => stringField(await call(JOB_METHODS.diff, { id }), "diff")),
    read: (id, after) => quietly(() => read(id, after)),
    wait: (id, signal) => quietly(() => wait(id, signal)),
  };
}

function expectJob(value: unknown): FleetJob {
  const job = parseJob(asObject(value));
  if (job) return job;
  throw new FleetError("invalid_argument", "the gateway answered with something that is not a job");
}

function entryOf(raw: JsonObject): FollowedEntry {
  return {
    position: numberField(raw, "position") ?? 0,
    fence: numberField(raw, "fence") ?? 0,
    at: numberField(raw, "at") ?? 0,
    entry: parseEntry(asObject(raw["entry"])),
  };
}
