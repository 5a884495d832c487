import type { ContentBlock, Meta } from "../../acp/index.ts";
import type { AgentSession } from "../session/session.ts";
import type { AgentWork } from "./work.ts";

/** One prompt being answered, and everything the author can do while answering it. */
export interface Turn<S> extends AgentWork {
  /** The session that the prompt was sent to. */
  readonly session: AgentSession<S>;
  /** The content of the prompt. */
  readonly prompt: readonly ContentBlock[];
  /** The prompt's `_meta`; empty if the client sent none. */
  readonly meta: Meta;
  /**
   * The id of the user's message, which clients of v2 know. Replay the message under it, as the
   * `messageId` of its chunks.
   */
  readonly messageId: string;
  /** The text blocks of the prompt, joined by newlines. */
  readonly text: string;
}
