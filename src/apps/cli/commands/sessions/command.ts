import { isAnyUpdate, type SessionInfo } from "../../../../protocol/acp/index.ts";
import { EXPORT_FORMATS, SESSION_ACTIONS, SESSIONS_OPTIONS } from "./declaration.ts";
import { type ParsedCommandLine, readAction } from "../../shell/parse.ts";
import { choiceOption, parseAge } from "../../shell/option-values.ts";
import { CliError, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import {
  createRedactor,
  FinishedText,
  counted,
  Sanitizer,
  sanitizeLine,
} from "../../../../base/index.ts";
import { eventLine } from "../../render/json/events.ts";
import { type Columns, listText } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/phrases.ts";
import { Transcript, type TranscriptFormat } from "../../render/text/transcript.ts";
import { runCommand } from "../../connect/run-command.ts";
import { runPhase, type RunningAgent } from "../../connect/connect.ts";
import { type Context, askBeforeStart, stdoutView } from "../../context/context.ts";
import { READ_ONLY } from "../../permissions/policy.ts";
import { SessionStore, SessionNames, type SessionName } from "../../stored/sessions.ts";
import { reopenSession, sessionFolder } from "../../session/session.ts";
import { eachSession, resolveListed, resolveSession } from "../../session/resolve.ts";
import { chooseAgent } from "../../agents/select.ts";

type ExportFormat = (typeof EXPORT_FORMATS)[number];

type SessionsAction = (context: Context, connected: RunningAgent, id: string) => Promise<void>;

/** `dragoman sessions`: the sessions that the agent itself stores. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values } = parsed;
  const { action, rest } = readAction(parsed, SESSION_ACTIONS);
  const own = values.with(SESSIONS_OPTIONS);
  const format = choiceOption(own, "format", EXPORT_FORMATS) ?? "md";
  if (own.text("format") !== undefined && values.text("outputmode") !== undefined)
    throw usageError("--format and --outputmode contradict each other");
  const age = parseAge(own.text("older-than") ?? "30d", "--older-than");
  const actions: Readonly<Record<typeof action, SessionsAction>> = {
    list,
    show: printReplay,
    delete: deleteOne,
    export: (context, connected, id) => printReplay(context, connected, id, format),
    prune: (context, connected) => pruneSessions(context, connected, age),
  };
  return runCommand(io, values, {
    run: async (context, connect) => {
      const connected = await connect(await chooseAgent(context), READ_ONLY);
      const [id = ""] = rest;
      await actions[action](context, connected, id);
      await context.screen.drained();
    },
  });
}

/** Agents report success for a session that they do not have, so the agent's list decides whether it exists. */
async function deleteOne(context: Context, connected: RunningAgent, given: string): Promise<void> {
  const { client, agent } = connected;
  const cwd = sessionFolder(context, connected);
  const id = await resolveListed(context, connected, given, cwd);
  context.locks.take(agent.name, id);
  await runPhase(context, connected, "session", (signal) => client.deleteSession(id, { signal }));
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
  screen.answer(listText(found, columns, stdoutView(context).columns));
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
  exported?: ExportFormat,
): Promise<void> {
  const { mode, renderer, screen, io } = context;
  const cwd = sessionFolder(context, connected);
  const id = await resolveSession(context, connected, given, cwd);
  const safe = new Sanitizer();
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
    if (mode === "events" && isAnyUpdate(update)) void renderer.update(update);
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

interface Aged {
  readonly session: SessionInfo;
  readonly time: number;
}

/**
 * `sessions prune`: deletes the sessions of this folder, or with `--all` of every folder, that have not
 * changed for `age` milliseconds. Keeps sessions with a name, sessions in use, and sessions whose age the
 * agent does not report. Forgets the names of sessions that are gone. Asks first, unless `--yes` is given.
 */
export async function pruneSessions(
  context: Context,
  connected: RunningAgent,
  age: number,
): Promise<void> {
  const { values, io, renderer, mode, screen } = context;
  const { agent } = connected;
  const cwd = values.with(SESSIONS_OPTIONS).flag("all")
    ? undefined
    : sessionFolder(context, connected);
  const names = await new SessionNames(io).all(agent.name, cwd);
  const listed = new Set<string>();
  const old: Aged[] = [];
  await eachSession(context, connected, cwd, (session) => {
    listed.add(session.sessionId);
    const time = Date.parse(session.updatedAt ?? "");
    if (!Number.isNaN(time) && io.now() - time > age) old.push({ session, time });
  });
  const named = new Set(names.map(({ sessionId }) => sessionId));
  const chosen = old.filter(
    ({ session: { sessionId } }) =>
      !named.has(sessionId) && context.locks.owner(agent.name, sessionId) === undefined,
  );
  const kept = old.length - chosen.length;
  if (kept > 0) renderer.note(`keeping ${counted(kept, "old session")} with a name or in use`);
  if (mode === "text" || mode === "simple") screen.answer(shown(context, chosen));
  if (values.with(SESSIONS_OPTIONS).flag("dry-run")) {
    for (const { session } of chosen) report(context, session, false);
    return renderer.note(`would delete ${counted(chosen.length, "session")}`);
  }
  if (chosen.length > 0 && !(await isConfirmed(context, connected, chosen.length)))
    return renderer.note("nothing was deleted");
  await deleteAll(context, connected, chosen);
  await forgetGone(context, connected, names, listed);
}

function report({ mode, screen }: Context, session: SessionInfo, pruned: boolean): void {
  if (mode === "events") screen.json(eventLine("session_info", { ...session, pruned }));
}

function shown(context: Context, sessions: readonly Aged[]): string {
  if (sessions.length === 0) return "";
  const columns: Columns<Aged> = {
    SESSION: ({ session }) => session.sessionId,
    UPDATED: ({ time }) => timeAgo(time, context.io.now()),
    TITLE: ({ session }) => session.title ?? "",
  };
  return listText(sessions, columns, stdoutView(context).columns);
}

async function isConfirmed(
  context: Context,
  { agent }: RunningAgent,
  count: number,
): Promise<boolean> {
  if (context.values.flag("yes")) return true;
  if (context.asker === undefined)
    throw usageError(
      `sessions prune would delete ${counted(count, "session")}`,
      "--yes to confirm",
    );
  const question = `Delete ${counted(count, "session")} of ${sanitizeLine(agent.name)}?`;
  return (await askBeforeStart(context, (dialogue) => dialogue.confirm(question, false))) === true;
}

async function deleteAll(
  context: Context,
  connected: RunningAgent,
  sessions: readonly Aged[],
): Promise<void> {
  const { client } = connected;
  let deleted = 0;
  try {
    await runPhase(context, connected, "session", async (signal) => {
      for (const { session } of sessions) {
        await client.deleteSession(session.sessionId, { signal });
        deleted++;
        report(context, session, true);
      }
    });
  } finally {
    context.renderer.note(`deleted ${counted(deleted, "session")}`);
  }
}

/** A name whose session the agent does not list anymore could never be used again. */
async function forgetGone(
  { io, renderer }: Context,
  { agent }: RunningAgent,
  names: readonly (SessionName & { readonly cwd: string })[],
  listed: ReadonlySet<string>,
): Promise<void> {
  for (const { name, cwd, sessionId } of names) {
    if (listed.has(sessionId)) continue;
    await new SessionNames(io).forget(agent.name, cwd, name);
    renderer.note(`forgot the name "${name}": its session is gone`);
  }
}
