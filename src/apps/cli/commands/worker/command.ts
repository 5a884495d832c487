import { messageOf } from "../../../../base/index.ts";
import { WORKER_OPTIONS } from "./declaration.ts";
import { hostname } from "node:os";
import {
  FleetError,
  type FleetEngine,
  listHosts,
  startWorker,
  type WorkerEvent,
  WorkerMetrics,
  type WorkerOptions,
} from "../../../../host/fleet/index.ts";
import { type MetricsServer, hubPolicy, serveMetrics } from "../../../../host/hub/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { positiveOption, timeOption } from "../../shell/option-values.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import { rulesFileOf } from "../../permissions/policy.ts";
import { readRules, type RulesFile } from "../../../../client/rules/index.ts";
import type { Io } from "../../shell/io.ts";
import { type Context, runForPeople } from "../../context/context.ts";
import { hubAgent, missingFiles, selectAgents, InspectedAgents } from "../../serve/agents.ts";
import { serverNotePrinter } from "../../serve/events.ts";
import { parseListen, rootsOf } from "../../serve/options.ts";
import { serveFailure, runUntilSignal } from "../../serve/run.ts";
import { poolOf, withFleet } from "../../fleet/nats.ts";
import { openAudit } from "../../serve/audit.ts";

/** `dragoman worker`: runs sessions and jobs of a fleet, until a signal ends it and it has drained. */
export function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runForPeople(io, parsed.values, (context) => runWorker(context, parsed));
}

async function runWorker(context: Context, parsed: ParsedCommandLine): Promise<ExitCode> {
  const { values, renderer } = context;
  const host = values.with(WORKER_OPTIONS).text("worker-name") ?? hostname();
  const pool = poolOf(values);
  const prepared = await preparedWorker(context, parsed);
  try {
    return await withFleet(context, { role: "worker", host }, async (engine) => {
      await expectFreeName(engine, host);
      const worker = await startWorker({ ...prepared.options, engine, host, pool });
      const metrics = (): string => prepared.metrics.format(worker.status);
      const isReady = (): boolean => !worker.status.isDraining;
      const server = await serveWorkerMetrics(context, isReady, metrics);
      try {
        renderer.note(`the worker ${host} takes work of the pool ${pool}`);
        const draining = {
          drain: (ms: number) => {
            renderer.note("waiting for running turns; a second signal ends them");
            return worker.drain(ms);
          },
          close: () => worker.close(),
        };
        return await runUntilSignal(context, draining, server?.port);
      } finally {
        await server?.close();
        await worker.close();
      }
    });
  } finally {
    await prepared.close();
  }
}

interface PreparedWorker {
  readonly options: Omit<WorkerOptions, "engine" | "host" | "pool">;
  readonly metrics: WorkerMetrics;
  close(): Promise<void>;
}

async function preparedWorker(
  context: Context,
  parsed: ParsedCommandLine,
): Promise<PreparedWorker> {
  const { io, values } = context;
  const maxSessions = positiveOption(values, "max-sessions");
  const idleMs = timeOption(values, "session-idle");
  const [rules, roots] = [await rulesFileOf(context), await rootsOf(context)];
  const selected = await selectAgents(context, parsed);
  const print = serverNotePrinter(context);
  const deps = {
    inspected: new InspectedAgents(context),
    grants: () => Promise.resolve([]),
    failed: (name: string, error: unknown) => print(`could not start ${name}: ${messageOf(error)}`),
  };
  const missingFile = missingFiles(selected);
  const metrics = new WorkerMetrics();
  const isVerbose = values.flag("verbose");
  // Last, because it has to be closed.
  const audit = await openAudit(context, print);
  const policy = (rulesFile: RulesFile | undefined) =>
    hubPolicy({ rules: rulesFile, files: "server", audit: audit.log, missingFile });
  return {
    metrics,
    options: {
      agents: selected.map((agent) => hubAgent(context, agent, deps)),
      roots,
      volume: values.with(WORKER_OPTIONS).text("volume"),
      limits: { maxSessions, idleMs },
      hub: { ...policy(rules), onEvent: (event) => audit.event(event) },
      jobPolicy: (text) => policy(joinedRules(rules, readRules(text, "the rules", io))).policy,
      onEvent: (event) => {
        metrics.event(event);
        const note = noteOf(event, isVerbose);
        if (note !== undefined) print(note);
      },
    },
    close: () => audit.log.close(),
  };
}

/** The rules of a worker come before those of a job, which can only decide about the rest. Pure. */
function joinedRules(worker: RulesFile | undefined, job: RulesFile): RulesFile {
  return {
    file: job.file,
    forFolder: (cwd) => [...(worker?.forFolder(cwd) ?? []), ...job.forFolder(cwd)],
  };
}

/** Two workers with one name would both answer for its sessions. */
async function expectFreeName(engine: FleetEngine, host: string): Promise<void> {
  const known = (await listHosts(engine.hosts)).some((other) => other.host === host);
  if (!known) return;
  try {
    await engine.calls.call(host, "{}");
  } catch (error) {
    // A worker that was killed is in the list for a while, and does not answer.
    if (error instanceof FleetError && error.code === "no_owner") return;
    throw error;
  }
  throw usageError(`another worker has the name ${host}`, "--worker-name NAME");
}

async function serveWorkerMetrics(
  { values }: Context,
  isReady: () => boolean,
  metrics: () => string,
): Promise<MetricsServer | undefined> {
  const listen = values.text("listen");
  if (listen === undefined) return undefined;
  const { host, port } = parseListen(listen);
  const isInsecureAllowed = values.flag("insecure");
  return serveMetrics({ host, port, isInsecureAllowed, isReady, metrics }).catch(
    (error: unknown) => {
      throw serveFailure(error);
    },
  );
}

function noteOf(event: WorkerEvent, isVerbose: boolean): string | undefined {
  switch (event.type) {
    case "session_lost":
      return `lost the session ${event.session}: ${event.message}`;
    case "session_recovered":
      return `closed the turns of ${event.session}, whose worker ended (${event.unknown} with an unknown outcome)`;
    case "failed":
      return `could not ${event.what}: ${event.error.message}`;
    case "session_opened":
    case "session_closed":
      return isVerbose ? `${event.type} session=${event.session}` : undefined;
    case "job_started":
    case "job_ended":
      return isVerbose ? `${event.type} job=${event.job}` : undefined;
  }
}
