import type {
  PlanContent,
  PlanEntry,
  SubagentState,
  ToolCallState,
  Usage,
} from "../../protocol/acp/index.ts";
import type { AsyncStream } from "../../base/index.ts";
import type { SessionEvent } from "../session/events.ts";

/**
 * A subagent: a session that the agent created and that belongs to another session. The agent gives it
 * work, and the client can read along.
 */
export interface Subagent {
  readonly id: string;
  /** Its title, its current work and the like, as far as the agent reported them. */
  readonly details: SubagentState | undefined;
  /** Its tool calls, by id. */
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  /** Its plan. */
  readonly plan: readonly PlanEntry[];
  /** Its plans with an id. */
  readonly plans: ReadonlyMap<string, PlanContent>;
  /** How full its context is. */
  readonly usage: Usage | undefined;
  /** Its own subagents. */
  readonly subagents: ReadonlyMap<string, SubagentState>;
  /** One of its own subagents. Throws SessionError if there is none with this id. */
  subagent(id: string): Subagent;
  /** All updates in its session, in order. Like `session.updates()`. */
  updates(): AsyncStream<SessionEvent>;
  /**
   * Asks the agent to stop the subagent's work, and answers its open questions with `cancelled`.
   * Rejects with CapabilityError unless its details say `canCancel`.
   */
  cancel(): Promise<void>;
}

/** Keeps the subagents of all sessions of a connection. */
export interface SubagentHost {
  /** A session has announced a subagent, perhaps not for the first time. */
  announce(parentId: string, id: string): void;
  /** The subagent of a session. Throws SessionError if there is none with this id. */
  find(parentId: string, id: string): Subagent;
}
