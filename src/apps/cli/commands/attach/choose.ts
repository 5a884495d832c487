import { ATTACH_META, type SharedSessionInfo } from "../../../../client/index.ts";
import { CliError } from "../../shell/exit.ts";
import { during, startWith } from "../../connect/connect.ts";
import { READ_ONLY } from "../../permissions/from-flags.ts";
import { eventLine } from "../../render/json/events.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { table } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/facts.ts";
import type { Context } from "../../context/context.ts";
import { NO_HUB } from "../../warm/control.ts";
import { type AttachPlace, type FoundSession, localSessions, remotePlace } from "./place.ts";

/**
 * The session to join: the one that was named, or the only one, or the user's choice. Without a terminal
 * it lists the sessions and resolves with undefined. Throws a CliError if there is no such session.
 */
export async function chooseSession(
  context: Context,
  id: string | undefined,
): Promise<FoundSession | undefined> {
  const found = await sessionsFor(context);
  const isInteractive = context.io.stdinKind === "tty" && context.asker !== undefined;
  const sorted = found?.toSorted((a, b) => b.info.usedAt - a.info.usedAt) ?? [];
  if (id === undefined && !isInteractive) return list(context, found && sorted);
  if (found === undefined) {
    const hint = "--warm 10m with a prompt or a chat, or --agent-url";
    throw new CliError("session", { what: `${NO_HUB}, so no session can be joined`, hint });
  }
  if (id !== undefined) {
    const named = found.find(({ info }) => info.sessionId === id);
    if (named) return named;
    throw new CliError("session", { what: `no session ${id} is open`, hint: "dragoman attach" });
  }
  const [first, ...more] = sorted;
  if (first === undefined) throw new CliError("session", { what: "no session is open" });
  return more.length === 0 ? first : choose(context, sorted);
}

async function sessionsFor(context: Context): Promise<readonly FoundSession[] | undefined> {
  const place = await remotePlace(context);
  if (place === undefined) return localSessions(context);
  const infos = await sharedBy(context, place);
  return infos.map((info) => ({ info, place }));
}

/** Asks a server for its sessions. */
async function sharedBy(
  context: Context,
  place: AttachPlace,
): Promise<readonly SharedSessionInfo[]> {
  const connected = await connectTo(context, place);
  try {
    return await during(context, connected, "session", (signal) =>
      connected.client.sharedSessions({ signal }),
    );
  } finally {
    await connected.close();
  }
}

/** Connects to a hub, without an agent of its own. */
export function connectTo(
  context: Context,
  { agent, open }: AttachPlace,
  policy = READ_ONLY,
): ReturnType<typeof startWith> {
  const opened = async ({ signal }: { readonly signal: AbortSignal }) => ({
    channel: await open(signal),
    isWarm: true,
  });
  return startWith(context, { agent, mcpServers: [] }, policy, opened, { [ATTACH_META]: true });
}

async function list(
  { mode, renderer, screen }: Context,
  found: readonly FoundSession[] | undefined,
): Promise<undefined> {
  const infos = found?.map(({ info }) => info) ?? [];
  if (mode === "events") for (const info of infos) screen.json(eventLine("shared_session", info));
  else if (found === undefined) renderer.note(NO_HUB);
  else if (infos.length === 0) renderer.note("no session is open");
  else {
    const now = Date.now();
    screen.answer(
      table(
        HEADS,
        infos.map((info) => cells(info, now)),
      ),
    );
  }
  await screen.drained();
  return undefined;
}

const HEADS = ["SESSION", "AGENT", "STATE", "CLIENTS", "USED", "FOLDER", "TITLE"];

function cells(info: SharedSessionInfo, now: number): readonly string[] {
  return [
    info.sessionId,
    info.agent,
    info.isBusy ? "busy" : "idle",
    String(info.controllers + info.observers),
    timeAgo(info.usedAt, now),
    info.cwd,
    info.title ?? "",
  ];
}

async function choose(
  { asker, interrupts }: Context,
  sorted: readonly FoundSession[],
): Promise<FoundSession | undefined> {
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort() });
  try {
    const lines = sorted.map(({ info }, index) => {
      const state = info.isBusy ? "busy" : "idle";
      return `${index + 1}  ${info.title ?? info.sessionId} (${info.agent}, ${state}) ${info.cwd}`;
    });
    const chosen = await asker?.ask(controller.signal, (dialogue) => {
      dialogue.say(...lines.map(sanitiseLine));
      const read = (line: string): FoundSession | undefined => sorted[Number(line) - 1];
      return dialogue.until(`Which session? [1-${sorted.length}] `, read, "Please type a number.");
    });
    if (chosen) return chosen;
    throw interrupts.error() ?? new CliError("session", { what: "no session was chosen" });
  } finally {
    stop();
  }
}
