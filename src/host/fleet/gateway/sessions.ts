import type { SessionRole } from "../../../transport/remote/index.ts";
import {
  Attachment,
  type ClientPort,
  type BackendTraits,
  type ClientNotification,
  type ClientRequest,
  type HubOptions,
  type HubSessionInfo,
  type LineTarget,
  memberSpan,
  notificationLine,
  agentRequestOutcome,
  type PortAttachment,
  type PortHub,
  type PortSession,
  type QuestionEnd,
  Questions,
  requestLine,
  resultLine,
  type ServedClient,
  type SessionBackend,
  unattendedAnswer,
  unknownSession,
  type Withdraw,
  checkHubMcpServers,
} from "../../hub/index.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  deferred,
  type Deferred,
  type JsonObject,
  objectsField,
  quiet,
  randomId,
  stringField,
  stringsField,
} from "../../../base/index.ts";
import { type FleetClient, fleetClient, type FollowedEntry } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { isFleetError } from "../errors.ts";
import { type FleetJobs, fleetJobs } from "../jobs/client.ts";
import type { FleetSession } from "../session/record.ts";
import { agentDescription, clientError, type PoolAgents, sessionInfo } from "./shown.ts";
import { handleJobRequest, isJobMethod } from "./job-requests.ts";
import { ATTACH_METHODS } from "../../../client/index.ts";
import type { FleetEntry, LoggedTurnEnd } from "../session/entries.ts";
import { isJobSession } from "../jobs/job.ts";

/** The key of `_meta` with which a client names a prompt, so that it can send it again without a second run. */
const PROMPT_ID_META = "dragoman/promptId";

const TRAITS: BackendTraits = {
  info: { name: "dragoman-gateway", title: "Dragoman gateway", version: "1" },
  draining: "The gateway is about to end: connect to another one",
  initializesFirst: true,
  // A copy that the agent makes would be unknown to the fleet.
  opens: new Set(["session/new", "session/load", "session/resume"]),
  opensIn: new Set(["session/new"]),
  isShared: true,
  isStrict: true,
  lowersRoles: true,
  isConcurrent: true,
};

export interface GatewayDeps extends PortHub {
  readonly engine: FleetEngine;
  readonly pool: string;
  readonly agents: PoolAgents;
  readonly options: HubOptions;
  settled(): void;
}

export interface GatewaySession extends PortSession {
  readonly record: FleetSession;
}

/** The sessions of one client, on the workers of a fleet. */
export class FleetSessions implements SessionBackend<GatewaySession> {
  readonly traits = TRAITS;
  readonly congestion = undefined;
  readonly owner: string;
  readonly #port: ClientPort<GatewaySession>;
  readonly #client: ServedClient;
  readonly #deps: GatewayDeps;
  readonly #fleet: FleetClient;
  readonly #jobs: FleetJobs;
  readonly #attached = new Map<string, FleetAttachment>();
  isInitialized = false;

  constructor(port: ClientPort<GatewaySession>, deps: GatewayDeps) {
    const { tenant, owner } = port.client.options;
    this.owner = tenant ?? owner;
    this.#port = port;
    this.#client = port.client;
    this.#deps = deps;
    this.#fleet = fleetClient(deps.engine, this.owner);
    this.#jobs = fleetJobs(deps.engine, this.owner);
  }

  /** The sessions that the client is attached to. */
  get attached(): ReadonlyMap<string, FleetAttachment> {
    return this.#attached;
  }

  get isBusy(): boolean {
    return [...this.#attached.values()].some(({ isBusy }) => isBusy);
  }

  async initialize(): Promise<string> {
    const described = await this.#deps.agents.describe(this.#client.options.agent.name);
    this.isInitialized = true;
    return resultLine("0", agentDescription(described));
  }

  attachesOnly(): void {
    this.isInitialized = true;
  }

  async all(): Promise<readonly GatewaySession[]> {
    return (await this.#fleet.list()).map((record) => this.#session(record));
  }

  async named(sessionId: string): Promise<readonly GatewaySession[]> {
    return [await this.find(sessionId)];
  }

  async find(sessionId: string): Promise<GatewaySession> {
    const record = await this.#fleet.show(sessionId).catch((error: unknown) => {
      throw isFleetError(error, "session_not_found") ? unknownSession(sessionId) : error;
    });
    return this.#session(record);
  }

