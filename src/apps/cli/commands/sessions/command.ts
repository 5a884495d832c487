import type { SessionInfo } from "../../../../protocol/acp/index.ts";
import { EXPORT_FORMATS, SESSION_ACTIONS, SESSIONS_OPTIONS } from "./declaration.ts";
import { type ParsedCommandLine, readAction, type Values } from "../../shell/parse.ts";
import { parseAge } from "../../shell/values.ts";
import { CliError, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { createRedactor, FinishedText } from "../../../../base/index.ts";
import { eventLine } from "../../render/json/events.ts";
import { Sanitiser } from "../../render/terminal/sanitise.ts";
import { type Columns, listText } from "../../render/text/list.ts";
import { timeAgo } from "../../render/text/facts.ts";
import { Transcript, type TranscriptFormat } from "../../render/text/transcript.ts";
import { chooseAgent } from "../../agents/choose.ts";
import { runCommand } from "../../connect/command.ts";
import { during } from "../../connect/connect.ts";
import type { RunningAgent } from "../../connect/running-agent.ts";
import type { Context } from "../../context/context.ts";
import { READ_ONLY } from "../../permissions/from-flags.ts";
import { pruneSessions } from "./prune.ts";
import { SessionStore, SessionNames } from "../../stored/sessions.ts";
import { reopenSession, sessionFolder } from "../../session/session.ts";
import { eachSession, resolveListed, resolveSession } from "../../session/resolve.ts";

type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `dragoman sessions`: the sessions that the agent itself stores. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values } = parsed;
  const { action, rest } = readAction(parsed, SESSION_ACTIONS);
  const format = exportFormat(values);
  const age = pruneAge(values);
  return runCommand(io, values, {
    run: async (context, connect) => {
      const connected = await connect(await chooseAgent(context), READ_ONLY);
      const [id = ""] = rest;
      switch (action) {
        case "list":
          await list(context, connected);
          break;
        case "delete":
          await deleteOne(context, connected, id);
          break;
        case "prune":
          await pruneSessions(context, connected, age);
          break;
        case "show":
          await printReplay(context, connected, id, undefined);
          break;
        case "export":
          await printReplay(context, connected, id, format);
      }
      await context.screen.drained();
    },
  });
}

function exportFormat(values: Values): ExportFormat {
  const given = values.with(SESSIONS_OPTIONS).text("format");
  if (given !== undefined && values.text("outputmode") !== undefined)
    throw usageError("--format and --outputmode contradict each other");
  const word = given ?? "md";
  const format = EXPORT_FORMATS.find((name) => name === word);
  if (format !== undefined) return format;
  throw usageError(`--format "${word}" is not one of ${EXPORT_FORMATS.join(", ")}`);
}

function pruneAge(values: Values): number {
  return parseAge(values.with(SESSIONS_OPTIONS).text("older-than") ?? "30d", "--older-than");
}

/** Agents report success for a session that they do not have, so the agent's list decides whether it exists. */
async function deleteOne(context: Context, connected: RunningAgent, given: string): Promise<void> {
  const { client, agent } = connected;
  const cwd = sessionFolder(context, connected);
  const id = await resolveListed(context, connected, given, cwd);
  context.locks.take(agent.name, id);
  await during(context, connected, "session", (signal) => client.deleteSession(id, { signal }));
  const names = new SessionNames(context.io);
  for (const named of await names.all(agent.name, undefined))
    if (named.sessionId === id) await names.forget(agent.name, named.cwd, named.name);
  context.renderer.note(`deleted ${id}`);
}

