import { AGENT_METHODS } from "../../acp/index.ts";
import { ATTACH_META, ATTACH_METHODS, ROOT_META } from "../../client/index.ts";
import { RpcCode, RpcError } from "../../rpc/index.ts";
import {
  asObject,
  isJsonObject,
  isThenable,
  type JsonObject,
  stringField,
} from "../../wire/index.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import { type AgentAnswer, type AgentLink, resultOf } from "../agent/link.ts";
import { checkNames, checkSessionName, sessionAccess, type SessionUse } from "../access.ts";
import { agentEnded, notAllowed, unknownSession } from "../errors.ts";
import { readCancel, withRequestId } from "../json/cancel.ts";
import { asksForSeq, metaFlag } from "../json/seq.ts";
import { memberSpan, splice } from "../json/span.ts";
import { errorLine, resultLine } from "../json/write.ts";
import type { HubSession } from "../session/session.ts";
import type {
  ServedClient,
  ClientNotification,
  ClientRequest,
  ClientRouter,
} from "./served-client.ts";
import { attach, hubInitializeResult, shownInfo, visibleSessions } from "./extension.ts";
import { isOpenMethod, openSession } from "./open-session.ts";
import { sendPrompt } from "./prompt.ts";
import { type AnswerHook, type ClientRelay, type RouterHub, withParams } from "./relay.ts";

/** What the requests of a client do with a session, besides those of the hub. Others control it. */
const USES: Readonly<Record<string, SessionUse | undefined>> = {
  "session/new": "own",
  "session/load": "own",
  "session/resume": "own",
  "session/fork": "own",
  "session/close": "own",
  "session/delete": "own",
  "session/list": "follow",
};

const REQUEST_METHODS: ReadonlySet<string> = new Set(Object.values(AGENT_METHODS));

/** Decides where the messages of one client go. */
export class Router implements ClientRouter, ClientRelay {
  readonly client: ServedClient;
  readonly hub: RouterHub;
  /** The requests that the agent has not answered, by the client's ids. */
  readonly #open = new Map<string, { readonly connection: AgentLink; readonly id: number }>();

  constructor(client: ServedClient, hub: RouterHub) {
    this.client = client;
    this.hub = hub;
    const { owner, role = "controller" } = client.options;
    hub.emit({ type: "client_connected", owner, role });
  }

  request(message: ClientRequest): void | Promise<void> {
    const fail = (error: unknown): void => this.reply(message, (id) => errorLine(id, error));
    try {
      const work = this.#request(message);
      return isThenable(work) ? work.then(undefined, fail) : undefined;
    } catch (error) {
      return fail(error);
    }
  }

  notification(message: ClientNotification): void | Promise<void> {
    if (message.method === "$/cancel_request") return this.#cancelRequest(message.line);
    // Requests are checked, so that the same without an id must not pass.
    if (this.hub.options.checkOpen && isRequestMethod(message.method)) return undefined;
    let session: HubSession | undefined;
    try {
      session = this.#session(message, "control");
    } catch {
      // Nobody waits for an answer.
      return undefined;
    }
    if (message.method === "session/cancel") return this.#cancelTurn(message, session);
    const target = session ? session.ready() : this.client.agent?.ready();
    if (!isThenable(target)) return target?.send(message.line);
    return target.then(
      (connection) => connection.send(message.line),
      () => {},
    );
  }

  left(isLost: boolean): void {
    const { client } = this;
    const graceMs = isLost ? (client.options.graceMs ?? 0) : 0;
    for (const session of client.sessions.values()) session.detach(client, graceMs);
    client.agent?.leave(client);
    this.hub.emit({ type: "client_left", owner: client.owner });
  }

  /** Answers the client, after all earlier messages of the session. */
  reply(message: ClientRequest, line: (id: string) => string, session?: HubSession): void {
    const { start, end } = message.id;
    const text = line(message.line.slice(start, end));
    const attachment = session?.attachment(this.client);
    if (attachment) attachment.send(text);
    else this.client.send(text);
  }

