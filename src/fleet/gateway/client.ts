import { ATTACH_METHODS } from "../../client/index.ts";
import {
  checkNames,
  type ClientRole,
  HUB_CODES,
  type HubClient,
  type HubClientOptions,
  type HubEvent,
  type HubOptions,
  type HubSessionInfo,
  notAllowed,
  type SessionRight,
  sessionAccess,
  type SessionUse,
  unknownSession,
} from "../../hub/index.ts";
import { Peer, type RequestContext, RpcCode, RpcError } from "../../rpc/index.ts";
import {
  asObject,
  type Channel,
  immediately,
  type JsonObject,
  numberField,
  objectsField,
  randomId,
  stringField,
  stringsField,
} from "../../wire/index.ts";
import { type FleetClient, fleetClient } from "../client.ts";
import type { FleetEngine } from "../engine.ts";
import { isFleetError } from "../errors.ts";
import { type FleetJobs, fleetJobs } from "../jobs/client.ts";
import type { FleetSession } from "../session/record.ts";
import { clientError } from "./errors.ts";
import { type FollowingClient, SessionFollower } from "./follower.ts";
import {
  agentDescription,
  gatewayDescription,
  onlyAttaches,
  type PoolAgents,
  wantsPositions,
} from "./initialize.ts";
import { mcpServersOf } from "./mcp-servers.ts";
import { handleJobRequest, isJobMethod } from "./job-requests.ts";
import { isJob, sessionInfo, shownFolder } from "./shown.ts";

/** The key of `_meta` with which a client names a prompt, so that it can send it again without a second run. */
const PROMPT_ID_META = "dragoman/promptId";

/** The methods that an observer may call. */
const OBSERVER_METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "session/list",
  ...Object.values(ATTACH_METHODS),
]);

/** The parts of a gateway that its clients need. */
export interface GatewayDeps {
  readonly engine: FleetEngine;
  readonly pool: string;
  readonly agents: PoolAgents;
  readonly options: HubOptions;
  /** Whether the gateway is about to end. */
  isDraining(): boolean;
  emit(event: HubEvent): void;
  /** Called when a prompt has ended. */
  settled(): void;
}

/** One client of a gateway. It speaks ACP, and everything that it asks for is done by the fleet. */
export class GatewayClient implements HubClient, FollowingClient {
  readonly peer: Peer;
  readonly fleet: FleetClient;
  readonly jobs: FleetJobs;
  readonly closed: Promise<void>;
  readonly #deps: GatewayDeps;
  readonly #options: HubClientOptions;
  readonly #followers = new Map<string, SessionFollower>();
  #isInitialized = false;
  isExtended = false;

