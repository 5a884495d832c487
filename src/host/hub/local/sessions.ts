import type { SessionRole } from "../../../transport/remote/index.ts";
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
import type { AgentAnswer, AgentLink } from "../agent/link.ts";
import {
  type PortAttachment,
  type ClientPort,
  type BackendTraits,
  type LineTarget,
  type SessionBackend,
  OPEN_METHODS,
  type PortHub,
  whenReady,
} from "../client/port.ts";
import type {
  ClientNotification,
  ClientRequest,
  Congestion,
  ServedClient,
} from "../client/served-client.ts";
import { agentEnded, notAllowed, unknownSession, hubErrorObject, HUB_CODES } from "../errors.ts";
import {
  resultInLine,
  withRequestId,
  errorLine,
  resultLine,
  notificationLine,
} from "../json/rpc-lines.ts";
import { withParams } from "../json/relayed-message.ts";
import type { HubOptions, HubSessionInfo } from "../options.ts";
import type { HubSession } from "../session/session.ts";
import { ATTACH_METHODS } from "../../../client/index.ts";
import { memberSpan, spliceText } from "../json/json-text.ts";

function traitsOf({ log, checkOpen }: HubOptions): BackendTraits {
  return {
    info: { name: "dragoman-hub", title: "Dragoman hub", version: "1" },
    draining: "The hub is about to end and accepts no new turns",
    initializesFirst: false,
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

/** The methods that open a session whose id the client knows. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(["session/load", "session/resume"]);

/** The methods whose answers change the settings of a session. */
const SETTERS: ReadonlySet<string> = new Set([
  "session/set_mode",
  "session/set_model",
  "session/set_config_option",
]);

export interface SessionHub extends PortHub {
  readonly options: HubOptions;
  /** All sessions of all agents. */
  allSessions(): readonly HubSession[];
  /** The agent for a client with this `initialize`, which is started if there is none yet. */
  agentFor(client: ServedClient, initialize: ClientRequest): HostedAgent;
}

/** Sees the answer of an agent before the client does. Returns the line for the client if it is another. */
type AnswerHook = (answer: AgentAnswer) => string | undefined;

type TurnOutcome = { readonly stopReason: unknown } | { readonly error: object };

/** The sessions of one client, in agents that this hub hosts. It relays the text of its messages. */
export class LocalSessions implements SessionBackend<HubSession> {
  readonly traits: BackendTraits;
  readonly owner: string;
  readonly #client: ServedClient;
  readonly #hub: SessionHub;
  readonly #port: ClientPort<HubSession>;
  /** The sessions that the client is attached to. */
  readonly #attached = new Map<string, HubSession>();
  /** The agent of the client's own sessions; undefined before `initialize`. */
  #agent: HostedAgent | undefined;

  constructor(port: ClientPort<HubSession>, hub: SessionHub) {
    this.#port = port;
    this.#client = port.client;
    this.owner = port.client.owner;
    this.#hub = hub;
    this.traits = traitsOf(hub.options);
  }

  get isInitialized(): boolean {
    return this.#agent !== undefined;
  }

  get congestion(): Congestion | undefined {
    return this.#agent?.current?.outlet;
  }

  async initialize(message: ClientRequest): Promise<string> {
    const agent = this.#hub.agentFor(this.#client, this.#withCapabilities(message));
    this.#agent = agent;
    agent.join(this.#client);
    try {
      return await agent.initialized();
    } catch (error) {
      this.#agent = undefined;
      agent.leave(this.#client);
      throw error;
    }
  }

  attachesOnly(): void {}

  all(): readonly HubSession[] {
    return this.#hub.allSessions();
  }

  named(sessionId: string): readonly HubSession[] {
    return this.all().filter(({ id }) => id === sessionId);
  }

  /** A session that the client uses already, or that its agent has open. */
  find(sessionId: string): HubSession | undefined {
    const session = this.#named(sessionId);
    if (!session && !this.#mayName(sessionId)) throw unknownSession(sessionId);
    return session;
  }

  roleIn(session: HubSession): SessionRole | undefined {
    return session.attachment(this.#client)?.role;
  }

  shown({ info }: HubSession): HubSessionInfo {
    const { folderName } = this.#hub.options;
    const shown = (folder: string): string => folderName?.(folder) ?? folder;
    const additionalDirectories = info.additionalDirectories.map(shown);
    return { ...info, cwd: shown(info.cwd), additionalDirectories };
  }

  attach(session: HubSession, role: SessionRole, after: number): PortAttachment {
    if (!session.hasLog) throw notAllowed("This hub does not share sessions");
    session.detach(this.#client, 0);
    const { first, last: seq } = session.positions;
    const attachment = this.#attach(session, role, { isExtended: true, after });
    const { id: sessionId, record } = session;
    const { name: agent, owner, version: protocolVersion } = session.agent;
    const { role: most = "controller", owner: by } = this.#client.options;
    this.#hub.emit({ type: "client_attached", agent, owner, sessionId, by, role: most });
    return {
      seq,
      first,
      protocolVersion,
      opened: record.opened,
      send: (line) => attachment.send(line),
      ask: () => session.ask(attachment),
    };
  }

  detach(sessionId: string): LineTarget | undefined {
    const session = this.#attached.get(sessionId);
    const attachment = session?.attachment(this.#client);
    this.#attached.delete(sessionId);
    session?.detach(this.#client, 0);
    return session && (attachment ?? this.#client);
  }

  open(message: ClientRequest): void | Promise<void> {
    const agent = this.#agent;
    if (!agent) return undefined;
    return KNOWN_METHODS.has(message.method)
      ? this.#openKnown(agent, message)
      : this.#openNew(agent, message);
  }

  /** Sends a prompt once it is its turn. A prompt is sent at most once, however often the agent ends. */
  prompt(message: ClientRequest, known: HubSession): void | Promise<void> {
    const session = this.#joined(known);
    if (session.agent.version >= 2) {
      return whenReady(session.ready(), (link) => this.#send(link, message, session));
    }
    return session.prompts.add({
      client: this.#client.number,
      reply: (line) => this.#reply(message, line, session),
      start: () => this.#startTurn(session, message),
    });
  }

  request(message: ClientRequest, known: HubSession | undefined): void | Promise<void> {
    const session = known && !LEAVES_OUT.has(message.method) ? this.#joined(known) : known;
    const hook = this.#hookFor(message, session);
    return whenReady(
      (session ?? this.#agent)?.ready(),
      (link) => link && this.#send(link, message, session, hook),
    );
  }

  hears(): boolean {
    return true;
  }

  notify(message: ClientNotification, known: HubSession | undefined): void | Promise<void> {
    const session = known && this.#joined(known);
    if (message.method === "session/cancel") return this.#cancelTurn(message, session);
    return whenReady((session ?? this.#agent)?.ready(), (link) => link?.send(message.line));
  }

  /** Deleting an unknown session succeeds. The agent must not get the ids of other owners. */
  deleteUnknown(message: ClientRequest): boolean {
    const { method, sessionId } = message;
    if (!this.#agent || sessionId === undefined) return false;
    const isKnown = this.#named(sessionId) !== undefined || this.#mayName(sessionId);
    if (isKnown) return false;
    const { version, capabilities } = this.#agent;
    const sessions = asObject(capabilities[version >= 2 ? "session" : "sessionCapabilities"]);
    if (!isJsonObject(sessions["delete"])) throw RpcError.methodNotFound(method);
    this.#reply(message, (id) => resultLine(id, {}));
    return true;
  }

  errorFor(error: unknown): unknown {
    return error;
  }

  left(isLost: boolean): void {
    const graceMs = isLost ? (this.#client.options.graceMs ?? 0) : 0;
    for (const session of this.#attached.values()) session.detach(this.#client, graceMs);
    this.#agent?.leave(this.#client);
  }

  #reply(message: ClientRequest, line: (id: string) => string, session?: HubSession): void {
    this.#port.reply(message, line, session?.attachment(this.#client));
  }

  #send(
    connection: AgentLink,
    message: ClientRequest,
    session?: HubSession,
    hook?: AnswerHook,
  ): void {
    const { line, id, method } = message;
    const raw = line.slice(id.start, id.end);
    const agentName = session?.agent.name ?? this.#client.options.agent.name;
    const sent = connection.forward(line, id, method, (answer) => {
      const changed = hook?.(answer);
      const text =
        changed ??
        (answer.kind === "answered"
          ? spliceText(answer.line, answer.id, raw)
          : errorLine(raw, agentEnded(agentName, answer, method)));
      this.#reply(message, () => text, session);
    });
    this.#port.onCancel(message, (cancel) => {
      connection.send(withRequestId(cancel, String(sent)));
    });
  }

  /** The capabilities of a client, with those that the hub answers in its place. */
  #withCapabilities(message: ClientRequest): ClientRequest {
    const { capabilities } = this.#hub.options;
    const { params } = message;
    if (!capabilities || params["protocolVersion"] !== 1) return message;
    const changed = capabilities(asObject(params["clientCapabilities"]));
    return withParams(message, { ...params, clientCapabilities: changed });
  }

  #named(sessionId: string): HubSession | undefined {
    return this.#attached.get(sessionId) ?? this.#agent?.sessions.get(sessionId);
  }

  /** A session of this owner in any process of the client's agent. */
  #live(sessionId: string): HubSession | undefined {
    const { name } = this.#client.options.agent;
    return this.named(sessionId).find(
      ({ agent }) => agent.owner === this.owner && agent.name === name,
    );
  }

  /** Whether a session that this client's agent does not have open may be one of the client's. */
  #mayName(sessionId: string): boolean {
    const { owners } = this.#hub.options;
    if (owners && owners.ownerOf(sessionId) !== this.owner) return false;
    const open = this.#live(sessionId);
    return !open || sessionAccess(this.#client.options, open.info, "own") === "granted";
  }

  #attach(
    session: HubSession,
    role: SessionRole,
    options: Parameters<HubSession["attach"]>[2],
  ): ReturnType<HubSession["attach"]> {
    const attachment = session.attach(this.#client, role, options);
    this.#attached.set(session.id, session);
    return attachment;
  }

  /** Attaches the client to a session of its agent that it names for the first time. */
  #joined(session: HubSession): HubSession {
    const { isExtended } = this.#client;
    const isOpen = session.hasLog || session.isAlone;
    if (isOpen && !this.#attached.has(session.id)) {
      this.#attach(session, "controller", { isExtended });
    }
    return session;
  }

  #join(session: HubSession): void {
    const { isClosed, isExtended, options } = this.#client;
    if (isClosed || session.attachment(this.#client)) return;
    this.#attach(session, options.role ?? "controller", { isExtended });
  }

  #cancelTurn(message: ClientNotification, session: HubSession | undefined): void {
    // A client whose prompt waits means that one, not the turn of another client.
    if (session?.prompts.cancel(this.#client.number)) return;
    const connection = session ? session.agent.current : this.#agent?.current;
    connection?.send(message.line);
    session?.cancelling();
  }

  /** Keeps the parts of some answers that the hub needs later. */
  #hookFor(message: ClientRequest, session: HubSession | undefined): AnswerHook | undefined {
    const { method, params } = message;
    if (method === "session/list") {
      return this.#hub.options.owners && ((answer) => this.#ownSessions(answer, message));
    }
    if (method === "session/close" || method === "session/delete") {
      return onResult(() => this.#closed(method, params, session));
    }
    return session && SETTERS.has(method)
      ? onResult((result) => session.record.wasSet(method, params, result))
      : undefined;
  }

  #closed(method: string, params: JsonObject, session: HubSession | undefined): void {
    const sessionId = stringField(params, "sessionId") ?? "";
    if (method === "session/delete") this.#hub.options.owners?.remove(sessionId);
    if (!session) return;
    this.#attached.delete(sessionId);
    this.#agent?.forget(session);
  }

  /** Agents list the sessions of all owners. */
  #ownSessions(answer: AgentAnswer, message: ClientRequest): string | undefined {
    const { owners } = this.#hub.options;
    const result = answer.kind === "answered" ? memberSpan(answer.line, "result") : undefined;
    if (answer.kind !== "answered" || !result || !owners) return undefined;
    const value = asObject(JSON.parse(answer.line.slice(result.start, result.end)));
    const all = Array.isArray(value["sessions"]) ? value["sessions"] : [];
    const sessions = all.filter(
      (item) => owners.ownerOf(stringField(asObject(item), "sessionId") ?? "") === this.owner,
    );
    const line = spliceText(answer.line, result, JSON.stringify({ ...value, sessions }));
    const id = memberSpan(line, "id");
    return id && spliceText(line, id, message.line.slice(message.id.start, message.id.end));
  }

  async #openNew(agent: HostedAgent, message: ClientRequest): Promise<void> {
    const { method, params, sessionId } = message;
    this.#checkLimit(agent);
    const connection = await agent.ready();
    // A fork works in the folder of its original if it names none.
    const original = sessionId === undefined ? undefined : agent.sessions.get(sessionId);
    const pending: PendingOpen = {
      method,
      params: { ...original?.params, ...params },
      attach: (session) => this.#join(session),
    };
    agent.opening.add(pending);
    agent.usageChanged();
    this.#send(connection, message, undefined, (answer) => {
      agent.opening.delete(pending);
      this.#finish(agent, connection, message, answer);
      agent.usageChanged();
      return undefined;
    });
  }

  /** Shares a session that is open: two processes must not write to one session. */
  async #openKnown(agent: HostedAgent, message: ClientRequest): Promise<void> {
    const { method, params } = message;
    const sessionId = stringField(params, "sessionId") ?? "";
    const live = this.#live(sessionId);
    const isComplete = live?.positions.first === 1;
    if (live?.hasLog && live.isOpen && (isComplete || live.isShared(this.#client))) {
      return this.#share(live, message);
    }
    const isKnown = agent.sessions.has(sessionId);
    if (!isKnown) this.#checkLimit(agent);
    const connection = await agent.ready();
    const session = agent.open({ sessionId, method, params }, connection);
    session.opening(connection);
    this.#join(session);
    this.#send(connection, message, session, (answer) => {
      const isOpen = this.#finish(agent, connection, message, answer);
      if (!isOpen && !isKnown) agent.forget(session);
      return undefined;
    });
  }

  /** Attaches the client to a session that is open, and replays it for `session/load`. */
  #share(session: HubSession, message: ClientRequest): void {
    const { isExtended, options } = this.#client;
    session.detach(this.#client, 0);
    const after = message.method === "session/load" ? 0 : undefined;
    const attachment = this.#attach(session, options.role ?? "controller", { isExtended, after });
    // The answers to load and resume name no session, unlike that to new.
    const { sessionId: _, ...opened } = session.record.opened;
    this.#reply(message, (id) => resultLine(id, opened), session);
    session.ask(attachment);
  }

  /** Keeps a session that the agent opened. Returns false if the agent refused. */
  #finish(
    agent: HostedAgent,
    connection: AgentLink,
    { method, params }: ClientRequest,
    answer: AgentAnswer,
  ): boolean {
    const result = resultIn(answer);
    const sessionId =
      result && (stringField(result, "sessionId") ?? stringField(params, "sessionId"));
    if (sessionId === undefined) return false;
    const session = agent.open({ sessionId, method, params }, connection);
    session.openedWith(connection, result ?? {});
    this.#join(session);
    const { owner } = this;
    this.#hub.options.owners?.add(sessionId, owner);
    this.#hub.emit({ type: "session_opened", agent: agent.name, owner, sessionId, method });
    return true;
  }

  /** Makes room for a session: one that has no client and no turn is closed, the one unused for longest first. */
  #checkLimit(agent: HostedAgent): void {
    const { maxSessions } = agent.limits;
    const own = this.all().filter((session) => session.agent.owner === this.owner);
    if (own.length + agent.opening.size < maxSessions) return;
    const [unused] = own
      .filter((session) => session.isAlone && !session.isBusy)
      .toSorted((one, other) => one.usedAt - other.usedAt);
    if (unused) return unused.agent.discard(unused.id);
    const message = `Too many sessions are open: at most ${maxSessions}`;
    throw new RpcError(RpcCode.invalidRequest, message);
  }

  #startTurn(session: HubSession, message: ClientRequest): void | Promise<void> {
    const { number, owner: by } = this.#client;
    const { id: sessionId, prompts } = session;
    const { name: agent, owner } = session.agent;
    const at = { agent, owner, sessionId };
    const startedAt = Date.now();
    const prompt = { client: number };
    prompts.started(prompt);
    session.turnStarted();
    this.#hub.emit({ type: "turn_started", ...at, by });
    const ended = (outcome: TurnOutcome): void => {
      prompts.ended(prompt);
      if (session.hasLog) {
        const end = notificationLine(ATTACH_METHODS.turnEnded, { sessionId, ...outcome });
        session.publish(end, "extension", number);
      }
      session.turnEnded();
      const name = "stopReason" in outcome ? String(outcome.stopReason) : "error";
      this.#hub.emit({ type: "turn_ended", ...at, outcome: name, ms: Date.now() - startedAt });
    };
    const send = (connection: AgentLink): void => {
      showToOthers(session, message, number);
      this.#send(connection, message, session, (answer) => {
        const wasCancelled = session.isCancelling;
        ended(outcomeOf(answer));
        return wasCancelled ? orderlyEnd(answer, message) : undefined;
      });
    };
    const fail = (error: unknown): void => {
      ended({ error: hubErrorObject(error) });
      this.#reply(message, (id) => errorLine(id, error), session);
    };
    const target = session.ready();
    return isThenable(target) ? target.then(send, fail) : send(target);
  }
}

