import { type JsonObject, stringField, stringsField } from "../../../base/index.ts";
import type { AgentLink } from "../agent/link.ts";
import type { AgentEndCause, HubEvent } from "../events.ts";
import type { HubLimits } from "../options.ts";

/** The agent of a session, as the session sees it. */
export interface SessionAgent {
  readonly name: string;
  readonly owner: string;
  readonly limits: HubLimits;
  /** The version of the protocol that the agent speaks. */
  readonly version: number;
  /** The capabilities that the agent announced. */
  readonly capabilities: JsonObject;
  /** Whether several clients use the agent. */
  readonly isShared: boolean;
  /** The running process; undefined if there is none. */
  readonly current: AgentLink | undefined;
  /** The running process, or the one that is being started. Rejects with RpcError. */
  ready(): AgentLink | Promise<AgentLink>;
  /** Ends the running process. */
  end(cause: AgentEndCause): void;
  emit(event: HubEvent): void;
  /** Closes a session that is not used, where the agent can, and forgets it. */
  discard(sessionId: string): void;
  /** Called when a turn, or the last client of a session, came or went. */
  usageChanged(): void;
}

/** How a session was opened. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly method: string;
  /** The parameters that the agent got. */
  readonly params: JsonObject;
}

/** The folders that the parameters of a session name: `cwd` first, then the additional ones. */
export function rootsOf(params: JsonObject): readonly string[] {
  const cwd = stringField(params, "cwd");
  return [...(cwd === undefined ? [] : [cwd]), ...stringsField(params, "additionalDirectories")];
}
