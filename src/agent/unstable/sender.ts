import type {
  ClientCapability,
  ContentBlock,
  PlanContent,
  SessionMessageDetails,
  SessionUpdate,
  SubagentDetails,
} from "../../acp/index.ts";
import { definedFields } from "../../wire/index.ts";
import type { SendOptions } from "../session/deliver.ts";

/** The unstable updates, with the capability that a client must advertise for each. */
export const UNSTABLE_UPDATES: readonly (readonly [string, ClientCapability])[] = [
  ["plan_update", "plan"],
  ["plan_removed", "plan"],
  ["subagent_update", "subagents"],
  ["session_message", "subagents"],
  ["session_message_chunk", "subagents"],
];

/**
 * Sends the updates of the unstable protocol. Methods reject with UnsupportedByClientError if the client
 * did not advertise them, and without `unstable: true`.
 */
export interface UnstableSender {
  /** Creates or replaces a plan with an id. Needs the client's `plan`. */
  planUpdate(plan: PlanContent, options?: SendOptions): Promise<void>;
  /** Removes a plan with an id. Needs the client's `plan`. */
  planRemoved(planId: string, options?: SendOptions): Promise<void>;
  /** Reports a subagent, or what changed about it. Needs the client's `subagents`. */
  subagentUpdate(sessionId: string, details: SubagentDetails, options?: SendOptions): Promise<void>;
  /** Creates or changes a message between sessions. Needs the client's `subagents`. */
  sessionMessage(
    messageId: string,
    details: SessionMessageDetails,
    options?: SendOptions,
  ): Promise<void>;
  /** Sends the next part of a message between sessions. Needs the client's `subagents`. */
  sessionMessageChunk(
    messageId: string,
    content: string | ContentBlock,
    options?: SendOptions,
  ): Promise<void>;
}

/** Implements the sender on one method that sends an update. */
export abstract class UnstableUpdateSender implements UnstableSender {
  abstract update(update: SessionUpdate, options?: SendOptions): Promise<void>;

  planUpdate(plan: PlanContent, options?: SendOptions): Promise<void> {
    return this.update({ sessionUpdate: "plan_update", plan }, options);
  }

  planRemoved(planId: string, options?: SendOptions): Promise<void> {
    return this.update({ sessionUpdate: "plan_removed", planId }, options);
  }

  subagentUpdate(
    sessionId: string,
    details: SubagentDetails,
    options?: SendOptions,
  ): Promise<void> {
    const sent = definedFields(details);
    return this.update({ sessionUpdate: "subagent_update", sessionId, ...sent }, options);
  }

  sessionMessage(
    messageId: string,
    details: SessionMessageDetails,
    options?: SendOptions,
  ): Promise<void> {
    const sent = definedFields(details);
    return this.update({ sessionUpdate: "session_message", messageId, ...sent }, options);
  }

  sessionMessageChunk(
    messageId: string,
    given: string | ContentBlock,
    options?: SendOptions,
  ): Promise<void> {
    const content: ContentBlock = typeof given === "string" ? { type: "text", text: given } : given;
    return this.update({ sessionUpdate: "session_message_chunk", messageId, content }, options);
  }
}
