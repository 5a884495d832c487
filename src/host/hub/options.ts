import type { SessionRole } from "../../transport/remote/index.ts";
import type { JsonObject, Overrides } from "../../base/index.ts";
import type { Channel } from "../../transport/wire/index.ts";
import type { HubEvent } from "./events.ts";

/** An agent that a hub can host. */
export interface HubAgent {
  /** The name of the agent, for people and for the scopes of clients. */
  readonly name: string;
  /**
   * Clients share one process of the agent if this key, their owner and their `initialize` are equal.
   * It holds everything that makes two processes different: the command, its environment, its folder.
   */
  readonly key: string;
  /** Starts the agent or connects to it. Called again after the agent ended. */
  open(): Promise<Channel>;
  /** As `idleMs` of the limits, for this agent. It is read each time the agent becomes idle. */
  readonly idleMs?: number | undefined;
  /**
   * The keys of `_meta` that the clients of a server may set when they open a session. An agent may read
   * anything from `_meta`, even commands, so the server drops all others. Default: none.
   */
  readonly meta?: readonly string[] | undefined;
}

/** A client of a hub, and the rights that it has. */
export interface HubClientOptions {
  /** The agent for the client's own sessions. */
  readonly agent: HubAgent;
  /** Who the client is, such as the name of its token. Sessions belong to owners. */
  readonly owner: string;
  /** Whose sessions the client uses, where a gateway serves several tenants. Default: the owner's own. */
  readonly tenant?: string | undefined;
  /** The most that the client may do. Default: `controller`. */
  readonly role?: SessionRole | undefined;
  /** A folder to work in, such as `/NAME`, shown as `_meta["dragoman/root"]`. Default: none. */
  readonly root?: string | undefined;
  /**
   * Whether the client may use a session, by its agent and its folders. It is also called for the client's
   * own sessions. A session of another owner can be attached to, but not loaded, copied or ended. Default:
   * the client may use its own sessions only.
   */
  readonly mayUse?: ((session: HubSessionInfo) => boolean) | undefined;
  /** How long running turns go on after the client's connection is lost, in milliseconds. Default: 0. */
  readonly graceMs?: number | undefined;
}

/** A client that a hub serves. */
export interface HubClient {
  /** Resolves once the client is gone. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends the connection, without a grace period. */
  close(): Promise<void>;
}

/** A session that a hub knows. */
export interface HubSessionInfo {
  readonly sessionId: string;
  readonly agent: string;
  readonly owner: string;
  /** The folder that it was opened in, as the agent knows it. */
  readonly cwd: string;
  /** More folders, likewise. */
  readonly additionalDirectories: readonly string[];
  readonly title: string | undefined;
  /** Whether a turn is running. */
  readonly isBusy: boolean;
  /** How many prompts wait for their turn. */
  readonly queued: number;
  /** How many controllers are attached. */
  readonly controllers: number;
  /** How many observers are attached. */
  readonly observers: number;
  /** When it was used last, in milliseconds since the epoch. */
  readonly usedAt: number;
}

/** An agent that a hub hosts. */
export interface HubAgentInfo {
  readonly name: string;
  readonly owner: string;
  /** `resting`: ended because it was idle; started again on the next use. */
  readonly state: "starting" | "running" | "resting" | "waiting" | "failed";
  /** The id of its process; undefined if it has none. */
  readonly pid: number | undefined;
  /** How often it was started. */
  readonly starts: number;
  /** How many clients use it. */
  readonly clients: number;
  /** How many sessions it has open. */
  readonly sessions: number;
}

/** The answer to a request of the agent. */
export type PolicyAnswer =
  /** The clients answer the request. */
  | { readonly kind: "forward" }
  /** The hub answers with this result. */
  | { readonly kind: "result"; readonly result: unknown }
  /** The hub answers with this error. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

/** How a request that was forwarded ended. */
export type PolicyOutcome =
  /** A client answered. */
  | {
      readonly kind: "result";
      readonly result: unknown;
      /** The owner of the client. */
      readonly by: string;
    }
  /** A client answered with an error. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      /** The owner of the client. */
      readonly by: string;
    }
  /** No client was there to answer. */
  | { readonly kind: "unattended" }
  /** The agent withdrew the request, or its session ended. */
  | { readonly kind: "cancelled" };

/** One request of the agent that belongs to a session. */
export interface PolicyRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** Aborted when the agent withdraws the request, its turn is cancelled, or the session ends. */
  readonly signal: AbortSignal;
  /**
   * Asks the controllers of the session with a request of the hub's own, and resolves with the result of
   * the first who answers. Rejects with RpcError if none can.
   */
  ask(method: string, params: JsonObject): Promise<PolicyReply>;
}

/** The answer of a client to a question of the hub. */
export interface PolicyReply {
  readonly result: unknown;
  /** The owner of the client that answered. */
  readonly by: string;
}

/** Stands between the agent and the clients of one session. */
export interface SessionPolicy {
  /** Sees every `session/update` in order, before the clients do. Pieces of text may be left out. */
  readonly update?: ((params: JsonObject) => void) | undefined;
  /** Decides about a request. Requests are passed in order, and their answers may overlap. */
  request(request: PolicyRequest): PolicyAnswer | Promise<PolicyAnswer>;
  /** Learns how a request that was forwarded ended. Called once for each of them. */
  readonly answered?: ((request: PolicyRequest, outcome: PolicyOutcome) => void) | undefined;
  /** Learns that the process of the agent ended. The session may be opened again in another one. */
  readonly agentEnded?: (() => void) | undefined;
  /** Ends everything that the session still has open. */
  close(): Promise<void>;
}

