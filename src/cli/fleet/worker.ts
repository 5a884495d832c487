import { hostname } from "node:os";
import {
  FleetError,
  type FleetEngine,
  listHosts,
  startWorker,
  type WorkerEvent,
  WorkerMetrics,
  type WorkerOptions,
} from "../../fleet/index.ts";
import { type FiguresServer, hubPolicy, serveFigures } from "../../hub/index.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { timeOption } from "../args/values.ts";
import { EXIT, type ExitCode, usageError } from "../exit.ts";
import { messageOf } from "../io.ts";
import { rulesFileOf } from "../permissions/from-flags.ts";
import type { Context } from "../run/context.ts";
import { hubAgent, selectAgents } from "../serve/agents.ts";
import { openAudit } from "../serve/audit.ts";
import { parseListen } from "../serve/listen-address.ts";
import { positiveOption } from "../serve/options.ts";
import { rootsOf } from "../serve/roots.ts";
import { DRAIN_MS, listenFailure, untilSignal, writePortFile } from "../serve/run.ts";
import { connectFleet, fleetFailure, poolOf } from "./nats.ts";

/** Hosts agents for a fleet until a signal arrives, and then until running turns have ended. Throws a CliError. */
export async function runWorker(context: Context, parsed: ParsedCommandLine): Promise<ExitCode> {
  const { values, renderer, interrupts } = context;
  const drainMs = timeOption(values, "drain-timeout") ?? DRAIN_MS;
  const host = values.text("worker-name") ?? hostname();
  const pool = poolOf(values);
  const prepared = await preparedWorker(context, parsed);
  const engine = await connectFleet(context, "worker", `worker ${host}`).catch(
    async (error: unknown) => {
      await prepared.close();
      throw error;
    },
  );
  try {
    await expectFreeName(engine, host);
    const worker = await startWorker({ ...prepared.options, engine, host, pool });
    const metrics = (): string => prepared.metrics.format(worker.status);
    const figures = await serveWorkerFigures(context, () => !worker.status.isDraining, metrics);
    try {
      const removePortFile = figures ? await writePortFile(context, figures.port) : undefined;
      renderer.note(`the worker ${host} takes work of the pool ${pool}`);
      const draining = {
        drain: (ms: number) => {
          renderer.note("waiting for running turns; a second signal ends them");
          return worker.drain(ms);
        },
        close: () => worker.close(),
      };
      const how = await untilSignal(context, draining, drainMs);
      await removePortFile?.();
      const interrupted = interrupts.error();
      if (how === "forced" && interrupted !== undefined) throw interrupted;
      return EXIT.done;
    } finally {
      await figures?.close();
      await worker.close();
    }
  } catch (error) {
    throw fleetFailure(error);
  } finally {
    await engine.close();
    await prepared.close();
  }
}

interface PreparedWorker {
  readonly options: Omit<WorkerOptions, "engine" | "host" | "pool">;
  readonly metrics: WorkerMetrics;
  close(): Promise<void>;
}

/** Reads the options and the files that they name. Throws a CliError. */
async function preparedWorker(
  context: Context,
  parsed: ParsedCommandLine,
): Promise<PreparedWorker> {
  const { values, renderer, screen } = context;
  const maxSessions = positiveOption(values, "max-sessions");
  const idleMs = timeOption(values, "session-idle");
  const [rules, roots] = [await rulesFileOf(context), await rootsOf(context)];
  const selected = await selectAgents(context, parsed);
  const print = (text: string): void => {
    if (!screen.isStoryOverloaded) renderer.note(text);
  };
  const surroundings = {
    grants: () => Promise.resolve([]),
    failed: (name: string, error: unknown) => print(`could not start ${name}: ${messageOf(error)}`),
  };
  const missingFile = (name: string): "error" | "empty" => {
    const found = selected.find((agent) => agent.name === name);
    return found?.switches.missingFilesReadEmpty === true ? "empty" : "error";
  };
  const metrics = new WorkerMetrics();
  const isVerbose = values.flag("verbose");
  // Last, because it has to be closed.
  const audit = await openAudit(context, print);
  return {
    metrics,
    options: {
      agents: selected.map((agent) => hubAgent(context, agent, surroundings)),
      roots,
      volume: values.text("volume"),
      limits: { maxSessions, idleMs },
      hub: {
        ...hubPolicy({ rules, files: "server", audit: audit.log, missingFile }),
        onEvent: (event) => audit.event(event),
      },
      onEvent: (event) => {
        metrics.event(event);
        const note = noteOf(event, isVerbose);
        if (note !== undefined) print(note);
      },
    },
    close: () => audit.log.close(),
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

async function serveWorkerFigures(
  { values }: Context,
  isReady: () => boolean,
  figures: () => string,
): Promise<FiguresServer | undefined> {
  const listen = values.text("listen");
  if (listen === undefined) return undefined;
  const { host, port } = parseListen(listen);
  const isInsecureAllowed = values.flag("insecure");
  return serveFigures({ host, port, isInsecureAllowed, isReady, figures }).catch(
    (error: unknown) => {
      throw listenFailure(error);
    },
  );
}

/** A line for people about an event. Pure. */
export function noteOf(event: WorkerEvent, isVerbose: boolean): string | undefined {
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
