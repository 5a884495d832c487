import { JOBS_OPTIONS } from "./declaration.ts";
import { ATTACH_META } from "../../../../client/index.ts";
import {
  fleetClient,
  FleetError,
  type FleetJobs,
  fleetJobs,
  type JobEntries,
  readJobEntries,
  remoteJobs,
} from "../../../../host/fleet/index.ts";
import { ConnectionError, Peer, RemoteError } from "../../../../transport/rpc/index.ts";
import { messageOf } from "../../../../base/index.ts";
import { describeClose } from "../../../../transport/wire/index.ts";
import { settingsOf } from "../../agents/choose.ts";
import { selectAgent } from "../../agents/select.ts";
import { openAgent } from "../../connect/open-agent.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { connectFleet, fleetFailure } from "../../fleet/nats.ts";

/** The jobs that a command can reach. */
export interface JobsAccess {
  readonly jobs: FleetJobs;
  /** The next entries of a job's log. */
  read(id: string, after: number): Promise<JobEntries>;
  /** Whether the address decides about the agent and the pool. */
  readonly isRemote: boolean;
  close(): Promise<void>;
}

/** Whose jobs they are, without `--tenant`: those of the token file of a gateway. */
const DEFAULT_TENANT = "default";

/** Connects, does the work, and closes. Throws a CliError. */
export async function withJobs<T>(
  context: Context,
  work: (access: JobsAccess) => Promise<T>,
): Promise<T> {
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
  const choice = {
    agent: undefined,
    agentCommand: undefined,
    agentUrl: values.text("agent-url"),
    tokenFile: values.text("token-file"),
  };
  const { agent } = await selectAgent(io, choice, await settingsOf(context));
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

/** An error of a fleet or a gateway as an exit code. */
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
