import type { JsonObject } from "../../../base/index.ts";
import type { HubEvent } from "../events.ts";
import type { CancelRequest } from "../json/cancel.ts";
import type { Span } from "../json/span.ts";
import type { HubLimits, UnjudgedRequest } from "../options.ts";
import type { OpenedSession } from "../session/contract.ts";
import type { AskedClient } from "../session/questions.ts";
import type { HubSession } from "../session/session.ts";
import type { AgentLink, AgentRequestMessage } from "./link.ts";

/** A client that uses an agent. */
export interface AgentClient extends AskedClient {
  /** Takes a request of the agent that belongs to no session. */
  agentRequest(message: AgentRequestMessage, connection: AgentLink): void;
  /** The agent withdrew such a request. */
  agentWithdrew(cancel: CancelRequest, connection: AgentLink): void;
}

/** A request of a client that will open a session whose id is not known yet. */
export interface PendingOpen extends Omit<OpenedSession, "sessionId"> {
  /** Attaches the client to the session. */
  readonly attach: (session: HubSession) => void;
}

/** The request with which a client initialises its agent. */
export interface InitializeLine {
  readonly line: string;
  readonly id: Span;
  readonly params: JsonObject;
}

/** Everything of the hub that an agent needs. */
export interface AgentHost {
  readonly limits: HubLimits;
  /** Whether sessions have policies, so that requests of no session are refused. */
  readonly isJudging: boolean;
  emit(event: HubEvent): void;
  /** Called with each request that is refused because no policy can judge it. */
  unjudged(request: UnjudgedRequest): void | Promise<void>;
  /** Creates the log and the policy of a session. */
  session(opened: OpenedSession, connection: AgentLink): HubSession;
  /** Called when the agent has neither a client nor a turn. */
  idle(): void;
  /** Called when the agent is not needed anymore. */
  unused(): void;
}
