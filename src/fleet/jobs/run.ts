import { asObject, type JsonObject, objectField, stringField, toError } from "../../wire/index.ts";
import type { FleetEngine, WorkItem } from "../engine.ts";
import { readEntry, type SessionEntry, TURN_CODES } from "../session/entries.ts";
import { type FleetSession, writeSession } from "../session/record.ts";
import type { SessionRequest } from "../worker/protocol.ts";
import { endOpenTurns, takeOver } from "../worker/takeover.ts";
import { checkOut, type JobCheckout } from "./checkout.ts";
import {
  type FleetJob,
  hasEnded,
  type JobResult,
  type JobState,
  readJob,
  writeJob,
} from "./job.ts";

/** The parts of a worker that its jobs need. */
export interface JobRunner {
  readonly engine: FleetEngine;
  readonly host: string;
  /** The folder for the worktrees. */
  readonly folder: string;
  /** The real path of a folder in a root. */
  readonly rootFolder: (cwd: string) => Promise<string>;
  /** Lets the hub open sessions in a folder, until it is called with false. */
  readonly allowFolder: (folder: string, isAllowed: boolean) => void;
  /** Opens a session on this worker, without anyone to answer questions. */
  readonly open: (
    session: string,
  ) => Promise<{ handle(request: SessionRequest): Promise<JsonObject> }>;
}

/** The id of a job's only prompt. */
const PROMPT = "job";
/** Longer answers lose their beginning; the log has all of them. */
const MAX_ANSWER_CHARS = 256 * 1024;
/** Larger diffs are stored by themselves. */
const MAX_DIFF_CHARS = 64 * 1024;
/** The time before a job is looked at again that another worker still has. */
const OTHER_OWNER_MS = 5000;

/**
 * Runs the job of a queue item, or reports what became of it: a job that was started before is never run
 * again. Rejects if the engine fails; then the item comes again.
 */
export async function runItem(runner: JobRunner, item: WorkItem): Promise<void> {
  const { engine, host } = runner;
  const entry = await engine.jobs.get(item.text);
  const job = entry && readJob(entry.value);
  if (!entry || !job || hasEnded(job)) return item.done();
  if (job.state === "running") {
    if (!(await reportLost(runner, job))) return item.giveBack(OTHER_OWNER_MS);
    return item.done();
  }
  const started: FleetJob = { ...job, state: "running", host };
  // If this fails, the job was cancelled or another worker has it.
  const revision = await engine.jobs.update(job.id, writeJob(started), entry.revision);
  if (revision === undefined) return item.giveBack(OTHER_OWNER_MS);
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
  const entry = await engine.jobs.get(job.id);
  const stored = entry && readJob(entry.value);
  if (!entry || !stored || hasEnded(stored)) return;
  await engine.jobs.update(job.id, writeJob(job), entry.revision);
}

async function outcomeOf(runner: JobRunner, job: FleetJob): Promise<FleetJob> {
  let checkout: JobCheckout | undefined;
  try {
    checkout = await checkOut(job.source, runner.folder, runner.rootFolder);
    return await runIn(runner, job, checkout);
  } catch (error) {
    return { ...job, state: "failed", error: toError(error).message };
  } finally {
    if (checkout) runner.allowFolder(checkout.folder, false);
    await checkout?.remove();
  }
}

async function runIn(runner: JobRunner, job: FleetJob, checkout: JobCheckout): Promise<FleetJob> {
  const { engine } = runner;
  const { folder } = checkout;
  runner.allowFolder(folder, true);
  await engine.sessions.put(job.session, writeSession(sessionOf(job, folder)));
  const session = await runner.open(job.session);
  // Another worker may have reported this one as dead in the meantime.
  const entry = await engine.jobs.get(job.id);
  if (!entry || readJob(entry.value)?.state !== "running") {
    await session.handle({ type: "close", session: job.session });
    return job;
  }
  const prompt = [{ type: "text", text: job.prompt }];
  const { session: id } = job;
  await session.handle({ type: "prompt", session: id, id: PROMPT, by: job.tenant, prompt });
  const cancel = (): void => {
    session.handle({ type: "cancel", session: id }).catch(() => {});
  };
  const { timeoutMs } = job;
  const timer = timeoutMs === undefined ? undefined : setTimeout(cancel, timeoutMs);
  try {
    const { end, ...said } = await readTurn(engine, id);
    const text = await checkout.diff();
    const stored =
      text.length <= MAX_DIFF_CHARS ? { text } : { reference: await engine.values.put(text) };
    const stopReason = end.result && stringField(end.result, "stopReason");
    const result: JobResult = { ...said, stopReason, diff: stored };
    return { ...job, state: stateOf(end), result, error: end.error?.message };
  } finally {
    clearTimeout(timer);
    await session.handle({ type: "close", session: id }).catch(() => {});
  }
}

function sessionOf(job: FleetJob, cwd: string): FleetSession {
  return {
    id: job.session,
    tenant: job.tenant,
    pool: job.pool,
    agent: job.agent,
    cwd,
    additionalDirectories: [],
    host: undefined,
    volume: undefined,
    fence: 0,
    agentSessionId: undefined,
    isBusy: false,
  };
}

type TurnEnded = Extract<SessionEntry, { type: "turn_ended" }>;

function stateOf({ result, error }: TurnEnded): JobState {
  if (error) return error.code === TURN_CODES.outcomeUnknown ? "unknown" : "failed";
  return result?.["stopReason"] === "cancelled" ? "cancelled" : "done";
}

/** Reads the log of a job until its turn ends. Rejects with FleetError. */
async function readTurn(
  engine: FleetEngine,
  session: string,
): Promise<{ readonly end: TurnEnded } & Pick<JobResult, "answer" | "usage" | "position">> {
  let answer = "";
  let usage: JsonObject | undefined;
  for await (const { position, text } of engine.log.read(session, { follow: true })) {
    const entry = readEntry(text);
    if (entry.type === "turn_ended") return { end: entry, answer, usage, position };
    if (entry.type !== "update") continue;
    const update = asObject(entry.params["update"]);
    if (update["sessionUpdate"] === "usage_update") usage = update;
    if (update["sessionUpdate"] !== "agent_message_chunk") continue;
    const content = objectField(update, "content");
    answer += (content && stringField(content, "text")) ?? "";
    answer = answer.slice(-MAX_ANSWER_CHARS);
  }
  throw new Error("the log of the job ended before its turn");
}

/**
 * Reports a job whose worker died, as far as its log goes. Resolves with false if another worker has it
 * still.
 */
async function reportLost(runner: JobRunner, job: FleetJob): Promise<boolean> {
  const { engine } = runner;
  const owned = await takeOver(runner, job.session);
  if (!owned) return false;
  const { lease, summary } = owned;
  try {
    await endOpenTurns(runner, owned);
    // A worker that died before its prompt was accepted left no turn.
    const turn = summary.prompts.size > 0 ? await readTurn(engine, job.session) : undefined;
    if (!turn) {
      const error = "the worker ended before it ran the job: submit it again under another id";
      await finish(engine, { ...job, state: "failed", error });
      return true;
    }
    const { end, ...said } = turn;
    const stopReason = end.result && stringField(end.result, "stopReason");
    const result: JobResult = { ...said, stopReason, diff: undefined };
    // The turn may have ended, but its changes are gone with the worker.
    await finish(engine, { ...job, state: "unknown", result, error: end.error?.message });
    return true;
  } finally {
    await lease.release();
  }
}
