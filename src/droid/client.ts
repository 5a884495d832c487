import { homedir } from "node:os";
import { type CloseReason, type JsonObject, within } from "../wire/index.ts";
import { openLoaded, changeSettings } from "./session/open.ts";
import type { SessionReport, SettingsReport } from "./session/open.ts";
import type { DroidConnection } from "./process/connection.ts";
import { copyAside } from "./session/copies.ts";
import { readHistory, type HistoryTurn } from "./session/history.ts";
import { mcpReport, type McpServerReport } from "./protocol/mcp.ts";
import { COPYING_METHODS, METHODS } from "./protocol/methods.ts";
import type { CommandInfo, CompactResult, ContextStats, RewindInfo } from "./protocol/methods.ts";
import type { MethodName, MethodParams, MethodResult } from "./protocol/methods.ts";
import type { RewindResult, SkillInfo, ToolInfo } from "./protocol/methods.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "./options.ts";
import type { RewindOptions, DroidSessionOptions } from "./options.ts";
import { prepare, type PreparedProcess } from "./process/prepared.ts";
import type { PromptInput, DroidPromptOptions } from "./protocol/prompt.ts";
import type { ModelInfo, TokenUsage, WorkingState } from "./protocol/protocol.ts";
import { deleteSession, findSession, listSessions } from "./session/session-files.ts";
import type { ListOptions, SessionFilesOptions, SessionSummary } from "./session/session-files.ts";
import type { DroidSessionInfo } from "./protocol/session-info.ts";
import type { DroidEventListener, DroidSession } from "./session/session.ts";
import type { DroidSettings, IgnoredSetting, SettingsChange } from "./protocol/settings.ts";
import type { DroidEvent } from "./turn/events.ts";
import type { DroidTurn } from "./turn/turn.ts";
import { testedRange, type DroidVersion, type TestedRange } from "./protocol/versions.ts";

/** A Droid process that was started ahead of need and has no session yet. */
export type PreparedDroid = PreparedProcess<DroidClient>;

/** Last resort: an interrupt that Droid does not act upon must not hold up the closing. */
const STOP_MS = 1000;

/**
 * A session of Droid, in a process of its own.
 *
 * Every method rejects with a DroidError: DroidRequestError (Droid refused), UnsupportedByDroidError
 * (its version cannot), DroidExitedError (it is gone).
 */
export class DroidClient {
  readonly #connection: DroidConnection;
  readonly #session: DroidSession;
  #beginning: SessionReport;
  #closing: Promise<void> | undefined;

  private constructor(
    connection: DroidConnection,
    session: DroidSession,
    beginning: SessionReport,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#beginning = beginning;
  }

  /**
   * Starts Droid without a session. Rejects with DroidNotFoundError, or the SpawnError of the wire.
   */
  static prepare(options: DroidProcessOptions = {}): Promise<PreparedDroid> {
    return prepare(
      options,
      (connection, session, beginning) => new DroidClient(connection, session, beginning),
    );
  }

  /** Starts Droid and begins a new session. */
  static async start(
    options: DroidProcessOptions & NewDroidSessionOptions = {},
  ): Promise<DroidClient> {
    return (await DroidClient.prepare(options)).start(options);
  }

  /** Starts Droid and goes on with an old session, in the folder it was begun in unless another is given. */
  static async load(
    sessionId: string,
    options: DroidProcessOptions & DroidSessionOptions = {},
  ): Promise<DroidClient> {
    const home = options.env?.["HOME"] ?? homedir();
    const cwd = options.cwd ?? (await findSession(sessionId, { home }))?.cwd;
    return (await DroidClient.prepare({ ...options, cwd })).load(sessionId, options);
  }

  /** The sessions on disk, newest first. Needs no Droid. */
  static list(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
    return listSessions(options);
  }

  /** Deletes a session's files, and nothing else. */
  static delete(sessionId: string, options: SessionFilesOptions = {}): Promise<readonly string[]> {
    return deleteSession(sessionId, options);
  }

  get sessionId(): string {
    return this.#session.info.sessionId;
  }

  /** All that Droid said of the session when it began. */
  get info(): DroidSessionInfo {
    return this.#session.info;
  }