async function list(context: Context, connected: RunningAgent): Promise<void> {
  const { values, mode, screen, io } = context;
  const { agent } = connected;
  const isAll = values.with(SESSIONS_OPTIONS).flag("all");
  const cwd = isAll ? undefined : sessionFolder(context, connected);
  const found: SessionInfo[] = [];
  await eachSession(context, connected, cwd, (session) => void found.push(session));
  const names = await namesById(io, agent.name, cwd);
  if (cwd !== undefined) await learn(io, agent.name, cwd, found);
  if (mode === "events") {
    for (const session of found) {
      const name = names.get(session.sessionId);
      screen.json(eventLine("session_info", name === undefined ? session : { ...session, name }));
    }
    return;
  }
  if (mode !== "text" && mode !== "simple") return;
  if (found.length === 0) return context.renderer.note("the agent has no sessions here");
  const now = io.now();
  const hasNames = found.some(({ sessionId }) => names.has(sessionId));
  const columns: Columns<SessionInfo> = {
    SESSION: "sessionId",
    UPDATED: ({ updatedAt }) => age(updatedAt, now),
    ...(hasNames && { NAME: ({ sessionId }) => names.get(sessionId) }),
    ...(isAll && { FOLDER: "cwd" }),
    TITLE: ({ title }) => title ?? "",
  };
  screen.answer(listText(found, columns, io.stdout.isTty ? io.stdout.columns() : undefined));
}

/** A time of the agent relative to now; as the agent wrote it if it is not a date. */
function age(updatedAt: string | null | undefined, now: number): string {
  const time = Date.parse(updatedAt ?? "");
  return Number.isNaN(time) ? (updatedAt ?? "") : timeAgo(time, now);
}

async function namesById(
  io: Io,
  agent: string,
  cwd: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const names = await new SessionNames(io).all(agent, cwd);
  return new Map(names.map(({ sessionId, name }) => [sessionId, name]));
}

/** Remembers the list for completion. A list that cannot be saved is not worth a message. */
async function learn(
  io: Io,
  agent: string,
  cwd: string,
  found: readonly SessionInfo[],
): Promise<void> {
  const sessions = found.map(({ sessionId, title, updatedAt }) => ({
    sessionId,
    at: updatedAt ?? "",
    ...(title ? { title } : {}),
  }));
  await new SessionStore(io).learn(agent, cwd, sessions).catch(() => {});
}

async function printReplay(
  context: Context,
  connected: RunningAgent,
  given: string,
  exported: ExportFormat | undefined,
): Promise<void> {
  const { mode, renderer, screen, io } = context;
  const cwd = sessionFolder(context, connected);
  const id = await resolveSession(context, connected, given, cwd);
  const safe = new Sanitiser();
  const format = await formatFor(connected, id, exported);
  let transcript: Transcript | undefined;
  const isText = mode === "text" || mode === "simple";
  const print = (text: string): void => screen.answer(io.stdout.isTty ? safe.push(text) : text);
  // An export may be sent to other people.
  const { value: clean } = createRedactor(connected.secrets.values);
  const lines = new FinishedText((text) => print(String(clean(text))));
  const open = (): Transcript =>
    (transcript ??= new Transcript(format, exported ? (text) => lines.push(text) : print));
  // A replay may be of any length, so each update is printed when it arrives.
  const [session, origin] = await reopenSession(context, connected, id, (update) => {
    if (mode === "events") void renderer.update(update);
    else if (isText) open().add(update);
  });
  if (origin === "resume") {
    const what = `${connected.agent.name} can resume sessions but not replay them`;
    throw new CliError("session", { what });
  }
  if (isText && session.state === "open") open().end();
  lines.flush();
  screen.answer(safe.end());
}

async function formatFor(
  { agent }: RunningAgent,
  sessionId: string,
  exported: ExportFormat | undefined,
): Promise<TranscriptFormat> {
  const formats = await import("../../render/text/transcript.ts");
  const head = { agent: agent.name, sessionId };
  switch (exported) {
    case undefined:
      return formats.PLAIN;
    case "md":
      return formats.MARKDOWN;
    case "html":
      return formats.htmlFormat(head);
    case "json":
      return formats.jsonFormat(head);
  }
}
