import { RpcError, RpcCode } from "../../../transport/rpc/index.ts";
import {
  asObject,
  isJsonObject,
  isThenable,
  type JsonObject,
  stringField,
  objectsField,
} from "../../../base/index.ts";
import { sessionAccess } from "../access.ts";
import type { HostedAgent, PendingOpen } from "../agent/hosted-agent.ts";
import { type AgentAnswer, type AgentLink, resultOf } from "../agent/link.ts";
import {
  type PortAttachment,
  type BackendPort,
  type BackendTraits,
  type LineTarget,
  type SessionBackend,
  OPEN_METHODS,
  type PortHub,
} from "../client/port.ts";
import type {
  ClientNotification,
  ClientRequest,
  Congestion,
  ServedClient,
} from "../client/served-client.ts";
import { agentEnded, notAllowed, unknownSession, errorObject, HUB_CODES } from "../errors.ts";
import {
  withRequestId,
  memberSpan,
  splice,
  errorLine,
  resultLine,
  notificationLine,
} from "../json/lines.ts";
import { withParams } from "../json/message.ts";
import type { ClientRole, HubOptions, HubSessionInfo } from "../options.ts";
import type { HubSession, RunningPrompt } from "../session/session.ts";
import { ATTACH_METHODS } from "../../../client/index.ts";

function traitsOf({ log, checkOpen }: HubOptions): BackendTraits {
  return {
    info: { name: "dragoman-hub", title: "Dragoman hub", version: "1" },
    draining: "The hub is about to end and accepts no new turns",
    opens: OPEN_METHODS,
    opensIn: OPEN_METHODS,
    isShared: log !== undefined,
    isStrict: checkOpen !== undefined,
    lowersRoles: false,
    isConcurrent: false,
  };
}

/** The methods that do not attach a client to the session that they name. */
const LEAVES_OUT: ReadonlySet<string> = new Set([
  "session/close",
  "session/delete",
  "session/list",
]);

/** The sessions of one client, in agents that this hub hosts. It relays the text of its messages. */
export class LocalSessions implements SessionBackend<HubSession>, ClientRelay {
  readonly traits: BackendTraits;
  readonly client: ServedClient;
  readonly hub: SessionHub;
  readonly attached = new Map<string, HubSession>();
  readonly #port: BackendPort;
  /** The agent of the client's own sessions; undefined before `initialize`. */
  #agent: HostedAgent | undefined;

  constructor(port: BackendPort, hub: SessionHub) {
    this.#port = port;
    this.client = port.client;
    this.hub = hub;
    this.traits = traitsOf(hub.options);
  }

  get owner(): string {
    return this.client.owner;
  }

  get isInitialized(): boolean {
    return this.#agent !== undefined;
  }

  get congestion(): Congestion | undefined {
    return this.#agent?.current;
  }

