import { type JsonObject, stringField } from "../../wire/index.ts";
import type { AgentAnswer, AgentLink } from "../agent/link.ts";
import type { HostedAgent } from "../agent/hosted-agent.ts";
import type { HubEvent } from "../events.ts";
import { memberSpan, splice } from "../json/span.ts";
import type { HubOptions } from "../options.ts";
import type { HubSession } from "../session/session.ts";
import type { ServedClient, ClientRequest } from "./served-client.ts";

/** The hub, as the router of a client sees it. */
export interface RouterHub {
  readonly options: HubOptions;
  readonly isDraining: boolean;
  /** All sessions of all agents. */
  readonly sessions: readonly HubSession[];
  /** The agent for a client with this `initialize`, which is started if there is none yet. */
  agentFor(client: ServedClient, initialize: ClientRequest): HostedAgent;
  emit(event: HubEvent): void;
}

/** Sees the answer of an agent before the client does. Returns the line for the client if it is another. */
export type AnswerHook = (answer: AgentAnswer) => string | undefined;

/** Relays the requests of one client to its agents. */
export interface ClientRelay {
  readonly client: ServedClient;
  readonly hub: RouterHub;
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

/** A request with other parameters. */
export function withParams(message: ClientRequest, params: JsonObject): ClientRequest {
  const span = memberSpan(message.line, "params");
  if (!span) return message;
  const line = splice(message.line, span, JSON.stringify(params));
  const id = memberSpan(line, "id") ?? message.id;
  return { ...message, line, id, params, sessionId: stringField(params, "sessionId") };
}
