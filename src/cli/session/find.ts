import { agentHas, type SessionInfo } from "../../acp/index.ts";
import { sessionsLine } from "../agents/hints.ts";
import { CliError } from "../shell/exit.ts";
import { during } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../context/context.ts";
import { SessionNames } from "../stored/names.ts";

/** The sessions that the agent lists, of one folder or of all, as it sends them. */
export async function eachSession(
  context: Context,
  connected: RunningAgent,
  cwd: string | undefined,
  use: (session: SessionInfo) => void,
): Promise<void> {
  await during(context, connected, "session", async (signal) => {
    const folder = cwd === undefined ? {} : { cwd };
    for await (const session of connected.client.listSessions({ ...folder, signal })) use(session);
  });
}

/** Whether the agent can list its sessions. */
export function canList({ client }: RunningAgent): boolean {
  const raw = client.agent.raw["agentCapabilities"] ?? client.agent.capabilities;
  return agentHas(raw, "sessionCapabilities.list");
}

/** How many of the sessions that fit are named in a message. */
const SHOWN_MATCHES = 5;

/** A whole id in the form that most agents use. It needs no search. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The outcome of a search for a session. */
export type FoundSession =
  | { readonly kind: "found"; readonly sessionId: string }
  /** No session fits, or the agent cannot list its sessions. */
  | { readonly kind: "unknown"; readonly listed: boolean };

/**
 * Finds a session by its id, by a name from `--session`, or by the start of its id: in this folder first,
 * then in all folders. Throws a CliError (`session`) if several sessions fit.
 */
export async function findSession(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<FoundSession> {
  const named = await new SessionNames(context.io).find(connected.agent.name, cwd, given);
  if (named !== undefined) return { kind: "found", sessionId: named };
  if (!canList(connected)) return { kind: "unknown", listed: false };
  for (const folder of [cwd, undefined]) {
    const search = new PrefixSearch(given);
    await eachSession(context, connected, folder, ({ sessionId }) => search.take(sessionId));
    const sessionId = search.result(sessionsLine(connected.agent));
    if (sessionId !== undefined) return { kind: "found", sessionId };
  }
  return { kind: "unknown", listed: true };
}

/** The id to resume for the value of `--resume`. The agent judges an id that it does not list. */
export async function idToResume(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<string> {
  if (UUID.test(given)) return given;
  try {
    const found = await findSession(context, connected, given, cwd);
    return found.kind === "found" ? found.sessionId : given;
  } catch (error) {
    // An agent that fails to list its sessions may still know the id.
    if (error instanceof CliError && error.exit === "agentError") return given;
    throw error;
  }
}

/** The id of a session that must exist. Throws a CliError (`session`) if the agent does not list it. */
export async function listedId(
  context: Context,
  connected: RunningAgent,
  given: string,
  cwd: string,
): Promise<string> {
  const found = await findSession(context, connected, given, cwd);
  if (found.kind === "found") return found.sessionId;
  if (!found.listed) return given;
  const { agent } = connected;
  throw new CliError("session", {
    what: `${agent.name} has no session "${given}"`,
    hint: `${sessionsLine(agent)} --all`,
  });
}

/** Looks for one session among many without keeping them. */
export class PrefixSearch {
  readonly #given: string;
  readonly #matches: string[] = [];
  #count = 0;
  #exact: string | undefined;

  constructor(given: string) {
    this.#given = given;
  }

  take(sessionId: string): void {
    if (sessionId === this.#given) this.#exact = sessionId;
    if (this.#given === "" || !sessionId.startsWith(this.#given)) return;
    this.#count++;
    if (this.#matches.length < SHOWN_MATCHES) this.#matches.push(sessionId);
  }

  /** The session; undefined if none fits. Throws a CliError (`session`) if several do. */
  result(hint: string): string | undefined {
    if (this.#exact !== undefined) return this.#exact;
    if (this.#count <= 1) return this.#matches[0];
    const rest = this.#count - this.#matches.length;
    const more = rest > 0 ? ` and ${rest} more` : "";
    throw new CliError("session", {
      what: `"${this.#given}" is the start of ${this.#count} session ids: ${this.#matches.join(", ")}${more}`,
      hint: `more of the id, or ${hint}`,
    });
  }
}
