import {
  type PortAttachment,
  type BackendPort,
  type BackendTraits,
  type ClientNotification,
  type ClientRequest,
  type ClientRole,
  type HubOptions,
  type HubSessionInfo,
  type LineTarget,
  type PortHub,
  type PortSession,
  resultLine,
  type ServedClient,
  type SessionBackend,
  unknownSession,
} from "../../hub/index.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  type JsonObject,
  objectsField,
  randomId,
  stringField,
  stringsField,
} from "../../../base/index.ts";
import { type FleetClient, fleetClient } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { isFleetError } from "../errors.ts";
import { type FleetJobs, fleetJobs } from "../jobs/client.ts";
import type { FleetSession } from "../session/record.ts";
import { FleetAttachment } from "./attachment.ts";
import {
  clientError,
  agentDescription,
  type PoolAgents,
  mcpServersOf,
  isJob,
  sessionInfo,
} from "./shown.ts";
import { handleJobRequest, isJobMethod } from "./job-requests.ts";

/** The key of `_meta` with which a client names a prompt, so that it can send it again without a second run. */
const PROMPT_ID_META = "dragoman/promptId";

const TRAITS: BackendTraits = {
  info: { name: "dragoman-gateway", title: "Dragoman gateway", version: "1" },
  draining: "The gateway is about to end: connect to another one",
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
  readonly #port: BackendPort;
  readonly #client: ServedClient;
  readonly #deps: GatewayDeps;
  readonly #fleet: FleetClient;
  readonly #jobs: FleetJobs;
  readonly #attached = new Map<string, FleetAttachment>();
  isInitialized = false;

  constructor(port: BackendPort, deps: GatewayDeps) {
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
      throw isFleetError(error, "invalid") ? unknownSession(sessionId) : error;
    });
    return this.#session(record);
  }

  roleIn({ id }: GatewaySession): ClientRole | undefined {
    return this.#attached.get(id)?.role;
  }

  shown({ record }: GatewaySession): HubSessionInfo {
    return sessionInfo(record, this.#attached.get(record.id)?.role);
  }

  async attach(
    { id, record }: GatewaySession,
    role: ClientRole,
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

  async notify({ method }: ClientNotification, session: GatewaySession | undefined): Promise<void> {
    const isAttached = session && this.#attached.has(session.id);
    if (method === "session/cancel" && isAttached) await this.#fleet.cancel(session.id);
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
        .filter(({ id, info }) => info.agent === agent && !isJob({ id }))
        .map(({ id, info }) => ({ sessionId: id, cwd: info.cwd })),
    };
  }

  /** Follows a session, in place of an earlier time. */
  #attach(
    session: string,
    from: { readonly after: number; readonly last: number; readonly role?: ClientRole },
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
      failed: () => this.#client.cut(),
    });
    this.#attached.set(session, attachment);
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
