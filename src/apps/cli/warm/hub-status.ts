import {
  complete,
  messageOf,
  isJsonObject,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
} from "../../../base/index.ts";
import { CliError } from "../shell/exit.ts";
import { askHub } from "./hub-client.ts";
import type { FoundRecord } from "./records.ts";
import { readSharedSession, type SharedSessionInfo } from "../../../client/index.ts";

/** The words for scripts and people alike. */
export const NO_HUB = "no hub is running";

export async function hubStatus(hub: FoundRecord, version: string): Promise<HubStatus> {
  try {
    const { answer, channel } = await askHub(hub, version, { want: "status" });
    await channel.close();
    const status = readHubStatus(answer);
    if (status !== undefined) return status;
  } catch (error) {
    throw noAnswer(hub, error, "dragoman hub stop");
  }
  throw new CliError("agentError", { what: `the hub with pid ${hub.pid} has no status` });
}

export function noAnswer({ pid }: FoundRecord, error: unknown, hint: string): CliError {
  const what = `the hub with pid ${pid} does not answer: ${messageOf(error)}`;
  return new CliError("agentError", { what, hint });
}

export interface AgentStatus {
  readonly name: string;
  readonly state: string;
  readonly pid: number | undefined;
  readonly starts: number;
  readonly clients: number;
  readonly sessions: number;
}

export interface HubStatus {
  readonly version: string;
  readonly pid: number;
  /** When it started, in milliseconds since the epoch. */
  readonly since: number;
  readonly state: "ready" | "draining";
  readonly agents: readonly AgentStatus[];
  readonly sessions: readonly SharedSessionInfo[];
}

function readHubStatus(value: unknown): HubStatus | undefined {
  if (!isJsonObject(value)) return undefined;
  const known = complete({
    version: stringField(value, "version"),
    pid: numberField(value, "pid"),
    since: numberField(value, "since"),
  });
  return (
    known && {
      ...known,
      state: value["state"] === "draining" ? "draining" : "ready",
      agents: objectsField(value, "agents").map(agentStatus),
      sessions: objectsField(value, "sessions").flatMap((item) => readSharedSession(item) ?? []),
    }
  );
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
