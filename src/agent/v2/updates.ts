import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "../../protocol/acp/index.ts";

/** Work that goes on in the background of a session, as v2 lists it. */
export type BackgroundItem =
  | { readonly type: "terminal"; readonly terminalId: string }
  | { readonly type: "tool_call"; readonly toolCallId: string };

/** A command's end, as v2 writes it. Without fields, it is not known how the command ended. */
export interface ExitOnWire {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

/** The controls that a client has over a tool call or terminal; null removes them. */
type Controls = { readonly cancel: object } | null;

/**
 * Updates that only v2 has. The toolkit sends them on v2 connections only. A state without `state`
 * keeps the state of the session.
 */
export type V2OnlyUpdate =
  | {
      readonly sessionUpdate: "state_update";
      readonly state?: "running" | "idle";
      readonly stopReason?: string;
      readonly error?: object;
      readonly usage?: object;
      readonly _meta?: object;
      readonly background?: readonly BackgroundItem[];
    }
  | {
      readonly sessionUpdate: "terminal_update";
      readonly terminalId: string;
      readonly command?: string;
      readonly cwd?: string;
      readonly output?: { readonly data: string };
      readonly exitStatus?: ExitOnWire;
      readonly capabilities?: Controls;
    }
  | {
      readonly sessionUpdate: "terminal_output_chunk";
      readonly terminalId: string;
      readonly data: string;
    }
  | CancelledCall;

/** A tool call that was cancelled. v1 has no status for that. */
interface CancelledCall {
  readonly sessionUpdate: "tool_call_update";
  readonly toolCallId: string;
  readonly status: "cancelled";
  readonly title?: string;
  readonly name?: string;
  readonly kind?: ToolKind;
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly _meta?: { [key: string]: unknown } | null;
  readonly capabilities?: Controls;
}

/** Everything that the toolkit sends as a session update. */
export type SentUpdate = SessionUpdate | V2OnlyUpdate;

/** The update as an agent's own history keeps it, in the terms of v1; undefined if v1 has none. Pure. */
export function toV1Update(update: SentUpdate): SessionUpdate | undefined {
  switch (update.sessionUpdate) {
    case "state_update":
    case "terminal_update":
    case "terminal_output_chunk":
      return undefined;
    case "tool_call_update": {
      if (update.status !== "cancelled") return update;
      const { capabilities: _, ...rest } = update;
      return { ...rest, status: "failed" };
    }
    default:
      return update;
  }
}
