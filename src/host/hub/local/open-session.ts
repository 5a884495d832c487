import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import { type JsonObject, stringField } from "../../../base/index.ts";
import { type AgentAnswer, type AgentLink, resultOf } from "../agent/link.ts";
import type { PendingOpen } from "../agent/contract.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import { resultLine } from "../json/write.ts";
import type { HubSession } from "../session/session.ts";
import type { ClientRequest } from "../client/served-client.ts";
import type { ClientRelay } from "./relay.ts";

/** The methods that open a session whose id the client knows. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(["session/load", "session/resume"]);

/**
 * Opens a session for a client. A session that is open already is shared instead, because an agent must
 * not write to one session from two processes. Rejects with RpcError.
 */
export async function openSession(
  relay: ClientRelay,
  agent: HostedAgent,
  message: ClientRequest,
): Promise<void> {
  const { method } = message;
  if (KNOWN_METHODS.has(method)) return openKnown(relay, agent, message);
  checkLimit(relay, agent);
  const connection = await agent.ready();
  const pending: PendingOpen = {
    method,
    params: openParams(agent, message),
    attach: (session) => join(relay, session),
  };
  agent.opening.add(pending);
  agent.usageChanged();
  relay.send(connection, message, undefined, (answer) => {
    agent.opening.delete(pending);
    finish(relay, agent, connection, message, answer);
    agent.usageChanged();
    return undefined;
  });
}

/** A fork works in the folder of its original if it names none. */
function openParams(agent: HostedAgent, { params, sessionId }: ClientRequest): JsonObject {
  const original = sessionId === undefined ? undefined : agent.sessions.get(sessionId);
  return { ...original?.params, ...params };
}

async function openKnown(
  relay: ClientRelay,
  agent: HostedAgent,
  message: ClientRequest,
): Promise<void> {
  const { client, hub } = relay;
  const { method, params } = message;
  const sessionId = stringField(params, "sessionId") ?? "";
  const live = hub.sessions.find(
    (session) =>
      session.id === sessionId &&
      session.agent.owner === client.owner &&
      session.agent.name === agent.name,
  );
  const isComplete = live?.positions.first === 1;
  if (live?.hasLog && live.isOpen && (isComplete || live.isShared(client))) {
    return share(relay, live, message);
  }
  const isKnown = agent.sessions.has(sessionId);
  if (!isKnown) checkLimit(relay, agent);
  const connection = await agent.ready();
  const session = agent.open({ sessionId, method, params }, connection);
  session.opening(connection);
  join(relay, session);
  relay.send(connection, message, session, (answer) => {
    const isOpen = finish(relay, agent, connection, message, answer);
    if (!isOpen && !isKnown) agent.forget(session);
    return undefined;
  });
}

/** Attaches the client to a session that is open, and replays it for `session/load`. */
function share(relay: ClientRelay, session: HubSession, message: ClientRequest): void {
  const { client, attached } = relay;
  session.detach(client, 0);
  const after = message.method === "session/load" ? 0 : undefined;
  const { isExtended } = client;
  const role = client.options.role ?? "controller";
  const attachment = session.attach(client, role, { isExtended, after });
  attached.set(session.id, session);
  // The answers to load and resume name no session, unlike that to new.
  const { sessionId: _, ...opened } = session.record.opened;
  relay.reply(message, (id) => resultLine(id, opened), session);
  session.ask(attachment);
}

/** Keeps a session that the agent opened. Returns false if the agent refused. */
function finish(
  relay: ClientRelay,
  agent: HostedAgent,
  connection: AgentLink,
  { method, params }: ClientRequest,
  answer: AgentAnswer,
): boolean {
  if (answer.kind !== "answered") return false;
  let result: JsonObject;
  try {
    result = resultOf(answer.line);
  } catch {
    return false;
  }
  const sessionId = stringField(result, "sessionId") ?? stringField(params, "sessionId");
  if (sessionId === undefined) return false;
  const session = agent.open({ sessionId, method, params }, connection);
  session.openedWith(connection, result);
  join(relay, session);
  const { owner } = relay.client;
  relay.hub.options.owners?.add(sessionId, owner);
  relay.hub.emit({ type: "session_opened", agent: agent.name, owner, sessionId, method });
  return true;
}

function join({ client, attached }: ClientRelay, session: HubSession): void {
  if (client.isClosed || session.attachment(client)) return;
  const role = client.options.role ?? "controller";
  session.attach(client, role, { isExtended: client.isExtended });
  attached.set(session.id, session);
}

/** Makes room for a session: one that has no client and no turn is closed, the one unused for longest first. */
function checkLimit({ hub, client }: ClientRelay, agent: HostedAgent): void {
  const { maxSessions } = agent.limits;
  const own = hub.sessions.filter((session) => session.agent.owner === client.owner);
  if (own.length + agent.opening.size < maxSessions) return;
  const [unused] = own
    .filter((session) => session.isAlone && !session.isBusy)
    .toSorted((one, other) => one.usedAt - other.usedAt);
  if (unused) return unused.agent.discard(unused.id);
  const message = `Too many sessions are open: at most ${maxSessions}`;
  throw new RpcError(RpcCode.invalidRequest, message);
}
