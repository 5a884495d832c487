import { ATTACH_META, type SharedSessionInfo } from "../../../../client/index.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import { runPhase, startWith } from "../../connect/connect.ts";
import { READ_ONLY } from "../../permissions/policy.ts";
import { sanitizeLine } from "../../../../base/index.ts";
import { type Columns, listText, printItems } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/phrases.ts";
import { askBeforeStart, type Context } from "../../context/context.ts";
import { NO_HUB, hubStatus } from "../../warm/hub-status.ts";
import type { Channel } from "../../../../transport/wire/index.ts";
import { selectAgent, type SelectedAgent } from "../../agents/select.ts";
import { askHub } from "../../warm/hub-client.ts";
import { hubsOf, type FoundRecord, isRunning } from "../../warm/records.ts";

/** The session to join: the named one, the only one, or the user's choice. Without a terminal it lists them. */
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

async function sharedBy(
  context: Context,
  place: AttachPlace,
): Promise<readonly SharedSessionInfo[]> {
  const connected = await connectToHub(context, place);
  try {
    return await runPhase(context, connected, "session", (signal) =>
      connected.client.sharedSessions({ signal }),
    );
  } finally {
    await connected.close();
  }
}

/** Connects to a hub, without an agent of its own. */
export function connectToHub(
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
  context: Context,
  found: readonly FoundSession[] | undefined,
): Promise<undefined> {
  const infos = found?.map(({ info }) => info) ?? [];
  const now = Date.now();
  const columns: Columns<SharedSessionInfo> = {
    SESSION: "sessionId",
    AGENT: "agent",
    STATE: ({ isBusy }) => (isBusy ? "busy" : "idle"),
    CLIENTS: ({ controllers, observers }) => controllers + observers,
    USED: ({ usedAt }) => timeAgo(usedAt, now),
    FOLDER: "cwd",
    TITLE: "title",
  };
  const none = found === undefined ? NO_HUB : "no session is open";
  const text = (): string => listText(infos, columns);
  await printItems(context, infos, { event: "shared_session", none, text });
  return undefined;
}

async function choose(
  context: Context,
  sorted: readonly FoundSession[],
): Promise<FoundSession | undefined> {
  const lines = sorted.map(({ info }, index) => {
    const state = info.isBusy ? "busy" : "idle";
    return `${index + 1}  ${info.title ?? info.sessionId} (${info.agent}, ${state}) ${info.cwd}`;
  });
  const chosen = await askBeforeStart(context, (dialogue) => {
    dialogue.say(...lines.map(sanitizeLine));
    const read = (line: string): FoundSession | undefined => sorted[Number(line) - 1];
    return dialogue.until(`Which session? [1-${sorted.length}] `, read, "Please type a number.");
  });
  if (chosen) return chosen;
  throw new CliError("session", { what: "no session was chosen" });
}

/** A hub whose sessions can be joined. */
export interface AttachPlace {
  /** How messages name the other side. */
  readonly agent: SelectedAgent;
  readonly open: (signal: AbortSignal) => Promise<Channel>;
  /** How long a lost connection is worth trying again, in milliseconds. */
  readonly patienceMs: number;
}

/** A server may be out of reach for a while. */
const REMOTE_PATIENCE_MS = 60_000;
/** If the local hub is gone, its sessions are gone too. */
const LOCAL_PATIENCE_MS = 2000;

/** The server of `--agent-url`; undefined without that option. */
async function remotePlace({ io, values }: Context): Promise<AttachPlace | undefined> {
  const agentUrl = values.text("agent-url");
  const tokenFile = values.text("token-file");
  if (agentUrl === undefined) {
    if (tokenFile !== undefined) throw usageError("--token-file needs --agent-url");
    return undefined;
  }
  const settings = { agents: new Map(), mcpServers: [], files: [], notes: [] };
  const { agent } = await selectAgent(io, { agentUrl, tokenFile }, settings);
  const { openUrl, runTimeouts } = await import("../../connect/client.ts");
  return {
    agent,
    open: (signal) =>
      openUrl({ url: agentUrl, headers: agent.remote?.headers }, runTimeouts(values).start, signal),
    patienceMs: REMOTE_PATIENCE_MS,
  };
}

export interface FoundSession {
  readonly info: SharedSessionInfo;
  readonly place: AttachPlace;
}

/** All sessions of the user's own hubs. Undefined if no hub is running. */
async function localSessions(context: Context): Promise<readonly FoundSession[] | undefined> {
  const hubs = await hubsOf(context);
  if (hubs.length === 0) return undefined;
  return (await Promise.all(hubs.map((hub) => sessionsOf(context, hub)))).flat();
}

async function sessionsOf({ io }: Context, hub: FoundRecord): Promise<readonly FoundSession[]> {
  const { sessions } = await hubStatus(hub, io.version);
  return sessions.map((info) => ({
    info,
    place: {
      agent: hostedAgent(info.agent),
      open: () => openLocal(hub, io.version),
      patienceMs: LOCAL_PATIENCE_MS,
    },
  }));
}

async function openLocal(hub: FoundRecord, version: string): Promise<Channel> {
  try {
    const { channel } = await askHub(hub, version, { want: "attach" });
    return channel;
  } catch (error) {
    if (isRunning(hub)) throw error;
    const what = "the hub has ended, and the session with it";
    throw new CliError("session", { what, hint: "dragoman hub logs" });
  }
}

function hostedAgent(name: string): SelectedAgent {
  const none = { args: [], env: {}, switches: {}, entry: undefined };
  return { name, command: name, from: "command line", ...none };
}
