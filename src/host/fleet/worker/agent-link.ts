import { type Hub, type HubAgent, type HubClient, reopenMethod, Replay } from "../../hub/index.ts";
import { Peer, type RequestContext } from "../../../transport/rpc/index.ts";
import { asObject, type JsonObject, quietly, stringField } from "../../../base/index.ts";
import { memoryPair } from "../../../transport/wire/index.ts";
import { FleetError } from "../errors.ts";
import type { FleetSession } from "../session/record.ts";

export interface AgentLinkHandlers {
  notification(method: string, params: JsonObject): void;
  request(method: string, params: JsonObject, context: RequestContext): Promise<JsonObject>;
  closed(): void;
}

export interface OpenedByAgent {
  readonly agentSessionId: string;
  readonly method: string;
  readonly result: JsonObject;
}

/** The agent of one session. A process that is shared could not be ended with one of its sessions. */
export class FleetSessionAgent implements HubAgent {
  readonly name: string;
  readonly key: string;
  readonly session: string;
  readonly open: HubAgent["open"];

  constructor(agent: HubAgent, session: string) {
    this.name = agent.name;
    this.key = JSON.stringify([agent.key, session]);
    this.session = session;
    this.open = () => agent.open();
  }
}

/** The connection of one session to its agent, through a hub. */
export class SessionAgentLink {
  readonly peer: Peer;
  readonly #client: HubClient;
  readonly #handlers: AgentLinkHandlers;
  /** Set while the agent repeats what the log has already. */
  #replay: Replay | undefined;

  constructor(
    hub: Hub,
    agent: HubAgent,
    session: Pick<FleetSession, "id" | "tenant">,
    handlers: AgentLinkHandlers,
  ) {
    this.#handlers = handlers;
    const [near, far] = memoryPair();
    const own = new FleetSessionAgent(agent, session.id);
    this.#client = hub.serve(far, { agent: own, owner: session.tenant });
    this.peer = new Peer(near, {
      handlers: {
        notification: (method, params) => this.#notified(method, asObject(params)),
        request: (method, params, context) => handlers.request(method, asObject(params), context),
      },
    });
    void this.peer.closed.then(() => handlers.closed());
  }

  /** Opens or reopens the session in its agent. With `mayStartOver`, one that was lost starts over. */
  open(session: FleetSession, mayStartOver: boolean): Promise<OpenedByAgent> {
    return quietly(async () => {
      const initialized = asObject(await this.peer.call("initialize", INITIALIZE));
      const { cwd, additionalDirectories: more, mcpServers } = session;
      const folders = { cwd, ...(more.length > 0 ? { additionalDirectories: more } : {}) };
      const params = { ...folders, mcpServers };
      if (session.agentSessionId !== undefined) {
        try {
          return await this.#openAgain(session.agentSessionId, params, initialized);
        } catch (error) {
          if (!mayStartOver) throw error;
        }
      }
      const result = asObject(await this.peer.call("session/new", params));
      const agentSessionId = stringField(result, "sessionId");
      if (agentSessionId === undefined) {
        throw new FleetError("remote_error", "the agent opened a session without an id");
      }
      return { agentSessionId, method: "session/new", result };
    });
  }

  /** Ends the connection, and with it the agent's process. Never rejects. */
  async close(): Promise<void> {
    await this.peer.close();
    await this.#client.close();
  }

  async #openAgain(
    agentSessionId: string,
    params: JsonObject,
    initialized: JsonObject,
  ): Promise<OpenedByAgent> {
    const method = reopenMethod(1, asObject(initialized["agentCapabilities"]));
    if (method === undefined) {
      const message = "the agent cannot open sessions again, so this one has ended";
      throw new FleetError("invalid_argument", message);
    }
    const replay = method === "session/load" ? new Replay(this.peer) : undefined;
    this.#replay = replay;
    try {
      const result = asObject(
        await this.peer.call(method, { ...params, sessionId: agentSessionId }),
      );
      await replay?.silence();
      return { agentSessionId, method, result };
    } finally {
      this.#replay = undefined;
    }
  }

  #notified(method: string, params: JsonObject): void {
    if (this.#replay && method === "session/update") {
      this.#replay.arrived();
      return;
    }
    this.#handlers.notification(method, params);
  }
}

/** The parameters with which workers initialize agents. */
const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };

/** The answers of a worker's agents to `initialize`, for clients that have no session yet. */
export class AgentDescriptions {
  readonly #hub: Hub;
  readonly #agents: readonly HubAgent[];
  readonly #known = new Map<string, Promise<JsonObject>>();

  constructor(hub: Hub, agents: readonly HubAgent[]) {
    this.#hub = hub;
    this.#agents = agents;
  }

  /** Starts the agent for it, once. Rejects with FleetError `invalid` or the error of the agent. */
  of(name: string): Promise<JsonObject> {
    const known = this.#known.get(name) ?? this.#ask(name);
    this.#known.set(name, known);
    // An agent that could not start may be able to later.
    known.catch(() => this.#known.delete(name));
    return known;
  }

  async #ask(name: string): Promise<JsonObject> {
    const agent = this.#agents.find((known) => known.name === name);
    if (!agent) throw new FleetError("invalid_argument", `the worker has no agent ${name}`);
    const [near, far] = memoryPair();
    const own = new FleetSessionAgent(agent, "describe");
    const client = this.#hub.serve(far, { agent: own, owner: "" });
    const peer = new Peer(near);
    try {
      return asObject(await peer.call("initialize", INITIALIZE));
    } finally {
      await peer.close();
      await client.close();
    }
  }
}
