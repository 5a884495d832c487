import type { CloseReason } from "../wire/index.ts";

/** Who and where: the fields that most events have. */
interface SessionPart {
  /** The name of the agent. */
  readonly agent: string;
  /** Who the session or the agent belongs to. */
  readonly owner: string;
  /** The session. */
  readonly sessionId: string;
}

/** Something that happened in a hub. */
export type HubEvent =
  /** A process of an agent is ready. */
  | {
      readonly type: "agent_started";
      readonly agent: string;
      readonly owner: string;
      readonly pid: number | undefined;
      /** How often the agent was started, this time included. */
      readonly starts: number;
      /** How long the start took, in milliseconds. */
      readonly ms: number;
    }
  /** A process of an agent ended. `cause` says who wanted it. */
  | {
      readonly type: "agent_ended";
      readonly agent: string;
      readonly owner: string;
      readonly cause: AgentEndCause;
      readonly reason: CloseReason;
    }
  /** An agent could not be started, and the hub tries again later. */
  | {
      readonly type: "agent_start_failed";
      readonly agent: string;
      readonly owner: string;
      readonly error: Error;
      /** When it may be started again, in milliseconds; undefined if it is given up. */
      readonly retryMs: number | undefined;
    }
  | { readonly type: "client_connected"; readonly owner: string; readonly role: string }
  | { readonly type: "client_left"; readonly owner: string }
  | (SessionPart & { readonly type: "session_opened"; readonly method: string })
  | (SessionPart & { readonly type: "session_reopened"; readonly method: string })
  /** An agent was started again and could not open the session again. */
  | (SessionPart & { readonly type: "session_lost"; readonly message: string })
  | (SessionPart & { readonly type: "session_closed" })
  | (SessionPart & { readonly type: "client_attached"; readonly by: string; readonly role: string })
  | (SessionPart & { readonly type: "turn_started"; readonly by: string })
  | (SessionPart & {
      readonly type: "turn_ended";
      /** The stop reason, or `error`. */
      readonly outcome: string;
      readonly ms: number;
    })
  /** A client answered a question of the agent. */
  | (SessionPart & {
      readonly type: "answered";
      readonly method: string;
      readonly by: string;
      readonly result: unknown;
    })
  /** A client tried something that it may not do. */
  | {
      readonly type: "refused";
      readonly owner: string;
      readonly method: string;
      readonly message: string;
    };

/** Why a process of an agent ended. */
export type AgentEndCause =
  /** By itself. */
  | "died"
  /** It did not end a cancelled turn. */
  | "ignored_cancel"
  /** It did not answer, or was silent for too long during a turn. */
  | "unresponsive"
  /** It sent too much that could not be handled. */
  | "flooded"
  /** It was idle. */
  | "idle"
  /** The hub or its last client closed. */
  | "closed";
