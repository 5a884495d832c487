import { agentHas, type SessionInfo } from "../../../protocol/acp/index.ts";
import { runPhase, rawCapabilities, type RunningAgent } from "../connect/connect.ts";
import type { Context } from "../context/context.ts";
import { timeAgo } from "../render/text/phrases.ts";
import { CliError, usageError } from "../shell/exit.ts";
import { SessionStore, checkSessionName, SessionNames } from "../stored/sessions.ts";
import type { Asker } from "../tty/asker.ts";
import type { PickOptions } from "../tty/picker.ts";
import { sessionsHint } from "../agents/hints.ts";

/** The stored session that the flags ask for; undefined for a new one. Throws a CliError. */
export async function resolveFlags(
  context: Context,
  connected: RunningAgent,
  cwd: string,
): Promise<string | undefined> {
  const { values, io } = context;
  const { agent } = connected;
  const [resume, name] = [values.text("resume"), values.text("session")];
  const given = [
    ...(resume === undefined ? [] : ["--resume"]),
    ...(values.flag("continue") ? ["--continue"] : []),
    ...(name === undefined ? [] : ["--session"]),
  ];
  if (given.length > 1) throw usageError(`${given.join(" and ")} contradict each other`);
  if (name !== undefined) return new SessionNames(io).find(agent.name, cwd, checkSessionName(name));
  if (resume === "") return resolveByChoice(context, connected, cwd);
  if (resume !== undefined) return resolveSession(context, connected, resume, cwd);
  if (!values.flag("continue")) return undefined;
  const last = await new SessionStore(io).last(agent.name, cwd);
  if (last !== undefined) return last.sessionId;
  const what = `${agent.name} has no session in ${cwd} to continue`;
  throw new CliError("session", { what, hint: `without --continue, or ${sessionsHint(agent)}` });
}

/** More are not offered: the picker has a filter, but the list must be read first. */
const MAX_OFFERED = 500;

async function resolveByChoice(
  context: Context,
  connected: RunningAgent,
  cwd: string,
): Promise<string> {
  const { asker, screen, interrupts } = context;
  const { agent } = connected;
  if (asker === undefined) {
    throw usageError(
      "--resume needs a session id, because there is no terminal to choose one on",
      sessionsHint(agent),
    );
  }
  const sessions = await sessionsToOffer(context, connected, cwd);
  if (sessions.length === 0) {
    const what = `${agent.name} has no session in ${cwd} to resume`;
    throw new CliError("session", {
      what,
      hint: `without --resume, or ${sessionsHint(agent)} --all`,
    });
  }
  screen.status(undefined);
  const title = `Resume a session of ${agent.name}`;
  const chosen = await interrupts.aborting((signal) =>
    pickSession(context, asker, sessions, { title, signal }),
  );
  if (chosen !== undefined) return chosen;
  throw interrupts.error() ?? new CliError("interrupted", { what: "no session was chosen" });
}

export async function sessionsToOffer(
  context: Context,
  connected: RunningAgent,
  cwd: string,
): Promise<readonly SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  await eachSession(context, connected, cwd, (session) => {
    if (sessions.length < MAX_OFFERED) sessions.push(session);
  });
  return sessions;
}

/** Lets the user choose one of several sessions. Resolves with undefined if the user chooses none. */
export async function pickSession(
  { io, style }: Pick<Context, "io" | "style">,
  asker: Asker,
  sessions: readonly SessionInfo[],
  options: Pick<PickOptions, "title" | "signal">,
): Promise<string | undefined> {
  const { pick } = await import("../tty/picker.ts");
  const now = io.now();
  const items = sessions.map((session) => pickerItem(session, now));
  return pick(asker, items, { ...options, style });
}

function pickerItem(
  { sessionId, title, updatedAt }: SessionInfo,
  now: number,
): { readonly label: string; readonly detail: string; readonly value: string } {
  const time = Date.parse(updatedAt ?? "");
  const age = Number.isNaN(time) ? "" : `${timeAgo(time, now)}  `;
  const label = title || sessionId;
  return { label, detail: `${age}${sessionId}`, value: sessionId };
}

/** The sessions that the agent lists, of one folder or of all, as it sends them. */
export async function eachSession(
  context: Context,
  connected: RunningAgent,
  cwd: string | undefined,
  use: (session: SessionInfo) => void,
): Promise<void> {
  await runPhase(context, connected, "session", async (signal) => {
    const folder = cwd === undefined ? {} : { cwd };
    for await (const session of connected.client.listSessions({ ...folder, signal })) use(session);
  });
}

function canList({ client }: RunningAgent): boolean {
  return agentHas(rawCapabilities(client), "sessionCapabilities.list");
}

/** How many of the sessions that fit are named in a message. */
const SHOWN_MATCHES = 5;

/** A whole id in the form that most agents use. It needs no search. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds a session by its id, by a name from `--session`, or by the start of its id: in this folder first,
 * then in all folders. Only an agent that cannot list its sessions judges the id itself. Throws a CliError
 * (`session`) if several sessions fit.
 */
async function search(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<string | undefined> {
  const named = await new SessionNames(context.io).find(connected.agent.name, cwd, given);
  if (named !== undefined) return named;
  if (!canList(connected)) return given;
  for (const folder of [cwd, undefined]) {
    const found = await searchIn(context, connected, given, folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks through the sessions of one folder or of all, without keeping them. */
async function searchIn(
  context: Context,
  connected: RunningAgent,
  given: string,
  folder: string | undefined,
): Promise<string | undefined> {
  const matches: string[] = [];
  let count = 0;
  let isExact = false;
  await eachSession(context, connected, folder, ({ sessionId }) => {
    isExact ||= sessionId === given;
    if (given === "" || !sessionId.startsWith(given)) return;
    count++;
    if (matches.length < SHOWN_MATCHES) matches.push(sessionId);
  });
  if (isExact) return given;
  if (count <= 1) return matches[0];
  const rest = count - matches.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  throw new CliError("session", {
    what: `"${given}" is the start of ${count} session ids: ${matches.join(", ")}${more}`,
    hint: `more of the id, or ${sessionsHint(connected.agent)}`,
  });
}

/** The id to resume for the value of `--resume`. The agent judges an id that it does not list. */
export async function resolveSession(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<string> {
  if (UUID.test(given)) return given;
  try {
    return (await search(context, connected, given, cwd)) ?? given;
  } catch (error) {
    // An agent that fails to list its sessions may still know the id.
    if (error instanceof CliError && error.exit === "agentError") return given;
    throw error;
  }
}

/** The id of a session that must exist. Throws a CliError (`session`) if the agent does not list it. */
export async function resolveListed(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<string> {
  const found = await search(context, connected, given, cwd);
  if (found !== undefined) return found;
  const { agent } = connected;
  throw new CliError("session", {
    what: `${agent.name} has no session "${given}"`,
    hint: `${sessionsHint(agent)} --all`,
  });
}
