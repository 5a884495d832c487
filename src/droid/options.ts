import type { EndStages, EnvOverlay, JsonObject, Logger, Tap } from "../wire/index.ts";
import type { DroidMcpServer } from "./protocol/mcp.ts";
import type { RewindFile } from "./protocol/methods.ts";
import type { DroidPermissionHandler } from "./protocol/permissions.ts";
import type { AskUserHandler } from "./protocol/questions.ts";
import type { SettingsChange } from "./protocol/settings.ts";

/** Who answers Droid's questions; a turn may bring its own. Without anybody they are declined. */
export interface SessionHandlers {
  readonly onPermission?: DroidPermissionHandler | undefined;
  readonly onAskUser?: AskUserHandler | undefined;
  readonly logger?: Logger | undefined;
}

/** How Droid is started. */
export interface DroidProcessOptions extends SessionHandlers {
  /** Droid's executable; otherwise `DROID_EXECUTABLE`, PATH and the usual install folders are searched. */
  readonly executable?: string | undefined;
  /** The folder Droid works in. */
  readonly cwd?: string | undefined;
  /** Laid over this process's environment, for Droid alone. */
  readonly env?: EnvOverlay | undefined;
  /** Goes to Droid as `FACTORY_API_KEY`, and nowhere else: it is neither kept nor logged. */
  readonly apiKey?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Sees every line of the wire, both ways; the wire's `recorder` makes one that takes secrets out. */
  readonly tap?: Tap | undefined;
  /** How long the stages of ending Droid may take. */
  readonly stages?: Partial<EndStages> | undefined;
}

/** What a session may be given when it begins, new or loaded. */
export interface DroidSessionOptions extends SettingsChange {
  readonly mcpServers?: readonly DroidMcpServer[] | undefined;
}

/** What a new session may be given besides. */
export interface NewDroidSessionOptions extends DroidSessionOptions {
  /** An id for the new session. One that exists is not resumed by it: that is what `load` does. */
  readonly sessionId?: string | undefined;
  readonly machineId?: string | undefined;
  /** Replaces Droid's own system prompt; ignored up to 0.117. */
  readonly systemPrompt?: string | undefined;
  readonly enabledToolIds?: readonly string[] | undefined;
  readonly disabledToolIds?: readonly string[] | undefined;
  readonly tags?: readonly JsonObject[] | undefined;
}

/** What a rewind does besides copying the session. */
export interface RewindOptions {
  /** Files to be put back as they were: of `RewindInfo.availableFiles`. */
  readonly restore?: readonly RewindFile[];
  /** Files to be deleted: of `RewindInfo.createdFiles`. */
  readonly remove?: readonly RewindFile[];
  /** The copy's title. */
  readonly title?: string;
}
