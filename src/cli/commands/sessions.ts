import type { SessionInfo } from "../../acp/index.ts";
import { SESSION_ACTIONS } from "../args/options.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { CliError, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { eventLine } from "../render/json/events.ts";
import { Sanitiser } from "../render/terminal/sanitise.ts";
import { table } from "../render/text/table.ts";
import { Transcript } from "../render/text/transcript.ts";
import { chooseAgent } from "../agents/choose.ts";
import { runCommand } from "../run/command.ts";
import { during } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../run/context.ts";
import { READ_ONLY } from "../permissions/from-flags.ts";
import { reopenSession, sessionFolder } from "../session/session.ts";

type SessionsAction = (typeof SESSION_ACTIONS)[number];

/** `dragoman sessions list|show|delete|export`: the sessions that the agent itself stores. */
export function sessionsCommand({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { action, id } = readWords(words);
  return runCommand(io, values, {
    run: async (context, connect) => {
      const connected = await connect(await chooseAgent(context), READ_ONLY);
      await act(context, connected, action, id);
      await context.screen.drained();
    },
  });
}

function readWords(words: readonly string[]): { action: SessionsAction; id: string } {
  const [word = "list", id, ...more] = words;
  const action = SESSION_ACTIONS.find((name) => name === word);
  if (action === undefined)
    throw usageError(`unknown action "${word}" for sessions`, SESSION_ACTIONS.join(", "));
  if (more.length > 0 || (action === "list" && id !== undefined)) {
    throw usageError(
      `sessions ${action} takes ${action === "list" ? "no arguments" : "one session id"}`,
    );
  }
  if (action !== "list" && id === undefined) {
    throw usageError(`sessions ${action} needs a session id`, "dragoman sessions list");
  }
  return { action, id: id ?? "" };
}

async function act(
  context: Context,
  connected: RunningAgent,
  action: SessionsAction,
  id: string,
): Promise<void> {
  const { client } = connected;
  switch (action) {
    case "list":
      return list(context, connected);
    case "delete":
      await during(context, connected, "session", (signal) => client.deleteSession(id, { signal }));
      context.renderer.note(`deleted ${id}`);
      return;
    case "show":
    case "export":
      return printReplay(context, connected, id, action);
  }
}

async function list(context: Context, connected: RunningAgent): Promise<void> {
  const { values, mode, screen } = context;
  const found: SessionInfo[] = [];
  await during(context, connected, "session", async (signal) => {
    const folder = values.flag("all") ? {} : { cwd: sessionFolder(context, connected) };
    for await (const session of connected.client.listSessions({ ...folder, signal }))
      found.push(session);
  });
  if (mode === "events") {
    for (const session of found) screen.json(eventLine("session_info", session));
    return;
  }
  if (mode === "jsonl") return;
  if (found.length === 0) return context.renderer.note("the agent has no sessions here");
  const rows = found.map(({ sessionId, title, updatedAt, cwd: folder }) => [
    sessionId,
    updatedAt ?? "",
    ...(values.flag("all") ? [folder] : []),
    title ?? "",
  ]);
  screen.answer(
    table(["SESSION", "UPDATED", ...(values.flag("all") ? ["FOLDER"] : []), "TITLE"], rows),
  );
}

/** Prints the replay of a session to stdout. */
async function printReplay(
  context: Context,
  connected: RunningAgent,
  id: string,
  action: "show" | "export",
): Promise<void> {
  const { mode, renderer, screen, io } = context;
  const safe = new Sanitiser();
  const transcript = new Transcript(action === "export", (text) =>
    screen.answer(io.stdout.isTty ? safe.push(text) : text),
  );
  // A replay may be of any length, so each update is printed when it arrives.
  const [, origin] = await reopenSession(context, connected, id, (update) => {
    if (mode === "events") void renderer.update(update);
    else if (mode !== "jsonl") transcript.add(update);
  });
  if (origin === "resume") {
    const what = `${connected.agent.name} can resume sessions but not replay them`;
    throw new CliError("session", { what });
  }
  transcript.end();
  screen.answer(safe.end());
}