  async initialize(message: ClientRequest): Promise<string> {
    const { client } = this;
    const agent = this.hub.agentFor(client, this.#withCapabilities(message));
    this.#agent = agent;
    agent.join(client);
    try {
      return await agent.initialized();
    } catch (error) {
      this.#agent = undefined;
      agent.leave(client);
      throw error;
    }
  }

  attachesOnly(): void {}

  all(): readonly HubSession[] {
    return this.hub.sessions;
  }

  named(sessionId: string): readonly HubSession[] {
    return this.hub.sessions.filter(({ id }) => id === sessionId);
  }

  /** A session that the client uses already, or that its agent has open. */
  find(sessionId: string): HubSession | undefined {
    const session = this.#named(sessionId);
    if (!session && !this.#mayName(sessionId)) throw unknownSession(sessionId);
    return session;
  }

  roleIn(session: HubSession): ClientRole | undefined {
    return session.attachment(this.client)?.role;
  }

  shown({ info }: HubSession): HubSessionInfo {
    const { folderName } = this.hub.options;
    const shown = (folder: string): string => folderName?.(folder) ?? folder;
    const additionalDirectories = info.additionalDirectories.map(shown);
    return { ...info, cwd: shown(info.cwd), additionalDirectories };
  }

  attach(session: HubSession, role: ClientRole, after: number): PortAttachment {
    const { client } = this;
    if (!session.hasLog) throw notAllowed("This hub does not share sessions");
    session.detach(client, 0);
    const { first, last: seq } = session.positions;
    const attachment = session.attach(client, role, { isExtended: true, after });
    this.attached.set(session.id, session);
    const { name: agent, owner, version: protocolVersion } = session.agent;
    const { role: most = "controller", owner: by } = client.options;
    const sessionId = session.id;
    this.hub.emit({ type: "client_attached", agent, owner, sessionId, by, role: most });
    return {
      seq,
      first,
      protocolVersion,
      opened: session.record.opened,
      send: (line) => attachment.send(line),
      ask: () => session.ask(attachment),
    };
  }

  detach(sessionId: string): LineTarget | undefined {
    const session = this.attached.get(sessionId);
    const attachment = session?.attachment(this.client);
    this.attached.delete(sessionId);
    session?.detach(this.client, 0);
    return session && (attachment ?? this.client);
  }

  open(message: ClientRequest): void | Promise<void> {
    return this.#agent && openSession(this, this.#agent, message);
  }

  prompt(message: ClientRequest, session: HubSession): void | Promise<void> {
    return sendPrompt(this, this.#joined(session), message);
  }

  request(message: ClientRequest, known: HubSession | undefined): void | Promise<void> {
    const session = known && !LEAVES_OUT.has(message.method) ? this.#joined(known) : known;
    const target = session ? session.ready() : this.#agent?.ready();
    const hook = this.#hookFor(message, session);
    if (!isThenable(target)) return target && this.send(target, message, session, hook);
    return target.then((connection) => this.send(connection, message, session, hook));
  }

  notify(message: ClientNotification, known: HubSession | undefined): void | Promise<void> {
    const session = known && this.#joined(known);
    if (message.method === "session/cancel") return this.#cancelTurn(message, session);
    const target = session ? session.ready() : this.#agent?.ready();
    if (!isThenable(target)) return target?.send(message.line);
    return target.then((connection) => connection.send(message.line));
  }

  /**
   * Deleting a session that does not exist succeeds. To this client, those of other owners do not
   * exist, and the agent must not get their ids.
   */
  deleteUnknown(message: ClientRequest): boolean {
    const { method, sessionId } = message;
    if (!this.#agent || sessionId === undefined) return false;
    const isKnown = this.#named(sessionId) !== undefined || this.#mayName(sessionId);
    if (isKnown) return false;
    const { version, capabilities } = this.#agent;
    const sessions = asObject(capabilities[version >= 2 ? "session" : "sessionCapabilities"]);
    if (!isJsonObject(sessions["delete"])) throw RpcError.methodNotFound(method);
    this.reply(message, (id) => resultLine(id, {}));
    return true;
  }

  errorFor(error: unknown): unknown {
    return error;
  }

  left(isLost: boolean): void {
    const { client } = this;
    const graceMs = isLost ? (client.options.graceMs ?? 0) : 0;
    for (const session of this.attached.values()) session.detach(client, graceMs);
    this.#agent?.leave(client);
  }

  reply(message: ClientRequest, line: (id: string) => string, session?: HubSession): void {
    this.#port.reply(message, line, session?.attachment(this.client));
  }

  send(
    connection: AgentLink,
    message: ClientRequest,
    session?: HubSession,
    hook?: AnswerHook,
  ): void {
    const { line, id, method } = message;
    const raw = line.slice(id.start, id.end);
    const agentName = session?.agent.name ?? this.client.options.agent.name;
    const sent = connection.forward(line, id, method, (answer) => {
      const changed = hook?.(answer);
      const text =
        changed ??
        (answer.kind === "answered"
          ? splice(answer.line, answer.id, raw)
          : errorLine(raw, agentEnded(agentName, answer, method)));
      this.reply(message, () => text, session);
    });
    this.#port.onCancel(message, (cancel) => {
      connection.send(withRequestId(cancel, String(sent)));
    });
  }

  /** The capabilities of a client, with those that the hub answers in its place. */
  #withCapabilities(message: ClientRequest): ClientRequest {
    const { capabilities } = this.hub.options;
    const { params } = message;
    if (!capabilities || params["protocolVersion"] !== 1) return message;
    const changed = capabilities(asObject(params["clientCapabilities"]));
    return withParams(message, { ...params, clientCapabilities: changed });
  }

  #named(sessionId: string): HubSession | undefined {
    return this.attached.get(sessionId) ?? this.#agent?.sessions.get(sessionId);
  }

