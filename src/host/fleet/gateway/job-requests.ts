import { type HubClientOptions, sessionAccess } from "../../hub/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { asObject, type JsonObject, numberField, stringField } from "../../../base/index.ts";
import type { FleetClient } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { type FleetJobs, readJobEntries } from "../jobs/client.ts";
import { type FleetJob, type JobSource, type NewJob, readNewJob } from "../jobs/job.ts";
import { JOB_METHODS } from "../jobs/remote.ts";
import { followedInfo, shownFolder } from "./shown.ts";
import { unknownJob } from "../errors.ts";

type JobMethod = (typeof JOB_METHODS)[keyof typeof JOB_METHODS];

const METHODS: ReadonlySet<string> = new Set(Object.values(JOB_METHODS));

export function isJobMethod(method: string): method is JobMethod {
  return METHODS.has(method);
}

export interface JobRequestDeps {
  readonly engine: FleetEngine;
  readonly pool: string;
  /** The client, with the agent that its path leads to. */
  readonly client: HubClientOptions;
  readonly jobs: FleetJobs;
  readonly fleet: FleetClient;
  /** Checks that the client may work in a folder. Rejects with RpcError. */
  readonly checkFolder: (cwd: string) => Promise<string>;
}

export async function handleJobRequest(
  deps: JobRequestDeps,
  method: JobMethod,
  params: JsonObject,
): Promise<JsonObject> {
  const { client, jobs } = deps;
  if (method === JOB_METHODS.list) {
    return { jobs: (await jobs.list()).filter((job) => mayUse(client, job)) };
  }
  if (method === JOB_METHODS.submit) {
    const submitted = await jobs.submit(await checkedJob(deps, params));
    // The id may belong to a job hidden from the client.
    return { job: visible(client, submitted) };
  }
  const job = visible(client, await jobs.show(stringField(params, "id") ?? ""));
  const { id } = job;
  switch (method) {
    case JOB_METHODS.show:
      return { job };
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

/** The job, if the client may use it. Throws a FleetError as if it did not exist. */
function visible(client: HubClientOptions, job: FleetJob): FleetJob {
  if (mayUse(client, job)) return job;
  throw unknownJob(job.id);
}

/** Pure: whether a client may use a job: one of its tenant, for the agent of its path, in a root of its token. */
function mayUse(client: HubClientOptions, { agent, session, tenant, source }: FleetJob): boolean {
  if (agent !== client.agent.name) return false;
  const cwd = folderOf(source);
  const info = followedInfo({ sessionId: session, agent, owner: tenant, cwd }, undefined);
  const owner = client.tenant ?? client.owner;
  return sessionAccess({ ...client, owner }, info, "own") === "granted";
}

/** Pure: the folder of a job. Another repository is in no root, so clients that are limited to some may not use it. */
function folderOf(source: JobSource): string {
  return source.kind === "root" ? shownFolder(source.cwd) : "/";
}

/** A client submits jobs for the agent of its path, in the folders that it may use. */
async function checkedJob(deps: JobRequestDeps, params: JsonObject): Promise<NewJob> {
  const { pool, client } = deps;
  const job = readNewJob({ ...asObject(params["job"]), pool, agent: client.agent.name });
  if (!job) throw RpcError.invalidParams("job needs an id, a source and a prompt");
  const { source } = job;
  const cwd = await deps.checkFolder(folderOf(source));
  return source.kind === "root" ? { ...job, source: { ...source, cwd } } : job;
}
