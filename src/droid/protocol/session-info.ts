import type { JsonObject } from "../../wire/index.ts";
import { booleanOf, objectOf, objectsOf, textOf } from "./fields.ts";
import {
  readGitRepo,
  readMessage,
  readModel,
  usageOf,
  type DroidMessage,
  type GitRepo,
  type ModelInfo,
  type TokenUsage,
  type WorkingState,
} from "./protocol.ts";
import { readSettings, type DroidSettings } from "./settings.ts";

/** What Droid says of a session when it is started or loaded. */
export interface DroidSessionInfo {
  readonly sessionId: string;
  /** Empty for a new session. */
  readonly messages: readonly DroidMessage[];
  readonly settings: DroidSettings;
  readonly models: readonly ModelInfo[];
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly hostId: string | undefined;
  /** In 0.99. */
  readonly gitRepo: GitRepo | undefined;
  /** Whether Droid is in the middle of a turn in this session. */
  readonly isAgentLoopInProgress: boolean;
  readonly workingState: WorkingState | undefined;
  readonly hasOlderMessages: boolean;
  readonly usage: TokenUsage | undefined;
  /** All of it, for what has no place above. */
  readonly raw: JsonObject;
}

/** Reads the result of `initialize_session`, or of `load_session`, which does not name the session. */
export function readSessionInfo(raw: JsonObject, loadedId?: string): DroidSessionInfo {
  const session = objectOf(raw, "session") ?? {};
  const gitRepo = objectOf(raw, "gitRepo");
  return {
    sessionId: loadedId ?? textOf(raw, "sessionId") ?? "",
    messages: objectsOf(session, "messages").map(readMessage),
    settings: readSettings(objectOf(raw, "settings") ?? {}),
    models: objectsOf(raw, "availableModels").map(readModel),
    title: textOf(session, "title"),
    cwd: textOf(raw, "cwd"),
    hostId: textOf(raw, "hostId"),
    gitRepo: gitRepo && readGitRepo(gitRepo),
    isAgentLoopInProgress: booleanOf(raw, "isAgentLoopInProgress") === true,
    workingState: textOf(raw, "workingState"),
    hasOlderMessages: booleanOf(raw, "hasOlderMessages") === true,
    usage: usageOf(raw, "tokenUsage"),
    raw,
  };
}
