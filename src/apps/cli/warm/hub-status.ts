import {
  complete,
  messageOf,
  isJsonObject,
  type JsonObject,
  numberField,
  objectsField,
  stringField,
  sanitizeLine,
} from "../../../base/index.ts";
import { CliError, usageError } from "../shell/exit.ts";
import { type Columns, listBelow, printItems } from "../render/text/table.ts";
import { timeAgo } from "../render/text/phrases.ts";
import type { Context } from "../context/context.ts";
import { readIfPresent } from "../settings/files.ts";
import { askHub, runningHubs } from "./hub-client.ts";
import { hubDataFolder, logFiles, MAX_LOG_BYTES } from "./hub-log.ts";
import { type FoundRecord, NoRuntimeFolderError, runtimeFolders } from "./records.ts";
import { readSharedSession, type SharedSessionInfo } from "../../../client/index.ts";

/** The words for scripts and people alike. */
export const NO_HUB = "no hub is running";

/** All running hubs of this user. Throws a usage error if the folder belongs to others. */
export async function hubsOf({ io }: Pick<Context, "io">): Promise<readonly FoundRecord[]> {
  try {
    const folders = await runtimeFolders(io);
    const hubs = await Promise.all(folders.map((folder) => runningHubs(folder)));
    return hubs.flat().filter(({ state }) => state !== "starting");
  } catch (error) {
    if (error instanceof NoRuntimeFolderError) throw usageError(messageOf(error));
    throw error;
  }
}

export async function showHubs(context: Context): Promise<void> {
  const hubs = await hubsOf(context);
  const found = await Promise.all(hubs.map((hub) => hubStatus(hub, context.io.version)));
  const text = (): string => found.map((status) => statusText(status, Date.now())).join("\n");
  await printItems(context, found, { event: "hub", none: NO_HUB, text });
}

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

function statusText(status: HubStatus, now: number): string {
  const { version, pid, since, state, agents, sessions } = status;
  const start = timeAgo(since, now);
  const head = `hub of Dragoman ${sanitizeLine(version)}, pid ${pid}, ${state}, started ${start}\n`;
  return head + listBelow(agents, AGENT_COLUMNS) + listBelow(sessions, SESSION_COLUMNS);
}

const AGENT_COLUMNS: Columns<AgentStatus> = {
  AGENT: "name",
  STATE: "state",
  PID: "pid",
  CLIENTS: "clients",
  SESSIONS: "sessions",
  STARTS: "starts",
};

const SESSION_COLUMNS: Columns<SharedSessionInfo> = {
  SESSION: "sessionId",
  AGENT: "agent",
  STATE: ({ isBusy }) => (isBusy ? "busy" : "idle"),
  CONTROLLERS: "controllers",
  OBSERVERS: "observers",
  FOLDER: "cwd",
};

export async function stopHubs(context: Context, waitMs: number): Promise<void> {
  const { io, renderer, interrupts } = context;
  const hubs = await hubsOf(context);
  if (hubs.length === 0) return renderer.note(NO_HUB);
  const interrupted = new Promise<never>((_, reject) => {
    interrupts.listen({ first: () => reject(interrupts.error() ?? new Error("interrupted")) });
  });
  await Promise.race([Promise.all(hubs.map((hub) => stop(hub, io.version, waitMs))), interrupted]);
  for (const { version, pid } of hubs)
    renderer.note(`stopped the hub of Dragoman ${version}, pid ${pid}`);
}

async function stop(hub: FoundRecord, version: string, waitMs: number): Promise<void> {
  try {
    const { channel } = await askHub(hub, version, { want: "stop", waitMs });
    await channel.closed;
  } catch (error) {
    throw noAnswer(hub, error, `kill ${hub.pid}`);
  }
}

function noAnswer({ pid }: FoundRecord, error: unknown, hint: string): CliError {
  const what = `the hub with pid ${pid} does not answer: ${messageOf(error)}`;
  return new CliError("agentError", { what, hint });
}

export async function showLog({ io, renderer, screen }: Context): Promise<void> {
  const folders = [hubDataFolder(io), ...(await runtimeFolders(io).catch(() => []))];
  const files = folders.flatMap(logFiles);
  // The line that exceeds the limit is complete.
  const limit = 2 * MAX_LOG_BYTES;
  const texts = await Promise.all(
    files.map((file) => readIfPresent(file, limit).catch(() => undefined)),
  );
  const log = texts.join("");
  if (log === "") return renderer.note("no hub has written a log");
  screen.foreignAnswer(log);
  await screen.drained();
}

interface AgentStatus {
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
