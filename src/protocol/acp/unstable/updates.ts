import type { JsonObject } from "../../../base/index.ts";
import type { UpdateMeta } from "../meta.ts";
import type { ContentBlock } from "../types.ts";
import type { PlanContent, SubagentActivity } from "./types.ts";

/** The members of `Update` that only a client with `unstable: true` reads. */
export type UnstableUpdate =
  | PlanUpdateChange
  | PlanRemovedChange
  | SubagentChange
  | SessionMessageChange
  | SessionMessageChunkChange;

/** A plan with an id was created or replaced. */
export interface PlanUpdateChange extends UpdateMeta {
  readonly type: "plan_update";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The whole plan. */
  readonly plan: PlanContent;
}

/** A plan was removed. */
export interface PlanRemovedChange extends UpdateMeta {
  readonly type: "plan_removed";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly planId: string;
}

/**
 * The session has a subagent, which is a session of its own, or details of one changed. `undefined`
 * keeps a value and `null` clears it.
 */
export interface SubagentChange extends UpdateMeta {
  readonly type: "subagent_update";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly sessionId: string;
  readonly title: string | null | undefined;
  /** The purpose of the subagent. */
  readonly description: string | null | undefined;
  /** Whether the client may cancel its work. */
  readonly canCancel: boolean | undefined;
  /** Its current work. A state that this version does not know reads as `unknown`. */
  readonly activity: SubagentActivity | null | undefined;
  /** Its working folder, if it is not the parent's. */
  readonly cwd: string | null | undefined;
  /** Its additional folders, if they are not the parent's. */
  readonly additionalDirectories: readonly string[] | null | undefined;
}

/** A message between two sessions was created or changed. `undefined` keeps a value, `null` clears it. */
export interface SessionMessageChange extends UpdateMeta {
  readonly type: "session_message";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly senderSessionId: string | null | undefined;
  readonly recipientSessionId: string | null | undefined;
  /** The id of the same message in the sender's session. */
  readonly senderMessageId: string | null | undefined;
  /** The id of the same message in the recipient's session. */
  readonly recipientMessageId: string | null | undefined;
  /** The whole content. Blocks of unknown types are left out. */
  readonly content: readonly ContentBlock[] | null | undefined;
}

/** The next part of a message between two sessions. */
export interface SessionMessageChunkChange extends UpdateMeta {
  readonly type: "session_message_chunk";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly messageId: string;
  readonly content: ContentBlock;
}