/** A request of an agent that no session policy can judge, so that it is refused. */
export interface UnjudgedRequest {
  readonly agent: string;
  readonly owner: string;
  readonly method: string;
  /** The session that the request names, which is not open; undefined if it names none. */
  readonly sessionId: string | undefined;
}

/** The session that a policy is for. */
export interface PolicySession {
  readonly sessionId: string;
  readonly agent: string;
  readonly owner: string;
  /** The folders of the session: `cwd` first, then the additional ones. */
  readonly roots: readonly string[];
  /** The version of the protocol that the agent speaks. */
  readonly protocolVersion: number;
}

/** A request that opens a session: `session/new`, `session/load`, `session/resume` or `session/fork`. */
export interface OpenRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** The client. */
  readonly client: HubClientOptions;
}

/** Which owner each session of an agent belongs to. It outlives the hub. */
export interface SessionOwners {
  /** The owner of a session; undefined if the session was not opened through the hub. */
  ownerOf(sessionId: string): string | undefined;
  /** Remembers the owner of a session. */
  add(sessionId: string, owner: string): void;
  /** Forgets a session that was deleted. */
  remove(sessionId: string): void;
}

/** How much of each session a hub keeps for clients that attach. */
export interface SessionLogOptions {
  /** The folder for what no longer fits into memory. Only this user may read it. */
  readonly folder: string;
  /** The most that is kept in memory for each session, in bytes. Default: 1 MiB. */
  readonly memoryBytes?: number | undefined;
  /** The most that is kept on disk for each session, in bytes. Default: 64 MiB. */
  readonly diskBytes?: number | undefined;
}

/** Options of `createHub`. */
export interface HubOptions {
  /** Keeps conversations, so that clients can share sessions and come back. Default: one client each. */
  readonly log?: SessionLogOptions | undefined;
  /**
   * Answers requests of agents in place of clients, for each session. Requests that need a session and name
   * none that is open are refused then. Default: clients answer.
   */
  readonly policy?: ((session: PolicySession) => SessionPolicy | undefined) | undefined;
  /** Called with each request of an agent that is refused because no policy can judge it. */
  readonly onUnjudged?: ((request: UnjudgedRequest) => void | Promise<void>) | undefined;
  /**
   * Changes the capabilities that a client announces to the agent, for what the policy answers in its
   * place. Called for version 1 only: in version 2, clients have neither files nor terminals. Default:
   * they pass unchanged.
   */
  readonly capabilities?: ((capabilities: JsonObject) => JsonObject) | undefined;
  /** Checks a request that opens a session. Returns the agent's parameters or throws RpcError. */
  readonly checkOpen?: ((request: OpenRequest) => JsonObject | Promise<JsonObject>) | undefined;
  /** Which owner a session belongs to. Default: clients see every session of their agent. */
  readonly owners?: SessionOwners | undefined;
  /** The name of a folder as remote clients see it in the list of sessions. Default: its path. */
  readonly folderName?: ((cwd: string) => string) | undefined;
  /** Called with everything that happens, for logs and metrics. It must not throw. */
  readonly onEvent?: ((event: HubEvent) => void) | undefined;
  /** Changes to the limits. */
  readonly limits?: Overrides<HubLimits> | undefined;
}

/** The limits of a hub. */
export interface HubLimits {
  /** How long an agent may take to end a cancelled turn before it is replaced. Default: 30 s. */
  readonly cancelMs: number;
  /** How long an agent may take for a request that needs no model and no person. Default: 2 minutes. */
  readonly requestMs: number;
  /** How long an agent may be silent during a turn. Default: forever. */
  readonly turnIdleMs: number;
  /** When an agent without clients and turns is ended. Default: 0, so it ends with its last client. */
  readonly idleMs: number;
  /** How many idle processes one agent and owner may have. The longest idle one goes. Default: no limit. */
  readonly maxIdleCopies: number;
  /** When a session without clients is closed, and forgotten with its log. Default: never. */
  readonly sessionIdleMs: number;
  /** Whether `idleMs` also counts with clients, if the agent can reopen its sessions. Default: false. */
  readonly restWithClients: boolean;
  /** The time before a failed agent is started again. It doubles with every failure. Default: 1 s. */
  readonly backoffMs: number;
  /** The longest time before a failed agent is started again. Default: 60 s. */
  readonly maxBackoffMs: number;
  /** After this many failures within `failureWindowMs`, the agent is given up. Default: 5. */
  readonly maxFailures: number;
  /** The time in which failures are counted. Default: 5 minutes. */
  readonly failureWindowMs: number;
  /** The most requests of an agent that clients have not answered. Default: 1000. */
  readonly maxAgentRequests: number;
  /** The most invalid lines of an agent in a row. Default: 1000. */
  readonly maxInvalidLines: number;
  /** The most sessions of one owner. Default: 1000. */
  readonly maxSessions: number;
  /** The most prompts that wait for a session. Default: 16. */
  readonly maxQueuedPrompts: number;
  /** The most characters that may wait for one side before the other is paused. Default: 1 MiB. */
  readonly maxUnsentBytes: number;
}

/** Hosts agents for clients. */
export interface Hub {
  /** The sessions that are open. */
  readonly sessions: readonly HubSessionInfo[];
  /** The agents that are hosted. */
  readonly agents: readonly HubAgentInfo[];
  /** Serves a client that speaks ACP on a channel, until either side closes it. */
  serve(channel: Channel, client: HubClientOptions): HubClient;
  /** Refuses new turns, waits for the running ones, at most this long, and closes. Never rejects. */
  drain(ms: number): Promise<void>;
  /** Ends all connections and all agents. Resolves when nothing is left. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
