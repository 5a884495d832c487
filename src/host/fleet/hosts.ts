import {
  asObject,
  booleanField,
  numberField,
  parseJsonObject,
  quietly,
  stringField,
  stringsField,
} from "../../base/index.ts";
import type { FleetTable } from "./engine.ts";
import type { FleetSession } from "./session/record.ts";

/** A host of a fleet, as it reports itself. */
export interface FleetHost {
  readonly host: string;
  /** The pool whose work it takes. */
  readonly pool: string;
  /** The names of its agents. */
  readonly agents: readonly string[];
  /** The names of its roots. If it has none, every folder may be used. */
  readonly roots: readonly string[];
  /** The volume on which its agents keep their history. */
  readonly volume: string;
  /** How many sessions it owns. */
  readonly sessions: number;
  /** The most sessions that it owns at once. */
  readonly maxSessions: number;
  /** How many of its sessions have a running turn. */
  readonly turns: number;
  /** How many jobs it runs. */
  readonly jobs: number;
  /** How many entries of its sessions the engine has not acknowledged. */
  readonly unacknowledged: number;
  /** Whether it is about to end and takes nothing new. */
  readonly isDraining: boolean;
  /** When it reported this, on its own clock, in milliseconds since the epoch. */
  readonly reportedAt: number;
}

/** Pure: reads a host. Missing fields count as full, so that nothing is placed there. */
function readHost(text: string): FleetHost {
  const raw = asObject(parseJsonObject(text));
  return {
    host: stringField(raw, "host") ?? "",
    pool: stringField(raw, "pool") ?? "",
    agents: stringsField(raw, "agents"),
    roots: stringsField(raw, "roots"),
    volume: stringField(raw, "volume") ?? "",
    sessions: numberField(raw, "sessions") ?? 0,
    maxSessions: numberField(raw, "maxSessions") ?? 0,
    turns: numberField(raw, "turns") ?? 0,
    jobs: numberField(raw, "jobs") ?? 0,
    unacknowledged: numberField(raw, "unacknowledged") ?? 0,
    isDraining: booleanField(raw, "isDraining") ?? true,
    reportedAt: numberField(raw, "reportedAt") ?? 0,
  };
}

/** The hosts that reported themselves lately. Rejects with FleetError. */
export function listHosts(table: FleetTable): Promise<readonly FleetHost[]> {
  return quietly(async () => (await table.list()).map(({ value }) => readHost(value)));
}

/**
 * Pure: where a session should run; undefined if no host can. A session that ran before stays on its host,
 * or on its volume, because its agent's history is there. Otherwise the less loaded of two hosts that are
 * picked at random: then several that choose at once do not all choose the same.
 */
export function chooseHost(
  hosts: readonly FleetHost[],
  session: Pick<FleetSession, "pool" | "agent" | "cwd" | "host" | "volume" | "agentSessionId">,
  random: () => number = Math.random,
): FleetHost | undefined {
  const able = hosts.filter((host) => canRun(host, session));
  const isNew = session.agentSessionId === undefined;
  const fit = isNew ? able : able.filter(({ volume }) => volume === session.volume);
  const last = fit.find(({ host }) => host === session.host);
  if (last && !isNew) return last;
  const pick = (): FleetHost | undefined => fit[Math.floor(random() * fit.length)];
  const [one, other] = [pick(), pick()];
  if (!one || !other) return one ?? other;
  return load(one) <= load(other) ? one : other;
}

function load({ sessions, maxSessions }: FleetHost): number {
  return sessions / maxSessions;
}

function canRun(
  host: FleetHost,
  { pool, agent, cwd }: Pick<FleetSession, "pool" | "agent" | "cwd">,
): boolean {
  if (host.isDraining || host.pool !== pool || host.sessions >= host.maxSessions) return false;
  if (!host.agents.includes(agent)) return false;
  return host.roots.length === 0 || host.roots.includes(cwd.replace(/^\//, "").split("/")[0] ?? "");
}