  roleIn({ id }: GatewaySession): SessionRole | undefined {
    return this.#attached.get(id)?.role;
  }

  shown({ record }: GatewaySession): HubSessionInfo {
    return sessionInfo(record, this.#attached.get(record.id)?.role);
  }

  async attach(
    { id, record }: GatewaySession,
    role: SessionRole,
    after: number,
  ): Promise<PortAttachment> {
    const { engine } = this.#deps;
    const seq = await engine.log.last(id);
    const attachment = this.#attach(id, { after, last: seq, role });
    await attachment.start();
    // A session that no worker has is only read: opening it would start its agent.
    const holder = await engine.leases.holder(id);
    const opened = holder && (await this.#fleet.open(id).catch(() => undefined));
    const { owner } = this.#client;
    const { agent } = record;
    this.#deps.emit({ type: "client_attached", agent, owner, sessionId: id, by: owner, role });
    return {
      seq,
      first: 1,
      protocolVersion: 1,
      opened: opened ?? attachment.opened ?? {},
      send: (line) => this.#client.send(line),
      ask: () => attachment.ask(),
    };
  }

  detach(sessionId: string): LineTarget | undefined {
    return this.#leave(sessionId) ? this.#client : undefined;
  }

  async open(message: ClientRequest, session: GatewaySession | undefined): Promise<void> {
    if (message.method === "session/new") return this.#create(message);
    const { id, record } = known(session);
    const { method, params } = message;
    if (record.agent !== this.#client.options.agent.name) throw unknownSession(id);
    const opened = await this.#fleet.open(id, { mcpServers: mcpServersOf(params) });
    const last = await this.#deps.engine.log.last(id);
    const attachment = this.#attach(id, { after: method === "session/load" ? 0 : last, last });
    await attachment.start();
    this.#opened(method, id);
    this.#reply(message, opened);
    attachment.ask();
  }

  async prompt(message: ClientRequest, { id: sessionId, record }: GatewaySession): Promise<void> {
    const { owner } = this.#client;
    const attachment = this.#attached.get(sessionId);
    if (!attachment) {
      throw new RpcError(RpcCode.invalidRequest, "Load or attach the session first");
    }
    const { params } = message;
    const id = stringField(asObject(params["_meta"]), PROMPT_ID_META) ?? randomId();
    const at = { agent: record.agent, owner, sessionId };
    this.#deps.emit({ type: "turn_started", ...at, by: owner });
    const startedAt = performance.now();
    this.#port.onCancel(message, () => void this.#fleet.cancel(sessionId).catch(() => {}));
    let outcome = "error";
    try {
      const result = await attachment.prompt(id, objectsField(params, "prompt"));
      outcome = stringField(result, "stopReason") ?? "error";
      this.#reply(message, result);
    } finally {
      const ms = performance.now() - startedAt;
      this.#deps.emit({ type: "turn_ended", ...at, outcome, ms });
      this.#deps.settled();
    }
  }

  async request(message: ClientRequest, session: GatewaySession | undefined): Promise<void> {
    this.#reply(message, await this.#answer(message, session));
  }

  hears({ method, sessionId }: ClientNotification): boolean {
    return method === "session/cancel" && this.#attached.has(sessionId ?? "");
  }

  async notify(_: ClientNotification, session: GatewaySession | undefined): Promise<void> {
    if (session) await this.#fleet.cancel(session.id);
  }

  deleteUnknown(): boolean {
    return false;
  }

  errorFor(error: unknown): unknown {
    return clientError(error);
  }

  left(): void {
    for (const attachment of this.#attached.values()) attachment.close();
  }

  async #create(message: ClientRequest): Promise<void> {
    const { pool } = this.#deps;
    const { method, params } = message;
    const cwd = stringField(params, "cwd");
    if (cwd === undefined) throw RpcError.invalidParams("cwd must be a folder");
    const additionalDirectories = stringsField(params, "additionalDirectories");
    const mcpServers = mcpServersOf(params);
    const agent = this.#client.options.agent.name;
    const folders = { cwd, additionalDirectories };
    const id = await this.#fleet.create({ pool, agent, ...folders, mcpServers });
    let opened: JsonObject;
    try {
      opened = await this.#fleet.open(id);
    } catch (error) {
      await this.#fleet.remove(id).catch(() => {});
      throw error;
    }
    const attachment = this.#attach(id, { after: 0, last: 0 });
    this.#opened(method, id);
    // The client must know the session before it receives its first update.
    this.#reply(message, { sessionId: id, ...opened });
    void attachment.start();
    attachment.ask();
  }

  async #answer(
    { method, params }: ClientRequest,
    session: GatewaySession | undefined,
  ): Promise<unknown> {
    if (isJobMethod(method)) return handleJobRequest(this.#jobDeps(), method, params);
    switch (method) {
      case "session/list":
        return this.#list();
      case "session/close":
      case "session/delete": {
        const { id } = known(session);
        this.#leave(id);
        await (method === "session/close" ? this.#fleet.release(id) : this.#fleet.remove(id));
        return {};
      }
      default: {
        if (params["sessionId"] === undefined) throw RpcError.methodNotFound(method);
        const { sessionId: _own, ...rest } = params;
        return this.#fleet.request(known(session).id, method, rest);
      }
    }
  }

  async #list(): Promise<JsonObject> {
    const agent = this.#client.options.agent.name;
    const visible = await this.#port.visible();
    return {
      sessions: visible
        .filter(({ id, info }) => info.agent === agent && !isJobSession({ id }))
        .map(({ id, info }) => ({ sessionId: id, cwd: info.cwd })),
    };
  }

  /** Follows a session, in place of an earlier time. */
  #attach(
    session: string,
    from: { readonly after: number; readonly last: number; readonly role?: SessionRole },
  ): FleetAttachment {
    const { role = this.#client.options.role ?? "controller", after, last } = from;
    this.#leave(session);
    const { maxSessions = Number.POSITIVE_INFINITY } = this.#deps.options.limits ?? {};
    if (this.#attached.size >= maxSessions) {
      const message = `Too many sessions are open: at most ${maxSessions}`;
      throw new RpcError(RpcCode.invalidRequest, message);
    }
    const attachment = new FleetAttachment(this.#client, {
      fleet: this.#fleet,
      session,
      role,
      after,
      last,
    });
    this.#attached.set(session, attachment);
    // The client may have left while the session was being opened.
    if (this.#client.isClosed) attachment.close();
    return attachment;
  }

  #leave(session: string): boolean {
    this.#attached.get(session)?.close();
    return this.#attached.delete(session);
  }

  #session(record: FleetSession): GatewaySession {
    return { id: record.id, record, info: sessionInfo(record, undefined) };
  }

  #jobDeps() {
    const { engine, pool } = this.#deps;
    return {
      engine,
      pool,
      client: this.#client.options,
      jobs: this.#jobs,
      fleet: this.#fleet,
      checkFolder: async (cwd: string) => {
        const checked = await this.#port.checkOpen("session/new", { cwd });
        return stringField(checked, "cwd") ?? cwd;
      },
    };
  }

