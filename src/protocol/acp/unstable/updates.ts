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
  /** The kind of the update. */
  readonly type: "plan_update";
  /** Not part of the answer. */
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The whole plan. */
  readonly plan: PlanContent;
}

/** A plan was removed. */
export interface PlanRemovedChange extends UpdateMeta {
  /** The kind of the update. */
  readonly type: "plan_removed";
  /** Not part of the answer. */
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The plan's id. */
  readonly planId: string;
}

/**
 * The session has a subagent, which is a session of its own, or details of one changed. `undefined`
 * keeps a value and `null` clears it.
 */
export interface SubagentChange extends UpdateMeta {
  /** The kind of the update. */
  readonly type: "subagent_update";
  /** Not part of the answer. */
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The id of the subagent's session. */
  readonly sessionId: string;
  /** A title to show. */
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
  /** The kind of the update. */
  readonly type: "session_message";
  /** Not part of the answer. */
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The id of the message in this session. */
  readonly messageId: string;
  /** The session that sends it. */
  readonly senderSessionId: string | null | undefined;
  /** The session that receives it. */
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
  /** The kind of the update. */
  readonly type: "session_message_chunk";
  /** Not part of the answer. */
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The id of the message in this session. */
  readonly messageId: string;
  /** The block to append. */
  readonly content: ContentBlock;
}
