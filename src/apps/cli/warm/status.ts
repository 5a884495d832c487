import { readSharedSession, type SharedSessionInfo } from "../../../client/index.ts";
import {
  isJsonObject,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
} from "../../../base/index.ts";

/** An agent in a hub. */
export interface AgentStatus {
  readonly name: string;
  readonly state: string;
  readonly pid: number | undefined;
  readonly starts: number;
  readonly clients: number;
  readonly sessions: number;
}

/** The report of a hub about itself. */
export interface HubStatus {
  readonly version: string;
  readonly pid: number;
  /** When it started, in milliseconds since the epoch. */
  readonly since: number;
  readonly state: "ready" | "draining";
  readonly agents: readonly AgentStatus[];
  readonly sessions: readonly SharedSessionInfo[];
}

/** Reads the answer of a hub; undefined if it is not a status. Pure. */
export function readHubStatus(value: unknown): HubStatus | undefined {
  if (!isJsonObject(value)) return undefined;
  const version = stringField(value, "version");
  const pid = numberField(value, "pid");
  const since = numberField(value, "since");
  if (version === undefined || pid === undefined || since === undefined) return undefined;
  return {
    version,
    pid,
    since,
    state: value["state"] === "draining" ? "draining" : "ready",
    agents: objectsField(value, "agents").map(agentStatus),
    sessions: objectsField(value, "sessions").flatMap((item) => readSharedSession(item) ?? []),
  };
}

function agentStatus(agent: JsonObject): AgentStatus {
  const count = (name: string): number => numberField(agent, name) ?? 0;
  return {
    name: stringField(agent, "name") ?? "",
    state: stringField(agent, "state") ?? "",
    pid: numberField(agent, "pid"),
    starts: count("starts"),
    clients: count("clients"),
    sessions: count("sessions"),
  };
}