  #reply(message: ClientRequest, result: unknown): void {
    this.#port.reply(message, (id) => resultLine(id, result));
  }

  #opened(method: string, sessionId: string): void {
    const agent = this.#client.options.agent.name;
    this.#deps.emit({
      type: "session_opened",
      agent,
      owner: this.#client.owner,
      sessionId,
      method,
    });
  }
}

/** The session of a request that needs one. Throws RpcError if it names none. */
function known(session: GatewaySession | undefined): GatewaySession {
  if (session) return session;
  throw unknownSession("");
}

type LoggedQuestion = Extract<FleetEntry, { type: "question" }>;

interface FollowedSession {
  readonly fleet: FleetClient;
  readonly session: string;
  readonly role: SessionRole;
  readonly after: number;
  /** The last position that is a replay. Questions before it are only asked if they are open still. */
  readonly last: number;
}

/** A client of a fleet's session. It gets the log at its own pace, and its answers go to the owner. */
export class FleetAttachment {
  readonly role: SessionRole;
  readonly #client: ServedClient;
  readonly #followed: FollowedSession;
  readonly #lines: Attachment;
  readonly #end = new AbortController();
  readonly #live = deferred();
  /** The prompts of this client that have not ended. */
  readonly #prompts = new Map<string, Deferred<JsonObject>>();
  /** Questions of the replay, until the client is asked those of them that are open. */
  readonly #unasked = new Map<string, LoggedQuestion>();
  readonly #questions = new Questions();
  readonly #withdraw = new Map<string, Withdraw>();
  #isAsking = false;
  /** The agent's answer to the request that opened the session, as far as it was read. */
  opened: JsonObject | undefined;

