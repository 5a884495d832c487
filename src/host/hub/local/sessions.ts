import { RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  isJsonObject,
  isThenable,
  type JsonObject,
  stringField,
} from "../../../base/index.ts";
import { sessionAccess } from "../access.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import { type AgentAnswer, type AgentLink, resultOf } from "../agent/link.ts";
import type {
  PortAttachment,
  BackendPort,
  BackendTraits,
  LineTarget,
  SessionBackend,
} from "../client/backend.ts";
import { OPEN_METHODS } from "../client/port.ts";
import type {
  ClientNotification,
  ClientRequest,
  Congestion,
  ServedClient,
} from "../client/served-client.ts";
import { agentEnded, notAllowed, unknownSession } from "../errors.ts";
import { withRequestId } from "../json/cancel.ts";
import { withParams } from "../json/message.ts";
import { memberSpan, splice } from "../json/span.ts";
import { errorLine, resultLine } from "../json/write.ts";
import type { ClientRole, HubOptions, HubSessionInfo } from "../options.ts";
import type { HubSession } from "../session/session.ts";
import { openSession } from "./open-session.ts";
import { sendPrompt } from "./prompt.ts";
import type { AnswerHook, ClientRelay, SessionHub } from "./relay.ts";

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
