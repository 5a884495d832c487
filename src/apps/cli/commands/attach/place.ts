import type { SharedSessionInfo } from "../../../../client/index.ts";
import type { Channel } from "../../../../transport/wire/index.ts";
import { selectAgent, type SelectedAgent } from "../../agents/select.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { askHub } from "../../warm/client.ts";
import { hubsOf, statusOf } from "../../warm/control.ts";
import { type FoundRecord, isRunning } from "../../warm/records.ts";

/** A hub whose sessions can be joined. */
export interface AttachPlace {
  /** How messages name the other side. */
  readonly agent: SelectedAgent;
  /** Connects to the hub. */
  readonly open: (signal: AbortSignal) => Promise<Channel>;
  /** How long a lost connection is worth trying again, in milliseconds. */
  readonly patienceMs: number;
}

/** A server may be out of reach for a while. */
const REMOTE_PATIENCE_MS = 60_000;
/** If the local hub is gone, its sessions are gone too. */
const LOCAL_PATIENCE_MS = 2000;

/** The server of `--agent-url`; undefined without that option. */
export async function remotePlace({ io, values }: Context): Promise<AttachPlace | undefined> {
  const agentUrl = values.text("agent-url");
  const tokenFile = values.text("token-file");
  if (agentUrl === undefined) {
    if (tokenFile !== undefined) throw usageError("--token-file needs --agent-url");
    return undefined;
  }
  const choice = { agent: undefined, agentCommand: undefined, agentUrl, tokenFile };
  const settings = { agents: new Map(), mcpServers: [], files: [], notes: [] };
  const { agent } = await selectAgent(io, choice, settings);
  const { openUrl, limitsOf } = await import("../../connect/client.ts");
  return {
    agent,
    open: (signal) =>
      openUrl({ url: agentUrl, headers: agent.remote?.headers }, limitsOf(values).start, signal),
    patienceMs: REMOTE_PATIENCE_MS,
  };
}

/** A session that can be joined. */
export interface FoundSession {
  readonly info: SharedSessionInfo;
  readonly place: AttachPlace;
}

/** All sessions of the user's own hubs. Undefined if no hub is running. */
export async function localSessions(
  context: Context,
): Promise<readonly FoundSession[] | undefined> {
  const hubs = await hubsOf(context);
  if (hubs.length === 0) return undefined;
  return (await Promise.all(hubs.map((hub) => sessionsOf(context, hub)))).flat();
}

async function sessionsOf({ io }: Context, hub: FoundRecord): Promise<readonly FoundSession[]> {
  const { sessions } = await statusOf(hub, io.version);
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
