import {
  booleanField,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
} from "../../wire/index.ts";
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

/** The report of Droid about a session that was started or loaded. */
export interface DroidSessionInfo {
  /** The id of the session. */
  readonly sessionId: string;
  /** Empty for a new session. */
  readonly messages: readonly DroidMessage[];
  /** The settings in effect when the session was opened. */
  readonly settings: DroidSettings;
  /** The models that the session can use. */
  readonly models: readonly ModelInfo[];
  /** The title of the session, if it has one. */
  readonly title: string | undefined;
  /** The folder that the session works in, if Droid reports it. */
  readonly cwd: string | undefined;
  /** The `hostId` that Droid reports, which seems to name this machine. */
  readonly hostId: string | undefined;
  /** Only in 0.99. */
  readonly gitRepo: GitRepo | undefined;
  /** Whether Droid is in the middle of a turn in this session. */
  readonly isAgentLoopInProgress: boolean;
  /** Droid's activity when the session was opened, if it reports it. */
  readonly workingState: WorkingState | undefined;
  /** Whether the session has earlier messages that are not in `messages`. */
  readonly hasOlderMessages: boolean;
  /** The tokens of the session so far, if Droid reports them. */
  readonly usage: TokenUsage | undefined;
  /** The whole result, for fields that are not listed above. */
  readonly raw: JsonObject;
}

/**
 * Reads the result of `initialize_session`, or of `load_session`, which does not contain the
 * session id.
 */
export function readSessionInfo(raw: JsonObject, loadedId?: string): DroidSessionInfo {
  const session = objectField(raw, "session") ?? {};
  const gitRepo = objectField(raw, "gitRepo");
  return {
    sessionId: loadedId ?? stringField(raw, "sessionId") ?? "",
    messages: objectsField(session, "messages").map(readMessage),
    settings: readSettings(objectField(raw, "settings") ?? {}),
    models: objectsField(raw, "availableModels").map(readModel),
    title: stringField(session, "title"),
    cwd: stringField(raw, "cwd"),
    hostId: stringField(raw, "hostId"),
    gitRepo: gitRepo && readGitRepo(gitRepo),
    isAgentLoopInProgress: booleanField(raw, "isAgentLoopInProgress") === true,
    workingState: stringField(raw, "workingState"),
    hasOlderMessages: booleanField(raw, "hasOlderMessages") === true,
    usage: usageOf(raw, "tokenUsage"),
    raw,
  };
}
