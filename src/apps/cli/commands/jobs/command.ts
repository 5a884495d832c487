import { JOB_ACTIONS, JOBS_OPTIONS } from "./declaration.ts";
import { resolve } from "node:path";
import {
  type FleetJob,
  type FollowedEntry,
  type JobSource,
  type NewJob,
  fleetClient,
  FleetError,
  type FleetJobs,
  fleetJobs,
  type JobEntries,
  readJobEntries,
  remoteJobs,
} from "../../../../host/fleet/index.ts";
import { asObject, objectField, randomId, stringField, messageOf } from "../../../../base/index.ts";
import type { ParsedCommandLine, Values } from "../../shell/parse.ts";
import { countOption, timeOption } from "../../shell/option-values.ts";
import { CliError, type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runAction } from "../../connect/run-command.ts";
import { rulesFileOf } from "../../permissions/policy.ts";
import { textFromStdin } from "../../prompt/read.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";
import { eventLine } from "../../render/json/events.ts";
import { type Columns, listText, printItems } from "../../render/text/table.ts";
import { type Context, interruptible, contextSettings } from "../../context/context.ts";
import { limitsOfBudget } from "../../context/budget.ts";
import { schemaIn } from "../../session/structured.ts";
import { poolOf, connectFleet, fleetFailure } from "../../fleet/nats.ts";
import { ATTACH_META } from "../../../../client/index.ts";
import { ConnectionError, Peer, RemoteError } from "../../../../transport/rpc/index.ts";
import { describeClose } from "../../../../transport/wire/index.ts";
import { selectAgent } from "../../agents/select.ts";
import { openAgent } from "../../connect/connect.ts";

/** `dragoman jobs`: prompts that a fleet runs, each in a fresh worktree. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runAction(parsed, io, JOB_ACTIONS, {
    submit: (context, _first, words) => submitJob(context, words),
    list: listJobs,
    show: showJob,
    follow: followJob,
    cancel: cancelJob,
  });
}

async function submitJob(context: Context, words: readonly string[]): Promise<void> {
  const { screen, mode } = context;
  const job = await newJob(context, words);
  await withJobs(context, async ({ jobs, isRemote }) => {
    if (job.agent === "" && !isRemote) throw usageError("the job needs an agent", "-a NAME");
    if (job.agent !== "" && isRemote) {
      throw usageError("-a needs --nats: the path of --agent-url names the agent");
    }
    const submitted = await jobs.submit(job);
    if (mode === "events") screen.json(eventLine("job", submitted));
    else screen.foreignAnswer(`${submitted.id}\n`);
  });
}

async function listJobs(context: Context): Promise<void> {
  const jobs = await withJobs(context, (access) => access.jobs.list());
  const sorted = jobs.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const text = (): string => listText(sorted, COLUMNS);
  await printItems(context, jobs, { event: "job", none: "there are no jobs", text });
}

async function showJob(context: Context, id: string): Promise<void> {
  const { screen, mode } = context;
  await withJobs(context, async ({ jobs }) => {
    const job = await jobs.show(id);
    if (mode === "events")
      return screen.json(eventLine("job", { ...job, patch: await jobs.diff(id) }));
    screen.foreignAnswer(headText(job));
    if (job.result) screen.foreignAnswer(`\n${job.result.answer.trimEnd()}\n`);
    const patch = await jobs.diff(id);
    return patch === undefined || patch === "" ? undefined : screen.foreignAnswer(`\n${patch}`);
  });
}

async function cancelJob(context: Context, id: string): Promise<void> {
  const { screen, mode, renderer } = context;
  const job = await withJobs(context, ({ jobs }) => jobs.cancel(id));
  if (mode === "events") screen.json(eventLine("job", job));
  else renderer.note(job.state === "running" ? `cancelling ${id}` : `${id} is ${job.state}`);
}

/** Throws a CliError if the job did not succeed. */
async function followJob(context: Context, id: string): Promise<void> {
  const { screen, mode } = context;
  const job = await interruptible(context, (signal) =>
    withJobs(context, async (access) => {
      let after = 0;
      for (;;) {
        const next = await access.read(id, after);
        for (const entry of next.entries) showEntry(context, entry);
        after = next.entries.at(-1)?.position ?? after;
        const isOver = next.entries.length === 0 && next.job.state !== "running";
        if (signal.aborted || (isOver && next.job.state !== "queued")) return next.job;
      }
    }),
  );
  if (mode === "events") screen.json(eventLine("job", job));
  else screen.answer("\n");
  await screen.drained();
  if (job.state === "done") return;
  const why = job.error === undefined ? "" : `: ${job.error}`;
  throw new CliError("agentError", { what: `the job ${id} is ${job.state}${why}` });
}

function showEntry(context: Context, followed: FollowedEntry): void {
  const { mode, screen } = context;
  if (mode === "events") return screen.json(eventLine("job_entry", followed));
  const { entry } = followed;
  if (entry.type !== "update") return undefined;
  const update = asObject(entry.params["update"]);
  if (update["sessionUpdate"] !== "agent_message_chunk") return undefined;
  const content = objectField(update, "content");
  return screen.foreignAnswer((content && stringField(content, "text")) ?? "");
}