  constructor(deps: GatewayDeps, channel: Channel, options: HubClientOptions) {
    this.#deps = deps;
    this.#options = options;
    const tenant = options.tenant ?? options.owner;
    this.fleet = fleetClient(deps.engine, tenant);
    this.jobs = fleetJobs(deps.engine, tenant);
    const { owner, role = "controller" } = options;
    deps.emit({ type: "client_connected", owner, role });
    this.peer = new Peer(channel, {
      malformed: "answer",
      handlers: {
        request: (method, params, context) => this.#request(method, asObject(params), context),
        notification: (method, params) => this.#notified(method, asObject(params)),
      },
    });
    this.closed = this.peer.closed.then(() => {
      for (const follower of this.#followers.values()) follower.close();
      deps.emit({ type: "client_left", owner });
    });
  }

  get owner(): string {
    return this.#options.owner;
  }

  /** How many prompts of the client are running. */
  get running(): number {
    return [...this.#followers.values()].filter(({ isBusy }) => isBusy).length;
  }

  /** The sessions that the client follows. */
  get sessions(): readonly (readonly [string, SessionFollower])[] {
    return [...this.#followers];
  }

  async close(): Promise<void> {
    await this.peer.close();
    await this.closed;
  }

  async #request(method: string, params: JsonObject, context: RequestContext): Promise<unknown> {
    try {
      checkNames(method, params);
      if (this.#options.role === "observer" && !OBSERVER_METHODS.has(method)) {
        this.#refuseObserver(method);
      }
      if (method === "initialize") return await this.#initialize(params);
      if (!this.#isInitialized) {
        throw new RpcError(RpcCode.invalidRequest, "The first request must be initialize");
      }
      if (isJobMethod(method)) return await handleJobRequest(this.#jobDeps(), method, params);
      return await this.#route(method, params, context);
    } catch (error) {
      throw clientError(error);
    }
  }

  #route(method: string, params: JsonObject, context: RequestContext): Promise<unknown> {
    switch (method) {
      case "session/new":
        return this.#new(params);
      case "session/load":
      case "session/resume":
        return this.#open(method, params);
      case "session/list":
        return this.#list();
      case "session/prompt":
        return this.#prompt(params, context);
      case "session/close":
        return this.#end(method, params, "own", (session) => this.fleet.release(session));
      case "session/delete":
        return this.#end(method, params, "own", (session) => this.fleet.remove(session));
      case "session/fork":
        // The agent would open a session unknown to the fleet.
        throw RpcError.methodNotFound(method);
      case ATTACH_METHODS.list:
        return this.#shared();
      case ATTACH_METHODS.attach:
        return this.#attach(params);
      case ATTACH_METHODS.detach:
        return this.#end(method, params, "follow", () => Promise.resolve());
      default:
        return this.#other(method, params);
    }
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    if (this.#isInitialized) throw new RpcError(RpcCode.invalidRequest, "Already initialised");
    this.isExtended = wantsPositions(params);
    const result = onlyAttaches(params)
      ? gatewayDescription()
      : agentDescription(await this.#deps.agents.describe(this.#options.agent.name), {
          isExtended: this.isExtended,
          root: this.#options.root,
        });
    this.#isInitialized = true;
    return result;
  }

  async #new(received: JsonObject): Promise<JsonObject> {
    const { pool } = this.#deps;
    const folders = await this.#checked("session/new", received);
    const agent = this.#options.agent.name;
    const mcpServers = mcpServersOf(received);
    const id = await this.fleet.create({ pool, agent, ...folders, mcpServers });
    let opened: JsonObject;
    try {
      opened = await this.fleet.open(id);
    } catch (error) {
      await this.fleet.remove(id).catch(() => {});
      throw error;
    }
    const follower = await this.#follow(id, { after: 0, last: 0 });
    // The client must know the session before it receives its first update.
    immediately(() => follower.start());
    this.#opened("session/new", id);
    return { sessionId: id, ...opened };
  }

  async #open(method: "session/load" | "session/resume", params: JsonObject): Promise<JsonObject> {
    const { id, agent } = await this.#session(method, params, "own");
    if (agent !== this.#options.agent.name) throw unknownSession(id);
    const opened = await this.fleet.open(id, { mcpServers: mcpServersOf(params) });
    const last = await this.#deps.engine.log.last(id);
    const follower = await this.#follow(id, { after: method === "session/load" ? 0 : last, last });
    follower.start();
    await follower.live;
    this.#opened(method, id);
    return opened;
  }

  async #list(): Promise<JsonObject> {
    const sessions = await this.#visibleSessions();
    const agent = this.#options.agent.name;
    return {
      sessions: sessions
        .filter((session) => session.agent === agent && !isJob(session))
        .map(({ id, cwd }) => ({ sessionId: id, cwd: shownFolder(cwd) })),
    };
  }

