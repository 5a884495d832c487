import type { JsonObject } from "../../../base/index.ts";
import type { UpdateMeta } from "../meta.ts";
import type { ContentBlock } from "../types.ts";
import type {
  BackgroundWork,
  SessionActivity,
  TerminalEnd,
  TerminalSize,
  WorkFailure,
} from "./types.ts";

/** The members of `Update` that only agents of v2 send. */
export type V2Update = StateChange | MessageChange | AgentTerminalChange | AgentTerminalChunk;

/** The agent started or ended work, or waits for the user. It may repeat a state. */
export interface StateChange extends UpdateMeta {
  readonly type: "state_update";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The state. One that this version does not know reads as `unknown`, which means busy. */
  readonly activity: SessionActivity;
  /** The complete list of work that goes on in the background; undefined if the agent does not say. */
  readonly background: readonly BackgroundWork[] | undefined;
  /** Why the work ended; only with `idle`, and only if the agent says so. */
  readonly stopReason: string | undefined;
  /** Why the work failed; only with the stop reason `error`. */
  readonly error: WorkFailure | undefined;
}

/**
 * A whole message was created or changed. New text also arrives as chunks, so that reading only the
 * chunks gives the whole conversation.
 */
export interface MessageChange extends UpdateMeta {
  /** Who wrote the message. */
  readonly type: "user_message" | "agent_message" | "agent_thought";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  /** The id of the message. The three types have ids of their own. */
  readonly messageId: string;
  /** The whole content. `null` clears it, `undefined` keeps it. Blocks of unknown types are left out. */
  readonly content: readonly ContentBlock[] | null | undefined;
}

/**
 * A terminal on the agent's side was created or changed. `undefined` keeps a value and `null` clears
 * it.
 */
export interface AgentTerminalChange extends UpdateMeta {
  readonly type: "terminal_update";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly terminalId: string;
  /** The command line. */
  readonly command: string | null | undefined;
  readonly cwd: string | null | undefined;
  /** All bytes of the output so far. They may contain control sequences. */
  readonly output: Uint8Array | null | undefined;
  /** How the command ended. */
  readonly exit: TerminalEnd | null | undefined;
  /** The size of the terminal. */
  readonly size: TerminalSize | null | undefined;
  /** Whether the client may cancel the command. */
  readonly canCancel: boolean | undefined;
}

/** More output of a terminal on the agent's side. */
export interface AgentTerminalChunk extends UpdateMeta {
  readonly type: "terminal_output_chunk";
  readonly text: "";
  /** The update as received. */
  readonly raw: JsonObject;
  readonly terminalId: string;
  /** The bytes. A character or control sequence may be split between chunks. */
  readonly bytes: Uint8Array;
}
