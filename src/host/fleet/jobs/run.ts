import { tmpdir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { prepareSchema } from "../../../protocol/schema/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { type JsonObject, stringField, stringsField, toError } from "../../../base/index.ts";
import {
  checkHubMcpServers,
  type HubOptions,
  type OpenRequest,
  type PolicySession,
} from "../../hub/index.ts";
import type { WorkItem } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { tenantRecordId, newSession, writeSession } from "../session/record.ts";
import { FleetSessionAgent } from "../worker/agent-link.ts";
import type { WorkerOptions } from "../worker/options.ts";
import type { OwnedSession } from "../worker/owned-session.ts";
import { endOpenTurns, takeOver } from "../worker/takeover.ts";
import { checkOut, type JobCheckout } from "./checkout.ts";
import { JobConversation, readTurns } from "./conversation.ts";
import { type FleetJob, hasEnded, type JobResult, readJob, writeJob } from "./job.ts";

/** Larger diffs are stored by themselves. */
const MAX_DIFF_CHARS = 64 * 1024;
/** The part of a lease's time after which a job is looked at again that another worker still has. */
const OTHER_OWNER = 1 / 3;

/** The session of a job, and its policy if the job has rules. */
interface JobFolder {
  readonly session: string;
  readonly policy: HubOptions["policy"];
}

/** Runs the jobs of a worker, each in a folder of its own that no other session may open. */
export class JobRunner {
  readonly #options: WorkerOptions;
  readonly #open: (session: string) => Promise<OwnedSession>;
  readonly #folders = new Map<string, JobFolder>();

  /** `open` opens a session on this worker, without anyone to answer questions. */
  constructor(options: WorkerOptions, open: (session: string) => Promise<OwnedSession>) {
    this.#options = options;
    this.#open = open;
  }

  policyOf({ roots }: PolicySession): HubOptions["policy"] {
    return this.#folders.get(roots[0] ?? "")?.policy;
  }

  /** Confines a job to its folder. `check` judges all other sessions. Rejects with RpcError. */
  async checkOpen(
    request: OpenRequest,
    check: NonNullable<HubOptions["checkOpen"]>,
  ): Promise<JsonObject> {
    const { agent } = request.client;
    const job = this.#folders.get(stringField(request.params, "cwd") ?? "");
    if (job && agent instanceof FleetSessionAgent && agent.session === job.session) {
      const { additionalDirectories: _outside, ...params } = request.params;
      checkHubMcpServers(params["mcpServers"]);
      return params;
    }
    const params = await check(request);
    const more = stringsField(params, "additionalDirectories");
    if ([stringField(params, "cwd") ?? "", ...more].some((path) => this.#isInJob(path))) {
      throw RpcError.invalidParams("the folder belongs to a job");
    }
    return params;
  }

  /** Runs the job of an item, once. Rejects if the engine fails; then the item comes again. */
  async run(item: WorkItem): Promise<void> {
    const { engine, host } = this.#options;
    const otherOwnerMs = engine.limits.leaseMs * OTHER_OWNER;
    const entry = await engine.jobs.get(item.text);
    const job = entry && readJob(entry.value);
    if (!entry || !job || hasEnded(job)) return item.done();
    if (job.state === "running") {
      if (!(await this.#reportLost(job))) return item.giveBack(otherOwnerMs);
      return item.done();
    }
    const started: FleetJob = { ...job, state: "running", host };
    // If this fails, the job was cancelled or another worker has it.
    const revision = await engine.jobs.update(item.text, writeJob(started), entry.revision);
    if (revision === undefined) return item.giveBack(otherOwnerMs);
    const extending = setInterval(() => void item.extend(), engine.limits.workMs / 3);
    try {
      await this.#finish(await this.#outcomeOf(started));
    } finally {
      clearInterval(extending);
    }
    return item.done();
  }

  #isInJob(path: string): boolean {
    return [...this.#folders.keys()].some((folder) => {
      const way = relative(folder, path);
      return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
    });
  }

  /** Stores the end of a job, if no other worker has. */
  async #finish(job: FleetJob): Promise<void> {
    const { jobs } = this.#options.engine;
    const entry = await jobs.get(tenantRecordId(job.tenant, job.id));
    const stored = entry && readJob(entry.value);
    if (!entry || !stored || hasEnded(stored)) return;
    await jobs.update(entry.key, writeJob(job), entry.revision);
  }

  async #outcomeOf(job: FleetJob): Promise<FleetJob> {
    const { host, roots, jobsFolder } = this.#options;
    const folder = jobsFolder ?? join(tmpdir(), `dragoman-jobs-${process.pid}`);
    let checkout: JobCheckout | undefined;
    try {
      checkout = await checkOut(job.source, folder, async (cwd) => {
        if (roots) return roots.folder(cwd, "cwd");
        throw new FleetError("invalid_argument", `the worker ${host} has no roots`);
      });
      return await this.#runIn(checkout, job);
    } catch (error) {
      return { ...job, state: "failed", error: toError(error).message };
    } finally {
      if (checkout) this.#folders.delete(checkout.folder);
      await checkout?.remove();
    }
  }

  async #runIn(checkout: JobCheckout, job: FleetJob): Promise<FleetJob> {
    const { jobs, sessions, values } = this.#options.engine;
    const { session: id, tenant, pool, agent } = job;
    const cwd = checkout.folder;
    const schema = job.schema && (await prepareSchema({ schema: job.schema }));
    this.#folders.set(cwd, { session: id, policy: this.#policyFor(job) });
    const start = { id, tenant, pool, agent, cwd, additionalDirectories: [], mcpServers: [] };
    await sessions.put(id, writeSession(newSession(start)));
    const session = await this.#open(id);
    // Another worker may have reported this one as dead in the meantime.
    const entry = await jobs.get(tenantRecordId(job.tenant, job.id));
    if (!entry || readJob(entry.value)?.state !== "running") {
      await session.close();
      return job;
    }
    const conversation = new JobConversation(job, session);
    try {
      const asked = await conversation.run(schema);
      const text = await checkout.diff();
      const isLarge = text.length > MAX_DIFF_CHARS;
      const changes = isLarge ? { reference: await values.put(text) } : { text };
      return { ...job, ...asked, result: { ...asked.result, diff: changes } };
    } finally {
      await conversation.close();
    }
  }

  #policyFor({ rules }: FleetJob): HubOptions["policy"] {
    const { jobPolicy, host } = this.#options;
    if (rules === undefined) return undefined;
    if (jobPolicy) return jobPolicy(rules);
    throw new FleetError("invalid_argument", `the worker ${host} accepts no rules of jobs`);
  }

  /** Reports a job whose worker died. Resolves with false if another worker still has it. */
  async #reportLost(job: FleetJob): Promise<boolean> {
    const { engine } = this.#options;
    const owned = await takeOver(this.#options, job.session);
    if (!owned) return false;
    const { lease, summary } = owned;
    try {
      await endOpenTurns(this.#options, owned);
      const { end, answer, usage, position } = await readTurns(engine.log.read(job.session));
      // A worker that died before its prompt was accepted left no turn.
      if (!end || summary.prompts.size === 0) {
        const error = "the worker ended before it ran the job: submit it again under another id";
        await this.#finish({ ...job, state: "failed", error });
        return true;
      }
      const stopReason = end.result && stringField(end.result, "stopReason");
      const result: JobResult = { answer, usage, position, stopReason, diff: undefined };
      // The turn may have ended, but its changes are gone with the worker.
      await this.#finish({ ...job, state: "unknown", result, error: end.error?.message });
      return true;
    } finally {
      await lease.release();
    }
  }
}
