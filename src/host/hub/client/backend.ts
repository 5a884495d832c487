import type { JsonObject } from "../../../base/index.ts";
import type { HubEvent } from "../events.ts";
import type { CancelRequest } from "../json/cancel.ts";
import type { ClientRole, HubOptions, HubSessionInfo } from "../options.ts";
import type {
  ClientNotification,
  ClientRequest,
  Congestion,
  ServedClient,
} from "./served-client.ts";

/** A session, as far as the port has to judge who may use it. */
export interface PortSession {
  readonly id: string;
  readonly info: HubSessionInfo;
}

/** Sends a line to a client, after all earlier messages of a session. */
export interface LineTarget {
  send(line: string): void;
}

/** A session that a client attached to. */
export interface PortAttachment extends LineTarget {
  /** The positions of the newest and the oldest entry that it can be replayed from. */
  readonly seq: number;
  readonly first: number;
  /** The version of the protocol that the agent speaks. */
  readonly protocolVersion: number;
  /** The agent's answer to the request that opened the session. */
  readonly opened: object;
  /** Asks the client what nobody has answered yet. */
  ask(): void;
}

/** What differs for clients between one place of sessions and another. */
export interface BackendTraits {
  /** The name under which it presents itself to clients that only attach. */
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  /** The error for a prompt while it drains. */
  readonly draining: string;
  /** The methods that open a session here. */
  readonly opens: ReadonlySet<string>;
  /** Those whose parameters say in which folders. After the others, a session keeps its folders. */
  readonly opensIn: ReadonlySet<string>;
  /** Whether several clients can share a session. */
  readonly isShared: boolean;
  /** Whether parameters that an agent may read otherwise are refused. */
  readonly isStrict: boolean;
  /** Whether an observer that asks to be a controller stays an observer. Otherwise it is refused. */
  readonly lowersRoles: boolean;
  /** Whether requests run at the same time. Otherwise they reach the agent in the order of the client. */
  readonly isConcurrent: boolean;
}

/**
 * The sessions of one client: in agents of this process, or on the workers of a fleet. The port has checked
 * who may do what before it calls a method with a session, and each method answers the request by itself.
 */
export interface SessionBackend<S extends PortSession = PortSession> {
  readonly traits: BackendTraits;
  /** To whom the sessions of the client belong. */
  readonly owner: string;
  /** Whether the client has an agent for its own sessions. */
  readonly isInitialized: boolean;
  /** Set while the client should stop sending. */
  readonly congestion: Congestion | undefined;
  /** Starts the agent, and resolves with the line of its answer. */
  initialize(message: ClientRequest): Promise<string>;
  /** The client only attaches, and needs no agent. */
  attachesOnly(): void;
  /** All sessions. The port shows only those that the client may use. */
  all(): readonly S[] | Promise<readonly S[]>;
  /** The sessions with this id, of all owners. */
  named(sessionId: string): readonly S[] | Promise<readonly S[]>;
  /**
   * The session that a request means; undefined if it is not open, but may be the client's own. Throws
   * RpcError if there is none.
   */
  find(sessionId: string): S | undefined | Promise<S | undefined>;
  /** The role in which the client is attached; undefined if it is not. */
  roleIn(session: S): ClientRole | undefined;
  /** A session, as the client sees it. */
  shown(session: S): HubSessionInfo;
  /** Sends everything after the position `after`. Rejects with RpcError. */
  attach(session: S, role: ClientRole, after: number): PortAttachment | Promise<PortAttachment>;
  /** Leaves a session. Undefined if the client was not attached. */
  detach(sessionId: string): LineTarget | undefined;
  open(message: ClientRequest, session: S | undefined): void | Promise<void>;
  prompt(message: ClientRequest, session: S): void | Promise<void>;
  /** Any other request. */
  request(message: ClientRequest, session: S | undefined): void | Promise<void>;
  notify(message: ClientNotification, session: S | undefined): void | Promise<void>;
  /** A request to delete a session that does not exist for the client. Returns false to refuse it. */
  deleteUnknown(message: ClientRequest): boolean;
  /** An error, as the client gets it. */
  errorFor(error: unknown): unknown;
  left(isLost: boolean): void;
}

/** The hub, as a port sees it. */
export interface PortHub {
  readonly options: Pick<HubOptions, "checkOpen">;
  readonly isDraining: boolean;
  emit(event: HubEvent): void;
}

/** The port, as a backend sees it. */
export interface BackendPort {
  readonly client: ServedClient;
  /** Answers a request, after all earlier messages of the session. */
  reply(message: ClientRequest, line: (id: string) => string, target?: LineTarget): void;
  /** Calls `cancel` if the client withdraws the request before it is answered. */
  onCancel(message: ClientRequest, cancel: (cancel: CancelRequest) => void): void;
  /** The sessions that the client may see. */
  visible(): Promise<readonly PortSession[]>;
  /** The parameters with which a session may be opened. Rejects with RpcError. */
  checkOpen(method: string, params: JsonObject): JsonObject | Promise<JsonObject>;
}