  /** Whether a session that this client's agent does not have open may be one of the client's. */
  #mayName(sessionId: string): boolean {
    const { owners } = this.hub.options;
    const { owner, options } = this.client;
    if (owners && owners.ownerOf(sessionId) !== owner) return false;
    // Another process of the agent may have it open.
    const open = this.hub.sessions.find(
      ({ id, agent }) =>
        id === sessionId && agent.owner === owner && agent.name === options.agent.name,
    );
    return !open || sessionAccess(options, open.info, "own") === "granted";
  }

  /** Attaches the client to a session of its agent that it names for the first time. */
  #joined(session: HubSession): HubSession {
    const { client } = this;
    const { id, hasLog, isAlone } = session;
    if (this.attached.has(id) || (!hasLog && !isAlone)) return session;
    session.attach(client, "controller", { isExtended: client.isExtended });
    this.attached.set(id, session);
    return session;
  }

  #cancelTurn(message: ClientNotification, session: HubSession | undefined): void {
    // A client whose prompt waits means that one, not the turn of another client.
    if (session?.prompts.cancel(this.client.number)) return;
    const connection = session ? session.agent.current : this.#agent?.current;
    connection?.send(message.line);
    session?.cancelling();
  }

  /** Keeps the parts of some answers that the hub needs later. */
  #hookFor(message: ClientRequest, session: HubSession | undefined): AnswerHook | undefined {
    const { method, params } = message;
    switch (method) {
      case "session/list":
        return this.hub.options.owners && ((answer) => this.#ownSessions(answer, message));
      case "session/close":
      case "session/delete":
        return onResult(() => this.#closed(method, params, session));
      case "session/set_mode":
        return onResult(() => {
          if (session) session.record.settings.modeId = stringField(params, "modeId");
        });
      case "session/set_model":
        return onResult(() => {
          if (session) session.record.settings.modelId = stringField(params, "modelId");
        });
      case "session/set_config_option":
        return onResult((result) => {
          session?.record.settings.config.set(stringField(params, "configId") ?? "", params);
          session?.record.keepOptions(result["configOptions"]);
        });
      default:
        return undefined;
    }
  }

  #closed(method: string, params: JsonObject, session: HubSession | undefined): void {
    const sessionId = stringField(params, "sessionId") ?? "";
    if (method === "session/delete") this.hub.options.owners?.remove(sessionId);
    if (!session) return;
    this.attached.delete(sessionId);
    this.#agent?.forget(session);
  }

  /** Agents list the sessions of all owners. */
  #ownSessions(answer: AgentAnswer, message: ClientRequest): string | undefined {
    const { owners } = this.hub.options;
    const result = answer.kind === "answered" ? memberSpan(answer.line, "result") : undefined;
    if (answer.kind !== "answered" || !result || !owners) return undefined;
    const value = asObject(JSON.parse(answer.line.slice(result.start, result.end)));
    const all = Array.isArray(value["sessions"]) ? value["sessions"] : [];
    const sessions = all.filter(
      (item) =>
        owners.ownerOf(stringField(asObject(item), "sessionId") ?? "") === this.client.owner,
    );
    const line = splice(answer.line, result, JSON.stringify({ ...value, sessions }));
    const id = memberSpan(line, "id");
    return id && splice(line, id, message.line.slice(message.id.start, message.id.end));
  }
}

/** Calls `work` with the result of a successful answer, which passes unchanged. */
function onResult(work: (result: JsonObject) => void): AnswerHook {
  return (answer) => {
    if (answer.kind !== "answered") return undefined;
    try {
      work(resultOf(answer.line));
    } catch {
      // The agent answered with an error, so nothing changed.
    }
    return undefined;
  };
}

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

/** Sends a prompt once it is its turn. A prompt is sent at most once, however often the agent ends. */
export function sendPrompt(
  relay: ClientRelay,
  session: HubSession,
  message: ClientRequest,
): void | Promise<void> {
  if (session.agent.version >= 2) {
    const target = session.ready();
    if (!isThenable(target)) return relay.send(target, message, session);
    return target.then((connection) => relay.send(connection, message, session));
  }
  return session.prompts.add({
    client: relay.client.number,
    reply: (line) => relay.reply(message, line, session),
    start: () => startTurn(relay, session, message),
  });
}