async function newJob(context: Context, words: readonly string[]): Promise<NewJob> {
  const { values, io } = context;
  const rules = await rulesFileOf(context);
  const file = values.text("permissions");
  const schema = values.text("schema");
  const schemaRetries = countOption(values, "schema-retries");
  return {
    id: values.with(JOBS_OPTIONS).text("id") ?? randomId(),
    pool: poolOf(values),
    agent: values.text("agent") ?? "",
    source: sourceOf(values),
    prompt: await promptOf(context, words),
    timeoutMs: timeOption(values, "timeout"),
    // The file was checked above. Its text goes to the worker.
    rules:
      rules && file !== undefined ? await textOf(context, file, "permissions file") : undefined,
    schema: schema === undefined ? undefined : await schemaIn(resolve(io.cwd, schema), schema),
    schemaRetries,
    budget: limitsOfBudget(values),
  };
}

function sourceOf(values: Values): JobSource {
  const own = values.with(JOBS_OPTIONS);
  const [url, cwd, revision] = [own.text("git"), own.text("cwd"), own.text("revision")];
  if (url !== undefined && cwd !== undefined)
    throw usageError("--git and -C contradict each other");
  if (url !== undefined) return { kind: "git", url, revision };
  if (cwd !== undefined) return { kind: "root", cwd, revision };
  throw usageError("the job needs a repository", "-C ROOT of the workers, or --git URL");
}

async function promptOf(context: Context, words: readonly string[]): Promise<string> {
  const parts = [words.join(" ")];
  for (const file of context.values.list("file")) {
    parts.push(file === "-" ? await textFromStdin(context) : await textOf(context, file, "file"));
  }
  const prompt = parts.filter((part) => part.trim() !== "").join("\n\n");
  if (prompt === "") throw usageError("there is no prompt", "dragoman jobs submit PROMPT");
  return prompt;
}

async function textOf({ io }: Context, file: string, what: string): Promise<string> {
  const bytes = await readGivenFile(resolve(io.cwd, file), file, { maxBytes: MIB, what });
  return bytes.toString("utf8");
}

const COLUMNS: Columns<FleetJob> = {
  JOB: "id",
  STATE: "state",
  AGENT: "agent",
  WORKER: "host",
  PROMPT: ({ prompt }) => prompt.split("\n")[0],
};

function headText({ id, state, agent, host, result, error }: FleetJob): string {
  const lines = [
    `job ${id}: ${state}`,
    `agent: ${agent}`,
    ...(host === undefined ? [] : [`worker: ${host}`]),
    ...(result?.stopReason === undefined ? [] : [`stop reason: ${result.stopReason}`]),
    ...(result?.value === undefined ? [] : [`value: ${JSON.stringify(result.value)}`]),
    ...(error === undefined ? [] : [`error: ${error}`]),
  ];
  return `${lines.join("\n")}\n`;
}

interface JobsAccess {
  readonly jobs: FleetJobs;
  read(id: string, after: number): Promise<JobEntries>;
  /** Whether the address decides about the agent and the pool. */
  readonly isRemote: boolean;
  close(): Promise<void>;
}

/** Whose jobs they are, without `--tenant`: those of the token file of a gateway. */
const DEFAULT_TENANT = "default";

async function withJobs<T>(context: Context, work: (access: JobsAccess) => Promise<T>): Promise<T> {
  const access = await openJobs(context);
  try {
    return await work(access);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await access.close();
  }
}

async function openJobs(context: Context): Promise<JobsAccess> {
  const { values } = context;
  const hasUrl = values.text("agent-url") !== undefined;
  const hasNats = values.list("nats").length > 0;
  if (hasUrl === hasNats) {
    throw usageError(
      hasUrl ? "--nats and --agent-url contradict each other" : "jobs need a fleet",
      "--nats URL, or --agent-url URL --token-file FILE",
    );
  }
  return hasUrl ? throughGateway(context) : throughNats(context);
}

async function throughNats(context: Context): Promise<JobsAccess> {
  const tenant = context.values.with(JOBS_OPTIONS).text("tenant") ?? DEFAULT_TENANT;
  const engine = await connectFleet(context, { role: "jobs" });
  const jobs = fleetJobs(engine, tenant);
  const fleet = fleetClient(engine, tenant);
  return {
    jobs,
    isRemote: false,
    read: (id, after) => readJobEntries({ engine, jobs, fleet }, id, after),
    close: () => engine.close(),
  };
}

async function throughGateway(context: Context): Promise<JobsAccess> {
  const { values, io } = context;
  if (values.with(JOBS_OPTIONS).text("tenant") !== undefined)
    throw usageError("--tenant needs --nats: the token decides with --agent-url");
  const choice = { agentUrl: values.text("agent-url"), tokenFile: values.text("token-file") };
  const { agent } = await selectAgent(io, choice, await contextSettings(context));
  const channel = await openAgent(context, agent, { stderr: () => {} }).catch((error: unknown) => {
    throw new CliError("agentError", { what: `could not reach the gateway: ${messageOf(error)}` });
  });
  const peer = new Peer(channel);
  const close = async (): Promise<void> => void (await peer.close());
  try {
    const _meta = { [ATTACH_META]: true };
    await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta });
  } catch (error) {
    await close();
    throw failureOf(error);
  }
  const jobs = remoteJobs(peer);
  return { jobs, isRemote: true, read: (id, after) => jobs.read(id, after), close };
}

function failureOf(error: unknown): unknown {
  if (error instanceof FleetError) return fleetFailure(error);
  if (error instanceof RemoteError) {
    return new CliError("agentError", { what: `the gateway answered: ${error.message}` });
  }
  if (error instanceof ConnectionError) {
    const what = `the connection to the gateway was lost: ${describeClose(error.reason)}`;
    return new CliError("agentError", { what, hint: "dragoman jobs follow ID" });
  }
  return error;
}
