import { messageOf } from "../../../../base/index.ts";
import { type FleetEngine, gatewayHub, listHosts } from "../../../../host/fleet/index.ts";
import {
  type HubAgent,
  type HubServer,
  NamedRootLimits,
  type ServeHubOptions,
  serveWith,
} from "../../../../host/hub/index.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type Context, runForPeople } from "../../context/context.ts";
import { eventReporter, serverNotePrinter } from "../../serve/events.ts";
import { flagOptions, tlsOf } from "../../serve/options.ts";
import { serveFailure, runUntilSignal } from "../../serve/run.ts";
import { serveTokens } from "../../serve/tokens.ts";
import { poolOf, withFleet } from "../../fleet/nats.ts";
import { openAudit } from "../../serve/audit.ts";

/** How often the gateway looks for agents of new workers. */
const AGENTS_MS = 2000;

/** `dragoman gateway`: serves the agents of a fleet to clients, until a signal ends it and it has drained. */
export async function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  if (words.length > 0) throw usageError(`gateway takes no arguments, but got "${words[0]}"`);
  return runForPeople(io, values, runGateway);
}

async function runGateway(context: Context): Promise<ExitCode> {
  const { io, values, renderer } = context;
  const pool = poolOf(values);
  const flags = flagOptions(values);
  const tls = tlsOf(values, io);
  const tokens = await serveTokens(values, io);
  const print = serverNotePrinter(context);
  return withFleet(context, { role: "gateway" }, async (engine) => {
    const audit = await openAudit(context, print);
    const agents = knownAgents(engine, pool, values.of("agent"), print);
    const options: ServeHubOptions = {
      ...flags.server,
      // Workers come and go, and their agents with them.
      get agents() {
        return agents.list;
      },
      tokens: tokens.source,
      tls,
      hub: { limits: flags.hub },
      onEvent: eventReporter(context, audit, print),
    };
    try {
      await agents.start();
      const server = await serveWith(
        (hubOptions) => gatewayHub({ engine, pool }, hubOptions),
        options,
        (grants) => new NamedRootLimits(grants),
      ).catch((error: unknown) => {
        throw serveFailure(error);
      });
      try {
        for (const note of notesOf(server, agents.list, pool)) renderer.note(note);
        if (tokens.tokenFile !== undefined)
          renderer.note(`clients need the token in ${tokens.tokenFile}`);
        return await runUntilSignal(context, server, server.port);
      } finally {
        await server.close();
      }
    } finally {
      agents.stop();
      await audit.log.close();
    }
  });
}

function notesOf(
  { webSocketUrl }: HubServer,
  agents: readonly HubAgent[],
  pool: string,
): readonly string[] {
  if (agents.length === 0) return [`serving the pool ${pool} at ${webSocketUrl}: no workers yet`];
  return agents.map(({ name }) => `serving ${name} at ${webSocketUrl}/${encodeURIComponent(name)}`);
}

/** The agents that the workers of a pool have, or those of them that `-a` names. */
function knownAgents(
  engine: FleetEngine,
  ofPool: string,
  names: readonly string[],
  print: (text: string) => void,
) {
  let list = names.map(fleetAgent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let hasFailed = false;
  const look = async (): Promise<void> => {
    try {
      const hosts = await listHosts(engine.hosts);
      const found = hosts.filter(({ pool }) => pool === ofPool).flatMap(({ agents }) => agents);
      // An agent whose workers are gone for a moment keeps its path, so that clients get an answer.
      const all = new Set([...list.map(({ name }) => name), ...found]);
      list = [...all].toSorted().map(fleetAgent);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) print(`could not list the workers: ${messageOf(error)}`);
      hasFailed = true;
    }
    if (!isStopped) timer = setTimeout(() => void look(), AGENTS_MS);
  };
  return {
    get list(): readonly HubAgent[] {
      return list;
    },
    // Named agents may have their workers later.
    start: async () => (names.length === 0 ? look() : undefined),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Gateways start no agents. */
function fleetAgent(name: string): HubAgent {
  return { name, key: name, open: () => Promise.reject(new Error("agents run on workers")) };
}
