import { RpcError } from "../../rpc/index.ts";
import { asObject, type JsonObject, numberField, stringField } from "../../wire/index.ts";
import type { FleetClient } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import type { FleetJobs } from "../jobs/client.ts";
import { type NewJob, readNewJob } from "../jobs/job.ts";
import { readJobEntries } from "../jobs/read.ts";

/** The methods of a gateway for jobs. */
export const JOB_METHODS = {
  submit: "_dragoman/jobs/submit",
  list: "_dragoman/jobs/list",
  show: "_dragoman/jobs/show",
  cancel: "_dragoman/jobs/cancel",
  /** Answers with the next entries of a job's log, after a while with none. */
  read: "_dragoman/jobs/read",
  /** Answers with the changes of a job. */
  diff: "_dragoman/jobs/diff",
} as const;

type JobMethod = (typeof JOB_METHODS)[keyof typeof JOB_METHODS];

const METHODS: ReadonlySet<string> = new Set(Object.values(JOB_METHODS));

/** Pure: whether a method is about jobs. */
export function isJobMethod(method: string): method is JobMethod {
  return METHODS.has(method);
}

/** The parts of a client that its jobs need. */
export interface JobRequestDeps {
  readonly engine: FleetEngine;
  readonly pool: string;
  /** The agent that the client's path leads to. */
  readonly agent: string;
  readonly jobs: FleetJobs;
  readonly fleet: FleetClient;
  /** Checks that the client may work in a folder. Rejects with RpcError. */
  readonly checkFolder: (cwd: string) => Promise<string>;
}

/** Answers a request about jobs. Rejects with FleetError or RpcError. */
export async function handleJobRequest(
  deps: JobRequestDeps,
  method: JobMethod,
  params: JsonObject,
): Promise<JsonObject> {
  const { jobs } = deps;
  const id = stringField(params, "id") ?? "";
  switch (method) {
    case JOB_METHODS.submit:
      return { job: await jobs.submit(await checkedJob(deps, params)) };
    case JOB_METHODS.list:
      return { jobs: await jobs.list() };
    case JOB_METHODS.show:
      return { job: await jobs.show(id) };
    case JOB_METHODS.cancel:
      return { job: await jobs.cancel(id) };
    case JOB_METHODS.diff:
      return { diff: await jobs.diff(id) };
    case JOB_METHODS.read: {
      const after = numberField(params, "after") ?? 0;
      return { ...(await readJobEntries(deps, id, after)) };
    }
  }
}

/** A client submits jobs for the agent of its path, in the folders that it may use. */
async function checkedJob(deps: JobRequestDeps, params: JsonObject): Promise<NewJob> {
  const { pool, agent } = deps;
  const job = readNewJob({ ...asObject(params["job"]), pool, agent });
  if (!job) throw RpcError.invalidParams("job needs an id, a source and a prompt");
  const { source } = job;
  // A client that is limited to some roots may use no other repository.
  const folder = await deps.checkFolder(source.kind === "root" ? source.cwd : source.url);
  return source.kind === "root" ? { ...job, source: { ...source, cwd: folder } } : job;
}