/** Calls `work` with the result of a successful answer, which passes unchanged. */
function onResult(work: (result: JsonObject) => void): AnswerHook {
  return (answer) => {
    const result = resultIn(answer);
    if (result) work(result);
    return undefined;
  };
}

/** The result of an answer; undefined if the agent refused or ended. */
function resultIn(answer: AgentAnswer): JsonObject | undefined {
  if (answer.kind !== "answered") return undefined;
  try {
    return resultInLine(answer.line);
  } catch {
    return undefined;
  }
}

function outcomeOf(answer: AgentAnswer): TurnOutcome {
  if (answer.kind === "ended")
    return { error: { code: HUB_CODES.outcomeUnknown, message: "The agent ended" } };
  try {
    return { stopReason: resultInLine(answer.line)["stopReason"] };
  } catch (error) {
    return { error: hubErrorObject(error) };
  }
}

/** A turn that was cancelled ends as cancelled, although the agent had to be ended for it. */
function orderlyEnd(answer: AgentAnswer, { line, id }: ClientRequest): string | undefined {
  if (answer.kind !== "ended" || answer.cause !== "ignored_cancel") return undefined;
  return resultLine(line.slice(id.start, id.end), { stopReason: "cancelled" });
}

/** The other clients of the session see what was asked. */
function showToOthers(session: HubSession, { params }: ClientRequest, asker: number): void {
  if (!session.hasLog) return;
  for (const content of objectsField(params, "prompt")) {
    const update = { sessionUpdate: "user_message_chunk", content };
    const line = notificationLine("session/update", { sessionId: session.id, update });
    session.publish(line, "all", asker);
  }
}