  /** Sends a request to the agent, and its answer to the client. */
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
      this.#open.delete(raw);
      const changed = hook?.(answer);
      const text =
        changed ??
        (answer.kind === "answered"
          ? splice(answer.line, answer.id, raw)
          : errorLine(raw, agentEnded(agentName, answer, method)));
      this.reply(message, () => text, session);
    });
    this.#open.set(raw, { connection, id: sent });
  }

  /**
   * The session that a message names, if the client may use it so. Undefined if it is not open. Throws
   * RpcError if the client may not.
   */
  #session(
    { method, params = {}, sessionId }: ClientRequest | ClientNotification,
    use: SessionUse,
  ): HubSession | undefined {
    if (this.hub.options.checkOpen) checkNames(method, params);
    else checkSessionName(params);
    const { options } = this.client;
    if (options.role === "observer" && use !== "follow") this.#refuseObserver(method);
    if (sessionId === undefined) return undefined;
    const session = this.#sessionNamed(sessionId);
    if (!session) {
      if (!this.#mayName(sessionId)) throw unknownSession(sessionId);
      return undefined;
    }
    const role = session.attachment(this.client)?.role;
    switch (sessionAccess(options, session.info, use, role)) {
      case "granted":
        return use === "control" ? this.#joined(session) : session;
      case "observer":
        return this.#refuseObserver(method);
      case "unknown":
        throw unknownSession(sessionId);
    }
  }

  #refuseObserver(method: string): never {
    this.refuse(method, `An observer may not send ${method}`);
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

  /** Reports and refuses something that the client may not do. */
  refuse(method: string, message: string): never {
    this.hub.emit({ type: "refused", owner: this.client.owner, method, message });
    throw notAllowed(message);
  }

  #request(message: ClientRequest): void | Promise<void> {
    const { client, hub } = this;
    const { method } = message;
    switch (method) {
      case "initialize":
        return this.#initialize(message);
      case ATTACH_METHODS.list: {
        const sessions = visibleSessions(hub.sessions, client).map((shown) =>
          shownInfo(shown, hub),
        );
        return this.reply(message, (id) => resultLine(id, { sessions }));
      }
      case ATTACH_METHODS.attach: {
        const { id: sessionId, agent } = attach(this, message);
        const { role = "controller", owner: by } = client.options;
        const { name, owner } = agent;
        return hub.emit({ type: "client_attached", agent: name, owner, sessionId, by, role });
      }
      case ATTACH_METHODS.detach:
        return this.#detach(message);
    }
    return this.#agentRequest(message);
  }

  #agentRequest(message: ClientRequest): void | Promise<void> {
    const { method } = message;
    const { agent } = this.client;
    const use = USES[method] ?? "control";
    if (agent && method === "session/delete" && this.#isStranger(message.sessionId)) {
      return this.#deleteNothing(message, agent);
    }
    const session = this.#session(message, use);
    if (!agent && !session) {
      throw new RpcError(RpcCode.invalidRequest, "The first request must be initialize");
    }
    if (agent && isOpenMethod(method)) return openSession(this, agent, message);
    if (method === "session/prompt" && session) return sendPrompt(this, session, message);
    const target = session ? session.ready() : agent?.ready();
    const hook = this.#hookFor(message, session);
    if (!isThenable(target)) return target && this.send(target, message, session, hook);
    return target.then((connection) => this.send(connection, message, session, hook));
  }

  #isStranger(sessionId: string | undefined): boolean {
    return sessionId !== undefined && !this.#sessionNamed(sessionId) && !this.#mayName(sessionId);
  }

  /**
   * Deleting a session that does not exist succeeds. To this client, those of other owners do not
   * exist, and the agent must not get their ids.
   */
  #deleteNothing(message: ClientRequest, { version, capabilities }: HostedAgent): void {
    const sessions = asObject(capabilities[version >= 2 ? "session" : "sessionCapabilities"]);
    if (!isJsonObject(sessions["delete"])) throw RpcError.methodNotFound(message.method);
    this.reply(message, (id) => resultLine(id, {}));
  }

  async #initialize(message: ClientRequest): Promise<void> {
    const { client } = this;
    if (client.agent) throw new RpcError(RpcCode.invalidRequest, "Already initialised");
    client.isExtended = asksForSeq(message.line);
    if (metaFlag(message.line, ATTACH_META)) {
      client.isExtended = true;
      return this.reply(message, (id) => resultLine(id, hubInitializeResult(message.params)));
    }
    const agent = this.hub.agentFor(client, this.#withCapabilities(message));
    client.agent = agent;
    agent.join(client);
    try {
      const { line, id } = await agent.initialized();
      const raw = message.line.slice(message.id.start, message.id.end);
      client.send(this.#withMeta(splice(line, id, raw)));
    } catch (error) {
      client.agent = undefined;
      agent.leave(client);
      throw error;
    }
  }

  /** The capabilities of a client, with those that the hub answers in its place. */
  #withCapabilities(message: ClientRequest): ClientRequest {
    const { capabilities } = this.hub.options;
    const { params } = message;
    if (!capabilities || params["protocolVersion"] !== 1) return message;
    const changed = capabilities(asObject(params["clientCapabilities"]));
    return withParams(message, { ...params, clientCapabilities: changed });
  }

  /** A client learns where it may work, and one that wants positions that it can attach. */
  #withMeta(line: string): string {
    const { isExtended, options } = this.client;
    const own = {
      ...(options.root !== undefined && { [ROOT_META]: options.root }),
      ...(isExtended && this.hub.options.log && { [ATTACH_META]: true }),
    };
    if (Object.keys(own).length === 0) return line;
    const result = memberSpan(line, "result");
    if (!result || line[result.start] !== "{") return line;
    const value = asObject(JSON.parse(line.slice(result.start, result.end)));
    const _meta = { ...asObject(value["_meta"]), ...own };
    return splice(line, result, JSON.stringify({ ...value, _meta }));
  }

  #detach(message: ClientRequest): void {
    const sessionId = stringField(message.params, "sessionId") ?? "";
    const session = this.client.sessions.get(sessionId);
    if (!session) throw unknownSession(sessionId);
    this.reply(message, (id) => resultLine(id, {}), session);
    this.client.sessions.delete(sessionId);
    session.detach(this.client, 0);
  }

  /** A session that the client uses already, or that its agent has open. */
  #sessionNamed(sessionId: string): HubSession | undefined {
    const { sessions, agent } = this.client;
    return sessions.get(sessionId) ?? agent?.sessions.get(sessionId);
  }

  /** Attaches the client to a session of its agent that it names for the first time. */
  #joined(session: HubSession): HubSession {
    const { client } = this;
    const { id, hasLog, isAlone } = session;
    if (client.sessions.has(id) || (!hasLog && !isAlone)) return session;
    session.attach(client, "controller", { isExtended: client.isExtended });
    client.sessions.set(id, session);
    return session;
  }

  #cancelRequest(line: string): void {
    const cancel = readCancel(line);
    const open = cancel && this.#open.get(cancel.requestId);
    if (open) open.connection.send(withRequestId(cancel, String(open.id)));
  }

  #cancelTurn(message: ClientNotification, session: HubSession | undefined): void {
    // A client whose prompt waits means that one, not the turn of another client.
    if (session?.prompts.cancel(this.client.number)) return;
    const connection = session ? session.agent.current : this.client.agent?.current;
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
    this.client.sessions.delete(sessionId);
    this.client.agent?.forget(session);
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

/** Whether a method is one of a request, as opposed to `session/cancel` and extensions. */
function isRequestMethod(method: string): boolean {
  if (method === AGENT_METHODS.cancel) return false;
  return method.startsWith("session/") || REQUEST_METHODS.has(method);
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
