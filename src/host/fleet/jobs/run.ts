import { prepareSchema } from "../../../protocol/schema/index.ts";
import { stringField, toError } from "../../../base/index.ts";
import type { FleetEngine, WorkItem } from "../engine.ts";
import { type FleetSession, newSession, writeSession } from "../session/record.ts";
import { endOpenTurns, takeOver } from "../worker/takeover.ts";
import { checkOut, type JobCheckout } from "./checkout.ts";
import type { OwnedSession } from "../worker/owned-session.ts";
import { JobConversation, readTurns } from "./conversation.ts";
import { type FleetJob, hasEnded, jobKey, type JobResult, readJob, writeJob } from "./job.ts";

export interface JobRunner {
  readonly engine: FleetEngine;
  readonly host: string;
  readonly folder: string;
  readonly rootFolder: (cwd: string) => Promise<string>;
  /** Lets the hub open only this session in a folder, under these rules. Throws if they are invalid. */
  readonly allowFolder: (folder: string, session: string, rules: string | undefined) => void;
  readonly closeFolder: (folder: string) => void;
  /** Opens a session on this worker, without anyone to answer questions. */
  readonly open: (session: string) => Promise<OwnedSession>;
}

/** Larger diffs are stored by themselves. */
const MAX_DIFF_CHARS = 64 * 1024;
/** The part of a lease's time after which a job is looked at again that another worker still has. */
const OTHER_OWNER = 1 / 3;

/**
 * Runs the job of a queue item, or reports what became of it: a job that was started before is never run
 * again. Rejects if the engine fails; then the item comes again.
 */
export async function runItem(runner: JobRunner, item: WorkItem): Promise<void> {
  const { engine, host } = runner;
  const otherOwnerMs = engine.limits.leaseMs * OTHER_OWNER;
  const entry = await engine.jobs.get(item.text);
  const job = entry && readJob(entry.value);
  if (!entry || !job || hasEnded(job)) return item.done();
  if (job.state === "running") {
    if (!(await reportLost(runner, job))) return item.giveBack(otherOwnerMs);
    return item.done();
  }
  const started: FleetJob = { ...job, state: "running", host };
  // If this fails, the job was cancelled or another worker has it.
  const revision = await engine.jobs.update(item.text, writeJob(started), entry.revision);
  if (revision === undefined) return item.giveBack(otherOwnerMs);
  const extending = setInterval(() => void item.extend(), engine.limits.workMs / 3);
  try {
    await finish(engine, await outcomeOf(runner, started));
  } finally {
    clearInterval(extending);
  }
  return item.done();
}

/** Stores the end of a job, if no other worker has. */
async function finish(engine: FleetEngine, job: FleetJob): Promise<void> {
  const entry = await engine.jobs.get(jobKey(job));
  const stored = entry && readJob(entry.value);
  if (!entry || !stored || hasEnded(stored)) return;
  await engine.jobs.update(entry.key, writeJob(job), entry.revision);
}

async function outcomeOf(runner: JobRunner, job: FleetJob): Promise<FleetJob> {
  let checkout: JobCheckout | undefined;
  try {
    checkout = await checkOut(job.source, runner.folder, runner.rootFolder);
    return await runIn(runner, job, checkout);
  } catch (error) {
    return { ...job, state: "failed", error: toError(error).message };
  } finally {
    if (checkout) runner.closeFolder(checkout.folder);
    await checkout?.remove();
  }
}

async function runIn(runner: JobRunner, job: FleetJob, checkout: JobCheckout): Promise<FleetJob> {
  const { engine } = runner;
  const { folder } = checkout;
  const schema = job.schema && (await prepareSchema({ schema: job.schema }));
  runner.allowFolder(folder, job.session, job.rules);
  await engine.sessions.put(job.session, writeSession(sessionOf(job, folder)));
  const session = await runner.open(job.session);
  // Another worker may have reported this one as dead in the meantime.
  const entry = await engine.jobs.get(jobKey(job));
  if (!entry || readJob(entry.value)?.state !== "running") {
    await session.close();
    return job;
  }
  const conversation = new JobConversation(job, session);
  try {
    const asked = await conversation.run(schema);
    const text = await checkout.diff();
    const diff =
      text.length <= MAX_DIFF_CHARS ? { text } : { reference: await engine.values.put(text) };
    return { ...job, ...asked, result: { ...asked.result, diff } };
  } finally {
    await conversation.close();
  }
}

function sessionOf({ session: id, tenant, pool, agent }: FleetJob, cwd: string): FleetSession {
  const none = { additionalDirectories: [], mcpServers: [] };
  return newSession({ id, tenant, pool, agent, cwd, ...none });
}

/** Reports a job whose worker died. Resolves with false if another worker still has it. */
async function reportLost(runner: JobRunner, job: FleetJob): Promise<boolean> {
  const { engine } = runner;
  const owned = await takeOver(runner, job.session);
  if (!owned) return false;
  const { lease, summary } = owned;
  try {
    await endOpenTurns(runner, owned);
    const { end, answer, usage, position } = await readTurns(engine.log.read(job.session));
    // A worker that died before its prompt was accepted left no turn.
    if (!end || summary.prompts.size === 0) {
      const error = "the worker ended before it ran the job: submit it again under another id";
      await finish(engine, { ...job, state: "failed", error });
      return true;
    }
    const stopReason = end.result && stringField(end.result, "stopReason");
    const result: JobResult = { answer, usage, position, stopReason, diff: undefined };
    // The turn may have ended, but its changes are gone with the worker.
    await finish(engine, { ...job, state: "unknown", result, error: end.error?.message });
    return true;
  } finally {
    await lease.release();
  }
}