  constructor(client: ServedClient, followed: FollowedSession) {
    const { role, after } = followed;
    const { isExtended } = client;
    this.role = role;
    this.#client = client;
    this.#followed = followed;
    this.#lines = new Attachment(client, role, { isExtended, log: undefined, next: after + 1 });
  }

  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  /** Starts to send. Resolves when the replay has been sent. */
  start(): Promise<void> {
    void this.#run();
    return this.#live.promise;
  }

  /** Asks the client what is open, from the replay and from now on. */
  ask(): void {
    this.#isAsking = true;
    for (const question of this.#unasked.values()) this.#ask(question);
    this.#unasked.clear();
  }

  /** Sends a prompt, and resolves with the agent's answer after everything that came before it. */
  async prompt(id: string, prompt: readonly JsonObject[]): Promise<JsonObject> {
    const { fleet, session } = this.#followed;
    const ended = this.#prompts.get(id) ?? deferred<JsonObject>();
    void quiet(ended.promise);
    this.#prompts.set(id, ended);
    try {
      const isNew = await fleet.prompt(session, { id, by: this.#client.owner, prompt });
      const earlier = isNew ? undefined : await this.#endOf(id);
      if (earlier) settle(ended, earlier);
      return await ended.promise;
    } finally {
      this.#prompts.delete(id);
    }
  }

  /** The end of a prompt that another connection sent, if it is in the log. */
  async #endOf(id: string): Promise<LoggedTurnEnd | undefined> {
    const { fleet, session } = this.#followed;
    for await (const { entry } of fleet.read(session)) {
      if (entry.type === "turn_ended" && entry.id === id) return entry;
    }
    return undefined;
  }

  close(): void {
    this.#end.abort();
    this.#live.resolve();
    this.#questions.withdrawAll();
    for (const ended of this.#prompts.values()) ended.reject(new Error("the session was left"));
  }

  async #run(): Promise<void> {
    const { fleet, session, after, last } = this.#followed;
    const { signal } = this.#end;
    try {
      if (after >= last) this.#live.resolve();
      for await (const logged of fleet.read(session, { after, follow: true, signal })) {
        if (signal.aborted) return;
        this.#deliver(logged);
        if (this.#client.isFull) await this.#client.drained;
        if (logged.position >= last) this.#live.resolve();
      }
    } catch {
      // The log cannot be read anymore.
      if (signal.aborted) return;
      this.close();
      this.#client.cut();
    }
  }

  #deliver({ position, entry }: FollowedEntry): void {
    switch (entry.type) {
      case "update":
        return this.#send(position, "session/update", entry.params);
      case "notification":
        return this.#send(position, entry.method, entry.params);
      case "prompt":
        return this.#showPrompt(entry, position);
      case "turn_ended":
        return this.#turnEnded(entry, position);
      case "question":
        if (this.#isAsking) this.#ask(entry);
        else this.#unasked.set(entry.id, entry);
        return undefined;
      case "question_closed":
        this.#unasked.delete(entry.id);
        this.#withdraw.get(entry.id)?.();
        return undefined;
      case "opened":
        this.opened = entry.result;
        return undefined;
      case "takeover":
      case "turn_started":
      case "unknown":
        return undefined;
    }
  }

  /** The client that sent a prompt knows it. */
  #showPrompt({ id, prompt }: Extract<FleetEntry, { type: "prompt" }>, position: number): void {
    if (this.#prompts.has(id)) return;
    for (const content of prompt) {
      const update = { sessionUpdate: "user_message_chunk", content };
      this.#send(position, "session/update", { update });
    }
  }

  #turnEnded(end: LoggedTurnEnd, position: number): void {
    const own = this.#prompts.get(end.id);
    if (own) return settle(own, end);
    const { result, error } = end;
    const outcome = error ? { error } : { stopReason: result?.["stopReason"] };
    this.#send(position, ATTACH_METHODS.turnEnded, outcome, "extension");
  }

  #send(
    seq: number,
    method: string,
    params: JsonObject,
    audience: "all" | "extension" = "all",
  ): void {
    const line = notificationLine(method, { sessionId: this.#followed.session, ...params });
    this.#lines.deliver({ seq, line, audience, except: undefined });
  }

  #ask({ id, method, params }: LoggedQuestion): void {
    if (this.role !== "controller") return;
    const line = requestLine(0, method, { sessionId: this.#followed.session, ...params });
    const span = memberSpan(line, "id") ?? { start: 0, end: 0 };
    const question = {
      line,
      id: span,
      isForAll: true,
      end: (end: QuestionEnd): void => {
        this.#withdraw.delete(id);
        if (end.kind === "answered") this.#answered(id, method, end);
      },
    };
    this.#withdraw.set(id, this.#questions.ask(question, [this.#lines], false));
  }

  #answered(id: string, method: string, end: Extract<QuestionEnd, { kind: "answered" }>): void {
    const outcome = agentRequestOutcome(end.line, end.by);
    const result = outcome.kind === "result" ? asObject(outcome.result) : refusal(method);
    if (!result) return;
    const { fleet, session } = this.#followed;
    // Another client answered first, or the owner is gone and closes the question.
    fleet.answer(session, { id, by: end.by, result }).catch(() => {});
  }
}

/** The answer of a client that cannot answer. Other clients may be able to, but none should give permission. */
function refusal(method: string): JsonObject | undefined {
  return method === "session/request_permission" ? unattendedAnswer(method) : undefined;
}

function settle(prompt: Deferred<JsonObject>, { result, error }: LoggedTurnEnd): void {
  if (error) prompt.reject(new RpcError(error.code, error.message, error.data));
  else prompt.resolve(result ?? {});
}

/** Pure: the MCP servers that a client names, if any. Throws RpcError for unreachable ones. */
function mcpServersOf(params: JsonObject): readonly JsonObject[] | undefined {
  const { mcpServers } = params;
  if (mcpServers === undefined || mcpServers === null) return undefined;
  checkHubMcpServers(mcpServers);
  const servers = objectsField(params, "mcpServers");
  const inClient = servers.findIndex(({ type }) => type === "acp");
  if (inClient === -1) return servers;
  const field = `mcpServers[${inClient}]`;
  const message = `${field} runs in this client, which may leave the session: use http`;
  throw RpcError.invalidParams(message, { field });
}
