import { runAction } from "../../connect/run-command.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { timeOption } from "../../shell/option-values.ts";
import {
  NO_HUB,
  hubStatus,
  noAnswer,
  type AgentStatus,
  type HubStatus,
} from "../../warm/hub-status.ts";
import { HUB_ACTIONS } from "./declaration.ts";
import { sanitizeLine } from "../../../../base/index.ts";
import { type Columns, listBelow, printItems } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/phrases.ts";
import type { Context } from "../../context/context.ts";
import { readIfPresent } from "../../settings/files.ts";
import { askHub } from "../../warm/hub-client.ts";
import { logFiles, MAX_LOG_BYTES } from "../../warm/hub-log.ts";
import { hubsOf, type FoundRecord } from "../../warm/records.ts";
import type { SharedSessionInfo } from "../../../../client/index.ts";
import { runtimeFolders, hubDataFolder } from "../../warm/hub-folders.ts";

/** How long running turns may go on after `dragoman hub stop`. */
const STOP_MS = 10_000;

/** `dragoman hub`: the background process that keeps agents warm. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const waitMs = timeOption(parsed.values, "timeout") ?? STOP_MS;
  return runAction(parsed, io, HUB_ACTIONS, {
    status: showHubs,
    stop: (context) => stopHubs(context, waitMs),
    logs: showLog,
  });
}

export async function showHubs(context: Context): Promise<void> {
  const hubs = await hubsOf(context);
  const found = await Promise.all(hubs.map((hub) => hubStatus(hub, context.io.version)));
  const text = (): string => found.map((status) => statusText(status, Date.now())).join("\n");
  await printItems(context, found, { event: "hub", none: NO_HUB, text });
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