function startTurn(
  relay: ClientRelay,
  session: HubSession,
  message: ClientRequest,
): void | Promise<void> {
  const { client, hub } = relay;
  const prompt: RunningPrompt = {
    client: client.number,
    by: client.owner,
    startedAt: Date.now(),
  };
  session.prompts.started(prompt);
  session.turnStarted();
  const { name: agent, owner } = session.agent;
  const at = { agent, owner, sessionId: session.id };
  hub.emit({ type: "turn_started", ...at, by: client.owner });
  const ended = (outcome: TurnOutcome): void => {
    session.prompts.ended(prompt);
    const { sessionId } = at;
    if (session.hasLog) {
      const end = notificationLine(ATTACH_METHODS.turnEnded, { sessionId, ...outcome });
      session.publish(end, "extension", client.number);
    }
    session.turnEnded();
    const name = "stopReason" in outcome ? String(outcome.stopReason) : "error";
    hub.emit({ type: "turn_ended", ...at, outcome: name, ms: Date.now() - prompt.startedAt });
  };
  const send = (connection: AgentLink): void => {
    showToOthers(session, message, client.number);
    relay.send(connection, message, session, (answer) => {
      const wasCancelled = session.isCancelling;
      ended(outcomeOf(answer));
      return orderlyEnd(answer, wasCancelled, message);
    });
  };
  const fail = (error: unknown): void => {
    ended({ error: errorObject(error) });
    relay.reply(message, (id) => errorLine(id, error), session);
  };
  const target = session.ready();
  return isThenable(target) ? target.then(send, fail) : send(target);
}

type TurnOutcome = { readonly stopReason: unknown } | { readonly error: object };

function outcomeOf(answer: AgentAnswer): TurnOutcome {
  if (answer.kind === "ended")
    return { error: { code: HUB_CODES.outcomeUnknown, message: "The agent ended" } };
  try {
    return { stopReason: resultOf(answer.line)["stopReason"] };
  } catch (error) {
    return { error: errorObject(error) };
  }
}

/** A turn that was cancelled ends as cancelled, although the agent had to be ended for it. */
function orderlyEnd(
  answer: AgentAnswer,
  wasCancelled: boolean,
  { line, id }: ClientRequest,
): string | undefined {
  if (answer.kind !== "ended" || !wasCancelled || answer.cause !== "ignored_cancel")
    return undefined;
  return resultLine(line.slice(id.start, id.end), { stopReason: "cancelled" });
}

/** The other clients of the session see what was asked. */
function showToOthers(session: HubSession, { params }: ClientRequest, asker: number): void {
  if (!session.hasLog) return;
  for (const content of objectsField(asObject(params), "prompt")) {
    const update = { sessionUpdate: "user_message_chunk", content };
    session.publish(
      notificationLine("session/update", { sessionId: session.id, update }),
      "all",
      asker,
    );
  }
}

/** The hub, as the sessions of a client see it. */
export interface SessionHub extends PortHub {
  readonly options: HubOptions;
  /** All sessions of all agents. */
  readonly sessions: readonly HubSession[];
  /** The agent for a client with this `initialize`, which is started if there is none yet. */
  agentFor(client: ServedClient, initialize: ClientRequest): HostedAgent;
}

/** Sees the answer of an agent before the client does. Returns the line for the client if it is another. */
export type AnswerHook = (answer: AgentAnswer) => string | undefined;

/** Relays the requests of one client to its agents. */
export interface ClientRelay extends Pick<BackendPort, "client"> {
  readonly hub: SessionHub;
  /** The sessions that the client is attached to. */
  readonly attached: Map<string, HubSession>;
  /** Answers the client, after all earlier messages of the session. */
  reply(message: ClientRequest, line: (id: string) => string, session?: HubSession): void;
  /** Sends a request to the agent, and its answer to the client. */
  send(
    connection: AgentLink,
    message: ClientRequest,
    session?: HubSession,
    hook?: AnswerHook,
  ): void;
}
