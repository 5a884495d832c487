/** Whether an agent works in a session. `requires_action` waits for the user, `unknown` counts as busy. */
export type SessionActivity = "running" | "requires_action" | "idle" | "unknown";

/** Work that goes on in the background of a session, for example a server that keeps running. */
export type BackgroundWork =
  | {
      readonly type: "terminal";
      readonly terminalId: string;
    }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
    }
  | {
      /** Work of a type that this version does not know. */
      readonly type: "unknown";
      /** The item as received. */
      readonly raw: unknown;
    };

/** Why the work of an agent failed. */
export interface WorkFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How the command of an agent's terminal ended. Both are undefined if the agent does not know. */
export interface TerminalEnd {
  readonly code: number | undefined;
  /** The signal that ended it. */
  readonly signal: string | undefined;
}

/** The size of a terminal. */
export interface TerminalSize {
  /** Columns. */
  readonly cols: number;
  /** Rows. */
  readonly rows: number;
}

/** A change of one file, as agents of v2 describe it. */
export interface DiffChange {
  /** `add`, `delete`, `modify`, `move`, `copy`, or the agent's own word. */
  readonly operation: string;
  readonly path: string;
  /** The path before a move or copy. */
  readonly oldPath?: string | undefined;
  /** `text`, `binary`, `directory`, `symlink`, or the agent's own word. */
  readonly fileType?: string | undefined;
  /** The media type. */
  readonly mimeType?: string | undefined;
}

/** The fields that an item of a tool call's content has in addition if the agent speaks v2. */
export interface V2ContentFields {
  /** The change that this item shows, as a whole or in part. */
  readonly change?: DiffChange | undefined;
  /** The Git patch of the file, with absolute paths. */
  readonly patch?: string | undefined;
  /** The terminal on the agent's side whose text this item shows. */
  readonly terminalId?: string | undefined;
}