  /** The turns of the loaded session, as they stood when it was loaded. */
  get history(): readonly HistoryTurn[] {
    return readHistory(this.#session.info.messages);
  }

  /** The settings now in force. */
  get settings(): DroidSettings {
    return this.#session.settings;
  }

  get models(): readonly ModelInfo[] {
    return this.#session.info.models;
  }

  get title(): string | undefined {
    return this.#session.title;
  }

  /** The tokens of the session, as last told. */
  get usage(): TokenUsage | undefined {
    return this.#session.usage;
  }

  get workingState(): WorkingState {
    return this.#session.workingState;
  }

  get version(): DroidVersion {
    return this.#connection.version;
  }

  /** Where the version stands among those this library is tested with. */
  get tested(): TestedRange {
    return testedRange(this.version.cli);
  }

  /** Wishes for the beginning of the session that Droid passed over in silence. */
  get ignored(): readonly IgnoredSetting[] {
    return this.#beginning.ignored;
  }

  /** What became of the MCP servers the session was given. */
  get mcpServers(): readonly McpServerReport[] {
    return this.#beginning.mcpServers;
  }

  /** Droid's process. */
  get pid(): number | undefined {
    return this.#connection.pid;
  }

  /** Resolves when Droid is gone, with the reason. */
  get closed(): Promise<CloseReason> {
    return this.#connection.closed;
  }

  /**
   * Sends a prompt. Throws DroidBusyError, with nothing sent, while another turn runs and `whenBusy`
   * is not `wait`. Every other failure rejects `result` of the turn.
   */
  prompt(input: string | PromptInput, options: DroidPromptOptions = {}): DroidTurn {
    return this.#session.prompt(input, options);
  }

  /** Stops whatever Droid does. Resolves when it has stopped. */
  interrupt(): Promise<void> {
    return this.#session.interrupt();
  }

  /**
   * The one ordered stream of all events, inside and outside turns, from now on. A slow reader slows
   * Droid down. The stream ends when the client is closed, and throws DroidExitedError if Droid exits.
   */
  updates(): AsyncIterableIterator<DroidEvent, undefined> {
    return this.#session.updates();
  }

  /**
   * Calls a listener with every event as soon as Droid sends it, before any reader gets it. Returns a
   * function that removes the listener. What the listener throws is ignored.
   */
  onEvent(listener: DroidEventListener): () => void {
    return this.#session.onEvent(listener);
  }

  /** Changes settings, and says which changes Droid passed over. */
  updateSettings(change: SettingsChange): Promise<SettingsReport> {
    return changeSettings(this.#connection, this.#session, change);
  }

  /**
   * Copies the session; resolves with the copy's id. The client stays with the original. Like all
   * that copies the session, only between turns.
   */
  fork(title?: string): Promise<string> {
    return this.request("fork", title === undefined ? {} : { title });
  }

  /** Gives the session a title. Not in 0.99. */
  async rename(title: string): Promise<void> {
    await this.request("rename", { title });
  }

  /**
   * Makes a compacted copy of the session. The client stays with the original. Load the copy in a
   * process of its own: in the one that made it every version goes on showing the model the whole
   * old conversation. 0.99 needs a login for it.
   */
  compact(customInstructions?: string): Promise<CompactResult> {
    return this.request("compact", customInstructions === undefined ? {} : { customInstructions });
  }

  /** What going back to before a prompt would do to the files. The id is that of a turn's result. */
  rewindInfo(messageId: string): Promise<RewindInfo> {
    return this.request("rewindInfo", { sessionId: this.sessionId, messageId });
  }

  /**
   * Makes a copy of the session that ends before a prompt, and puts back the files it is told to.
   * The client stays with the original.
   */
  rewind(messageId: string, options: RewindOptions = {}): Promise<RewindResult> {
    const { restore = [], remove = [], title = this.title ?? "" } = options;
    return this.request("rewind", {
      sessionId: this.sessionId,
      messageId,
      filesToRestore: restore,
      filesToDelete: remove,
      forkTitle: title,
    });
  }

  /** Goes over to another session in the same process, such as a fork. Only between turns. */
  async switchTo(sessionId: string, options: DroidSessionOptions = {}): Promise<DroidSessionInfo> {
    const cwd = this.info.cwd ?? process.cwd();
    this.#beginning = await openLoaded(this.#connection, this.#session, sessionId, cwd, options);
    return this.info;
  }

  listModels(): Promise<readonly ModelInfo[]> {
    return this.request("listModels", {});
  }

  listTools(): Promise<readonly ToolInfo[]> {
    return this.request("listTools", {});
  }

  listCommands(): Promise<readonly CommandInfo[]> {
    return this.request("listCommands", {});
  }

  listSkills(): Promise<readonly SkillInfo[]> {
    return this.request("listSkills", {});
  }

  contextStats(): Promise<ContextStats> {
    return this.request("contextStats", {});
  }

  /** Looks again at the MCP servers the session was given: a slow one may have connected since. */
  async refreshMcpServers(): Promise<readonly McpServerReport[]> {
    const { mcpServers } = this.#beginning;
    if (mcpServers.every(({ status }) => status === "unsupported")) return mcpServers;
    const tools = await this.request("listMcpTools", {});
    this.#beginning = { ...this.#beginning, mcpServers: mcpReport(mcpServers, tools) };
    return this.mcpServers;
  }

  /** Calls a method by its name here, typed, or by its name on the wire (`droid.…`), untyped. */
  request<M extends MethodName>(method: M, params: MethodParams<M>): Promise<MethodResult<M>>;
  request(method: `droid.${string}`, params?: JsonObject): Promise<JsonObject>;
  request(method: string, params: object = {}): Promise<unknown> {
    const known = isMethodName(method) ? METHODS[method] : undefined;
    const name = known?.name ?? method;
    const accept = known?.read ?? ((result: JsonObject): unknown => result);
    const call = (): Promise<unknown> =>
      this.#connection.call<unknown>(name, { ...params }, { accept });
    return COPYING_METHODS.has(name) ? copyAside(this.#connection, this.#session, call) : call();
  }

  /**
   * Ends the session and its process: what runs is interrupted, then Droid and everything it started
   * is ended. Resolves when nothing of it is left; never rejects.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await within(Promise.race([this.#session.stop(), this.#connection.closed]), STOP_MS);
    await this.#connection.close();
  }
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}