  async #prompt(params: JsonObject, { signal }: RequestContext): Promise<JsonObject> {
    if (this.#deps.isDraining()) {
      throw new RpcError(HUB_CODES.draining, "The gateway is about to end: connect to another one");
    }
    const { id: session, agent } = await this.#session("session/prompt", params, "control");
    const follower = this.#followers.get(session);
    if (!follower) throw new RpcError(RpcCode.invalidRequest, "Load or attach the session first");
    const id = stringField(asObject(params["_meta"]), PROMPT_ID_META) ?? randomId();
    const at = { agent, owner: this.owner, sessionId: session };
    this.#deps.emit({ type: "turn_started", ...at, by: this.owner });
    const startedAt = performance.now();
    const cancel = (): void => {
      // A client that is gone may be back elsewhere, so only a request to cancel counts.
      if (!this.peer.closeReason) this.fleet.cancel(session).catch(() => {});
    };
    signal.addEventListener("abort", cancel, { once: true });
    let outcome = "error";
    try {
      const result = await follower.prompt(id, objectsField(params, "prompt"));
      outcome = stringField(result, "stopReason") ?? "error";
      return result;
    } finally {
      signal.removeEventListener("abort", cancel);
      const ms = performance.now() - startedAt;
      this.#deps.emit({ type: "turn_ended", ...at, outcome, ms });
      this.#deps.settled();
    }
  }

  async #end(
    method: string,
    params: JsonObject,
    use: SessionUse,
    end: (session: string) => Promise<void>,
  ): Promise<JsonObject> {
    const { id } = await this.#session(method, params, use);
    this.#leave(id);
    await end(id);
    return {};
  }

  /** Any other request about a session goes to its agent. */
  async #other(method: string, params: JsonObject): Promise<unknown> {
    if (params["sessionId"] === undefined) throw RpcError.methodNotFound(method);
    const { id } = await this.#session(method, params, "control");
    const { sessionId: _own, ...rest } = params;
    return this.fleet.request(id, method, rest);
  }

  async #shared(): Promise<JsonObject> {
    const sessions = await this.#visibleSessions();
    return { sessions: sessions.map((session) => this.#info(session)) };
  }

  async #attach(params: JsonObject): Promise<JsonObject> {
    const { engine } = this.#deps;
    const session = await this.#session(ATTACH_METHODS.attach, params, "follow");
    const { id } = session;
    const role = this.#roleOf(params["role"]);
    const after = numberField(params, "after") ?? 0;
    const last = await engine.log.last(id);
    const follower = await this.#follow(id, { after, last, role });
    follower.start();
    await follower.live;
    // A session that no worker has is only read: opening it would start its agent.
    const holder = await engine.leases.holder(id);
    const opened = holder && (await this.fleet.open(id).catch(() => undefined));
    const { agent } = session;
    const by = this.owner;
    this.#deps.emit({ type: "client_attached", agent, owner: by, sessionId: id, by, role });
    return {
      ...this.#info(session),
      role,
      seq: last,
      first: 1,
      protocolVersion: 1,
      opened: opened ?? follower.opened ?? {},
    };
  }

  #notified(method: string, params: JsonObject): void {
    if (this.#options.role === "observer") return;
    const session = stringField(params, "sessionId") ?? "";
    const follower = this.#followers.get(session);
    if (!follower || follower.role === "observer") return;
    if (method === "session/cancel") this.fleet.cancel(session).catch(() => {});
  }

  /** Follows a session, in place of an earlier time. */
  async #follow(
    session: string,
    from: { readonly after: number; readonly last: number; readonly role?: ClientRole },
  ): Promise<SessionFollower> {
    const { role = this.#options.role ?? "controller", after, last } = from;
    this.#leave(session);
    const { maxSessions = Number.POSITIVE_INFINITY } = this.#deps.options.limits ?? {};
    if (this.#followers.size >= maxSessions) {
      const message = `Too many sessions are open: at most ${maxSessions}`;
      throw new RpcError(RpcCode.invalidRequest, message);
    }
    const failed = (): void => void this.peer.close();
    const follower = new SessionFollower(this, { session, role, after, last, failed });
    this.#followers.set(session, follower);
    return follower;
  }

  #leave(session: string): void {
    this.#followers.get(session)?.close();
    this.#followers.delete(session);
  }

  /** The session that a request names, if the client may use it so. Rejects with RpcError. */
  async #session(method: string, params: JsonObject, use: SessionUse): Promise<FleetSession> {
    const id = stringField(params, "sessionId") ?? "";
    const session = await this.fleet.show(id).catch((error: unknown) => {
      if (!isFleetError(error, "invalid")) throw error;
    });
    const access = session ? this.#access(session, use) : "unknown";
    if (!session || access === "unknown") throw unknownSession(id);
    if (access === "observer") this.#refuseObserver(method);
    return session;
  }

  async #visibleSessions(): Promise<readonly FleetSession[]> {
    const all = await this.fleet.list();
    return all.filter((session) => this.#access(session, "follow") === "granted");
  }

  /** Sessions belong to tenants. */
  #access(session: FleetSession, use: SessionUse): SessionRight {
    const { tenant, owner } = this.#options;
    const client = { ...this.#options, owner: tenant ?? owner };
    return sessionAccess(client, this.#info(session), use, this.#followers.get(session.id)?.role);
  }

  #info(session: FleetSession): HubSessionInfo {
    return sessionInfo(session, this.#followers.get(session.id)?.role);
  }

  /** Checks the folders of a new session. Rejects with RpcError. */
  async #checked(method: string, received: JsonObject) {
    const { checkOpen } = this.#deps.options;
    const client = this.#options;
    const params = checkOpen ? await checkOpen({ method, params: received, client }) : received;
    const cwd = stringField(params, "cwd");
    if (cwd === undefined) throw RpcError.invalidParams("cwd must be a folder");
    return { cwd, additionalDirectories: stringsField(params, "additionalDirectories") };
  }

  #jobDeps() {
    const { engine, pool } = this.#deps;
    return {
      engine,
      pool,
      client: this.#options,
      jobs: this.jobs,
      fleet: this.fleet,
      checkFolder: async (cwd: string) => (await this.#checked("session/new", { cwd })).cwd,
    };
  }

  #opened(method: string, sessionId: string): void {
    const agent = this.#options.agent.name;
    this.#deps.emit({ type: "session_opened", agent, owner: this.owner, sessionId, method });
  }

  #roleOf(requested: unknown): ClientRole {
    const most = this.#options.role ?? "controller";
    if (requested === "observer" || most === "observer") return "observer";
    return "controller";
  }

  #refuseObserver(method: string): never {
    const message = `An observer may not send ${method}`;
    this.#deps.emit({ type: "refused", owner: this.owner, method, message });
    throw notAllowed(message);
  }
}
