import type { SessionInfo } from "../../acp/index.ts";
import { sessionsLine } from "../agents/hints.ts";
import { CliError, usageError } from "../shell/exit.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { timeAgo } from "../render/text/time-ago.ts";
import type { Context } from "../context/context.ts";
import type { Asker } from "../tty/asker.ts";
import type { PickOptions } from "../tty/picker.ts";
import { SessionStore } from "../stored/last-session.ts";
import { checkSessionName, SessionNames } from "../stored/names.ts";
import { eachSession, idToResume } from "./find.ts";

/** The stored session that the flags ask for; undefined for a new one. Throws a CliError. */
export async function idToReopen(
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
  if (resume === "") return chosenSession(context, connected, cwd);
  if (resume !== undefined) return idToResume(context, connected, resume, cwd);
  if (!values.flag("continue")) return undefined;
  const last = await new SessionStore(io).last(agent.name, cwd);
  if (last !== undefined) return last.sessionId;
  const what = `${agent.name} has no session in ${cwd} to continue`;
  throw new CliError("session", { what, hint: `without --continue, or ${sessionsLine(agent)}` });
}

/** More are not offered: the picker has a filter, but the list must be read first. */
const MAX_OFFERED = 500;

/** Lets the user choose one of the agent's sessions in this folder. */
async function chosenSession(
  context: Context,
  connected: RunningAgent,
  cwd: string,
): Promise<string> {
  const { asker, screen, interrupts } = context;
  const { agent } = connected;
  if (asker === undefined) {
    throw usageError(
      "--resume needs a session id, because there is no terminal to choose one on",
      sessionsLine(agent),
    );
  }
  const sessions = await sessionsToOffer(context, connected, cwd);
  if (sessions.length === 0) {
    const what = `${agent.name} has no session in ${cwd} to resume`;
    throw new CliError("session", {
      what,
      hint: `without --resume, or ${sessionsLine(agent)} --all`,
    });
  }
  screen.status(undefined);
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort() });
  try {
    const chosen = await pickSession(context, asker, sessions, {
      title: `Resume a session of ${agent.name}`,
      signal: controller.signal,
    });
    if (chosen !== undefined) return chosen;
  } finally {
    stop();
  }
  throw interrupts.error() ?? new CliError("interrupted", { what: "no session was chosen" });
}

/** The sessions of a folder to choose from. Throws a CliError. */
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
