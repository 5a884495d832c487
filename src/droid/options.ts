import type { ToolServer } from "../tools/index.ts";
import type { EndStages, EnvOverlay, Logger, Overrides } from "../base/index.ts";
import type { Tap } from "../transport/wire/index.ts";
import type { DroidMcpServer, DroidSystemPrompt, DroidTag } from "./protocol/session.ts";
import type { RewindFile } from "./protocol/methods.ts";
import type { DroidPermissionHandler, AskUserHandler } from "./protocol/requests.ts";
import type { DroidHooks } from "./hooks.ts";
import type { SettingsChange } from "./protocol/settings.ts";
import type { WaitOptions } from "./wait.ts";

/** Handlers for Droid's requests. A turn may have its own. A request without a handler is declined. */
export interface SessionHandlers {
  /** Answers permission requests. Without it, they are answered with `cancel`. */
  readonly onPermission?: DroidPermissionHandler | undefined;
  /** Answers questions to the user. Without it, they are declined. */
  readonly onAskUser?: AskUserHandler | undefined;
  /** Receives diagnostics. Default: none. */
  readonly logger?: Logger | undefined;
  /** Called when turns and tool calls start and end, for observability. Default: none. */
  readonly hooks?: DroidHooks | undefined;
}

/** How Droid is started. */
export interface DroidProcessOptions extends SessionHandlers, WaitOptions {
  /** Droid's executable; otherwise `DROID_EXECUTABLE`, PATH and the usual install folders are searched. */
  readonly executable?: string | undefined;
  readonly cwd?: string | undefined;
  /** Environment variables for Droid, on top of those of this process. */
  readonly env?: EnvOverlay | undefined;
  /** Passed to Droid as `FACTORY_API_KEY`, and nowhere else: it is neither stored nor logged. */
  readonly apiKey?: string | undefined;
  /** More arguments for `droid exec`, after those of this library. */
  readonly args?: readonly string[] | undefined;
  /**
   * Sees every line in both directions. `recorder` from the wire layer creates a tap that redacts
   * secrets.
   */
  readonly tap?: Tap | undefined;
  /** How long each stage of ending the process may take. */
  readonly stages?: Overrides<EndStages> | undefined;
}

/** Options for opening a session, new or loaded. */
export interface DroidSessionOptions extends SettingsChange, WaitOptions {
  /**
   * MCP servers for this session, and servers of tools in this process (`toolServer`). Versions up to
   * 0.117 do not start MCP servers; with a tool server, the session is not opened there, and the call
   * rejects with UnsupportedByDroidError.
   */
  readonly mcpServers?: readonly (DroidMcpServer | ToolServer)[] | undefined;
}

/** Options for a new session. */
export interface NewDroidSessionOptions extends DroidSessionOptions {
  /** The id of the new session. An existing id does not resume that session; use `load` for that. */
  readonly sessionId?: string | undefined;
  /** An id for this machine, which Droid requires. Default: `dragoman`. */
  readonly machineId?: string | undefined;
  /**
   * Replaces Droid's instructions (since 0.215), or appends to them (in every version, if the session
   * is opened by `DroidClient.start`; otherwise since 0.215). Droid keeps it for the life of the session.
   */
  readonly systemPrompt?: DroidSystemPrompt | undefined;
  /** Tags that Droid stores with the session. A text is the name of a tag. */
  readonly tags?: readonly (string | DroidTag)[] | undefined;
}

/** Options of a rewind, which always copies the session. */
export interface RewindOptions extends WaitOptions {
  /** Files to restore, from `RewindInfo.availableFiles`. */
  readonly restore?: readonly RewindFile[] | undefined;
  /** Files to delete, from `RewindInfo.createdFiles`. */
  readonly remove?: readonly RewindFile[] | undefined;
  /** The title of the copy. Default: that of the session. */
  readonly title?: string | undefined;
}

/** Options of a fork. */
export interface ForkOptions extends WaitOptions {
  /** The title of the copy. Default: Droid's choice. */
  readonly title?: string | undefined;
}

/** Options of a compaction. */
export interface CompactOptions extends WaitOptions {
  /** Instructions for the summary. */
  readonly instructions?: string | undefined;
}
