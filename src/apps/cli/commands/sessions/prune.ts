import { counted } from "../../../../base/index.ts";
import { SESSIONS_OPTIONS } from "./declaration.ts";
import type { SessionInfo } from "../../../../protocol/acp/index.ts";
import { usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { during } from "../../connect/connect.ts";
import type { RunningAgent } from "../../connect/running-agent.ts";
import { eventLine } from "../../render/json/events.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { type Columns, listText } from "../../render/text/list.ts";
import { timeAgo } from "../../render/text/facts.ts";
import { askBeforeStart, type Context } from "../../context/context.ts";
import { SessionNames, type SessionName } from "../../stored/sessions.ts";
import { sessionFolder } from "../../session/session.ts";
import { eachSession } from "../../session/resolve.ts";

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
  if (mode === "text" || mode === "simple") screen.answer(shown(chosen, io));
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

function shown(sessions: readonly Aged[], io: Io): string {
  if (sessions.length === 0) return "";
  const columns: Columns<Aged> = {
    SESSION: ({ session }) => session.sessionId,
    UPDATED: ({ time }) => timeAgo(time, io.now()),
    TITLE: ({ session }) => session.title ?? "",
  };
  return listText(sessions, columns, io.stdout.isTty ? io.stdout.columns() : undefined);
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
  const question = `Delete ${counted(count, "session")} of ${sanitiseLine(agent.name)}?`;
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
    await during(context, connected, "session", async (signal) => {
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
