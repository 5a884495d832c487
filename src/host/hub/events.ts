import type { CloseReason } from "../../transport/wire/index.ts";

/** The agent that an event is about. */
interface AgentEventPart {
  readonly agent: string;
  readonly owner: string;
}

/** The session that an event is about. */
interface SessionEventPart extends AgentEventPart {
  readonly sessionId: string;
}

/** Something that happened in a hub. */
export type HubEvent =
  /** A process of an agent is ready. */
  | (AgentEventPart & {
      readonly type: "agent_started";
      /** The id of the process; undefined if the agent is not on this machine. */
      readonly pid: number | undefined;
      /** How often the agent was started, this time included. */
      readonly starts: number;
      /** How long the start took, in milliseconds. */
      readonly ms: number;
    })
  /** A process of an agent ended. */
  | (AgentEventPart & {
      readonly type: "agent_ended";
      /** Why it ended. */
      readonly cause: AgentEndCause;
      /** How its connection closed. */
      readonly reason: CloseReason;
    })
  /** An agent could not be started, or failed too often. Its clients have their answers already. */
  | (AgentEventPart & {
      readonly type: "agent_start_failed";
      readonly error: Error;
      /** When it may be started again, in milliseconds; undefined if it is given up. */
      readonly retryMs: number | undefined;
    })
  /** A client connected. */
  | {
      readonly type: "client_connected";
      readonly owner: string;
      /** The most that it may do. */
      readonly role: string;
    }
  /** A client is gone. */
  | { readonly type: "client_left"; readonly owner: string }
  /** A client opened a session. */
  | (SessionEventPart & { readonly type: "session_opened"; readonly method: string })
  /** A session was opened again after its agent had ended. */
  | (SessionEventPart & { readonly type: "session_reopened"; readonly method: string })
  /** An agent was started again and could not open the session again. */
  | (SessionEventPart & { readonly type: "session_lost"; readonly message: string })
  /** A session was closed or forgotten. */
  | (SessionEventPart & { readonly type: "session_closed" })
  /** A client attached to a session. */
  | (SessionEventPart & {
      readonly type: "client_attached";
      /** Who the client is. */
      readonly by: string;
      /** The role of the client. */
      readonly role: string;
    })
  /** A turn started. */
  | (SessionEventPart & {
      readonly type: "turn_started";
      /** Who sent the prompt. */
      readonly by: string;
    })
  /** A turn ended. */
  | (SessionEventPart & {
      readonly type: "turn_ended";
      /** The stop reason, or `error`. */
      readonly outcome: string;
      /** How long it took, in milliseconds. */
      readonly ms: number;
    })
  /** A client answered a request of the agent. */
  | (SessionEventPart & {
      readonly type: "answered";
      readonly method: string;
      /** Who answered. */
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
