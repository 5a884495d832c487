import type { AgentAnswer, AgentLink } from "../agent/link.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import type { BackendPort, PortHub } from "../client/backend.ts";
import type { ClientRequest, ServedClient } from "../client/served-client.ts";
import type { HubOptions } from "../options.ts";
import type { HubSession } from "../session/session.ts";

/** The hub, as the sessions of a client see it. */
export interface SessionHub extends PortHub {
  readonly options: HubOptions;
  /** All sessions of all agents. */
  readonly sessions: readonly HubSession[];
  /** The agent for a client with this `initialize`, which is started if there is none yet. */
  agentFor(client: ServedClient, initialize: ClientRequest): HostedAgent;
}

/** Sees the answer of an agent before the client does. Returns the line for the client if it is another. */
export type AnswerHook = (answer: AgentAnswer) => string | undefined;

/** Relays the requests of one client to its agents. */
export interface ClientRelay extends Pick<BackendPort, "client"> {
  readonly hub: SessionHub;
  /** The sessions that the client is attached to. */
  readonly attached: Map<string, HubSession>;
  /** Answers the client, after all earlier messages of the session. */
  reply(message: ClientRequest, line: (id: string) => string, session?: HubSession): void;
  /** Sends a request to the agent, and its answer to the client. */
  send(
    connection: AgentLink,
    message: ClientRequest,
    session?: HubSession,
    hook?: AnswerHook,
  ): void;
}
