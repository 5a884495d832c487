import { assertOptions } from "./assert-options.ts";
import { homedir } from "node:os";
import {
  type AsyncStream,
  type JsonObject,
  quiet,
  quietly,
  unlessAborted,
  within,
} from "../base/index.ts";
import type { CloseReason, LifecycleState } from "../transport/wire/index.ts";
import {
  openLoaded,
  changeSettings,
  type SessionReport,
  type SettingsReport,
  copyAndReopen,
} from "./session/open.ts";
import { readHistory, type HistoryTurn } from "./session/history.ts";
import type { McpServerReport, DroidSessionInfo, WorkingState } from "./protocol/session.ts";
import {
  COPYING_METHODS,
  METHODS,
  type CommandInfo,
  type CompactResult,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type RewindInfo,
  type RewindResult,
  type SkillInfo,
  type ToolInfo,
} from "./protocol/methods.ts";
import type {
  CompactOptions,
  DroidProcessOptions,
  DroidSessionOptions,
  ForkOptions,
  NewDroidSessionOptions,
  RewindOptions,
} from "./options.ts";
import { prepare, type PreparedProcess, startPreparedSession } from "./process/prepared.ts";
import type { DroidPrompt, DroidPromptOptions } from "./protocol/prompt.ts";
import type { ContextUsage, TokenUsage } from "../protocol/acp/index.ts";
import type { ModelInfo } from "./protocol/messages.ts";
import {
  deleteSession,
  findSession,
  listSessions,
  type ListOptions,
  type SessionFilesOptions,
  type SessionSummary,
} from "./session/session-files.ts";
import { type DroidEventListener, type DroidSession, INTERRUPT_MS } from "./session/session.ts";
import type { DroidSettings, IgnoredSetting, SettingsChange } from "./protocol/settings.ts";
import type { DroidEvent } from "./turn/events.ts";
import type { DroidTurn, DroidTurnResult } from "./turn/turn.ts";
import type { AnswerCheck } from "../protocol/schema/index.ts";
import { waitForDroid, type WaitOptions } from "./wait.ts";
import { testedRange, type DroidVersion, type TestedRange } from "./protocol/versions.ts";
import { mcpReport } from "./protocol/mcp.ts";

/** A Droid process that was started ahead of time and has no session yet. */
export type PreparedDroid = PreparedProcess<DroidClient>;

/** The name of the failure if Droid's own check of an answer failed, after its own two retries. */
const INVALID_OUTPUT = "StructuredOutputError";

/**
 * A Droid session in its own process.
 *
 * Every method rejects with a DroidError: DroidRequestError (Droid answered with an error),
 * UnsupportedByDroidError (this version does not support the method), or DroidExitedError (the
 * process or the connection ended). A promise that nothing awaits is never reported as an unhandled
 * rejection.
 */
export class DroidClient {
  readonly #session: DroidSession;
  #report: SessionReport;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(session: DroidSession, report: SessionReport) {
    this.#session = session;
    this.#report = report;
    void session.connection.closed.then(() => {
      this.#isClosed = true;
    });
  }

  /**
   * Starts Droid without a session. Rejects with DroidNotFoundError, or with a DroidError
   * (`start_failed`) whose cause is the SpawnError, for example if `cwd` does not exist.
   */
  static prepare(options: DroidProcessOptions = {}): Promise<PreparedDroid> {
    return quiet(prepare(options, (session, report) => new DroidClient(session, report)));
  }

  /**
   * Starts Droid and opens a new session. If the signal is aborted, nothing is left running. Rejects with
   * a DroidError (`invalid_argument`) for an unknown option.
   */
  static start(options: DroidProcessOptions & NewDroidSessionOptions = {}): Promise<DroidClient> {
    return quietly(async () => {
      assertOptions(options, "DroidClient.start");
      return startPreparedSession(options, (adapted) => DroidClient.prepare(adapted));
    });
  }

  /** Starts Droid and resumes a session. Default for `cwd`: the folder in which the session was started. */
  static load(
    sessionId: string,
    options: DroidProcessOptions & DroidSessionOptions = {},
  ): Promise<DroidClient> {
    return quietly(async () => {
      assertOptions(options, "DroidClient.load");
      const home = options.env?.["HOME"] ?? homedir();
      const cwd = options.cwd ?? (await findSession(sessionId, { home }))?.cwd;
      const prepared = await DroidClient.prepare({ ...options, cwd });
      return prepared.load(sessionId, options);
    });
  }

  /** Lists the sessions on disk, newest first. Does not start Droid. */
  static list(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
    return quiet(waitForDroid(() => listSessions(options), options));
  }

  /**
   * Deletes the files of a session, and resolves with their paths. Rejects with a DroidError:
   * `session_not_found` if the session does not exist, `remote_error` if a file cannot be deleted.
   */
  static delete(sessionId: string, options: SessionFilesOptions = {}): Promise<readonly string[]> {
    return quiet(waitForDroid(() => deleteSession(sessionId, options), options));
  }

  get sessionId(): string {
    return this.#session.info.sessionId;
  }

  /** Everything Droid reported about the session when it was opened. */
  get info(): DroidSessionInfo {
    return this.#session.info;
  }

  /** The turns of a loaded session, as they were when it was loaded. */
  get history(): readonly HistoryTurn[] {
    return readHistory(this.#session.info.messages);
  }

  /** The settings now in effect. */
  get settings(): DroidSettings {
    return this.#session.settings;
  }

  /** The models that Droid listed when the session was opened. */
  get models(): readonly ModelInfo[] {
    return this.#session.info.models;
  }

  /** The title of the session, as last reported; undefined while it has none. */
  get title(): string | undefined {
    return this.#session.title;
  }

  /** The tokens of the session, as last reported. */
  get usage(): TokenUsage | undefined {
    return this.#session.usage;
  }

  /** The credits of the session, as last reported. Not in 0.99. */
  get credits(): number | undefined {
    return this.#session.credits;
  }

  /** The current activity of Droid, as last reported. */
  get workingState(): WorkingState {
    return this.#session.workingState;
  }

  /** The version of this Droid. */
  get version(): DroidVersion {
    return this.#session.connection.version;
  }

  /** How the version relates to those this library is tested with. */
  get tested(): TestedRange {
    return testedRange(this.version.cli);
  }

  /** The settings requested when the session was opened that Droid silently ignored. */
  get ignored(): readonly IgnoredSetting[] {
    return this.#report.ignored;
  }

  /** The status of the MCP servers that were passed to the session. */
  get mcpServers(): readonly McpServerReport[] {
    return this.#report.mcpServers;
  }

  /** The id of Droid's process. */
  get pid(): number | undefined {
    return this.#session.connection.pid;
  }

  /** `open` until `close` is called or Droid ends. It leaves `open` before any turn fails. */
  get state(): LifecycleState {
    if (this.#isClosed) return "closed";
    return this.#closing || !this.#session.connection.isOpen ? "closing" : "open";
  }

  /** Resolves with the reason once Droid has ended. */
  get closed(): Promise<CloseReason> {
    return this.#session.connection.closed;
  }

  /**
   * Sends a prompt. Never throws: `result` of the turn rejects, with DroidBusyError and nothing sent if
   * another turn runs and `whenBusy` is not `wait`.
   */
  prompt(input: DroidPrompt, options: DroidPromptOptions = {}): DroidTurn {
    return this.#session.prompt(input, options);
  }

  /**
   * How Droid itself checks an answer, for `typedAnswer`: since 0.215, for JSON schemas of objects.
   * Otherwise undefined.
   */
  answerCheck(schema: JsonObject): AnswerCheck<DroidPromptOptions, DroidTurnResult> | undefined {
    if (schema["type"] !== "object") return undefined;
    if (!this.#session.connection.capabilities.structuredOutput) return undefined;
    // Its validator does not need to know the draft.
    const { $schema: _, ...outputSchema } = schema;
    return {
      options: { outputSchema },
      read: ({ structuredOutput: value, failure }) =>
        failure?.name === INVALID_OUTPUT ? { fault: failure.message } : { value },
    };
  }

  /**
   * Cancels the running turn and those that wait for it. Resolves when they are over, for any reason,
   * or when the signal is aborted; never rejects. Without a turn, it interrupts Droid.
   */
  async cancel({ signal }: WaitOptions = {}): Promise<void> {
    const cancelled = this.#session.cancel();
    await (signal ? unlessAborted(cancelled, signal).catch(() => {}) : cancelled);
  }

  /**
   * A single ordered stream of all events from now on, inside and outside turns. A slow reader slows
   * Droid down. The stream ends when the client is closed, and throws DroidExitedError if Droid exits.
   */
  updates(): AsyncStream<DroidEvent> {
    return this.#session.updates();
  }

  /**
   * Calls a listener with every event as soon as Droid sends it, before any reader gets it. Returns a
   * function that removes the listener. Errors thrown by the listener are ignored.
   */
  onEvent(listener: DroidEventListener): () => void {
    return this.#session.onEvent(listener);
  }

  /** Changes settings, and reports which changes Droid ignored. */
  updateSettings(change: SettingsChange, options: WaitOptions = {}): Promise<SettingsReport> {
    return quiet(waitForDroid(() => changeSettings(this.#session, change), options));
  }

  /**
   * Copies the session, and resolves with the id of the copy. The client stays with the original.
   * Like every method that copies the session, call it only between turns.
   */
  fork({ title, signal }: ForkOptions = {}): Promise<string> {
    return this.request("fork", title === undefined ? {} : { title }, { signal });
  }

  /** Gives the session a title. Not in 0.99. */
  rename(title: string, options: WaitOptions = {}): Promise<void> {
    return quietly(async () => {
      await this.request("rename", { title }, options);
    });
  }

  /**
   * Makes a compacted copy of the session. The client stays with the original. Load the copy in
   * another process: in the one that made it, every version keeps showing the model the whole old
   * conversation. 0.99 needs a login for this.
   */
  compact({ instructions, signal }: CompactOptions = {}): Promise<CompactResult> {
    const params = instructions === undefined ? {} : { customInstructions: instructions };
    return this.request("compact", params, { signal });
  }

  /**
   * How going back to before a prompt would affect the files. `messageId` comes from the result of
   * a turn.
   */
  rewindInfo(messageId: string, options: WaitOptions = {}): Promise<RewindInfo> {
    return this.request("rewindInfo", { sessionId: this.sessionId, messageId }, options);
  }

  /**
   * Makes a copy of the session that ends before a prompt, and restores or deletes the given files.
   * The client stays with the original.
   */
  rewind(messageId: string, options: RewindOptions = {}): Promise<RewindResult> {
    const { restore = [], remove = [], title = this.title ?? "" } = options;
    const params = {
      sessionId: this.sessionId,
      messageId,
      filesToRestore: restore,
      filesToDelete: remove,
      forkTitle: title,
    };
    return this.request("rewind", params, options);
  }

  /** Switches to another session in the same process, such as a fork. Call it only between turns. */
  switchTo(sessionId: string, options: DroidSessionOptions = {}): Promise<DroidSessionInfo> {
    const open = async (): Promise<DroidSessionInfo> => {
      const cwd = this.info.cwd ?? process.cwd();
      this.#report = await openLoaded(this.#session, sessionId, cwd, options);
      return this.info;
    };
    return quiet(waitForDroid(open, options));
  }

  /** Asks for the models that the session can use now. Not in 0.99. */
  listModels(options: WaitOptions = {}): Promise<readonly ModelInfo[]> {
    return this.request("listModels", {}, options);
  }

  /** Asks for Droid's built-in tools. Not in 0.99. */
  listTools(options: WaitOptions = {}): Promise<readonly ToolInfo[]> {
    return this.request("listTools", {}, options);
  }

  /** Asks for the slash commands. Not in 0.99. */
  listCommands(options: WaitOptions = {}): Promise<readonly CommandInfo[]> {
    return this.request("listCommands", {}, options);
  }

  /** Asks for the skills, without their contents. */
  listSkills(options: WaitOptions = {}): Promise<readonly SkillInfo[]> {
    return this.request("listSkills", {}, options);
  }

  /** Asks how full the model's context is; undefined if Droid does not know its size. Not in 0.99. */
  contextUsage(options: WaitOptions = {}): Promise<ContextUsage | undefined> {
    return this.request("contextUsage", {}, options);
  }

  /** Updates the status of the MCP servers of the session, since a slow one may have connected by now. */
  refreshMcpServers(options: WaitOptions = {}): Promise<readonly McpServerReport[]> {
    return quietly(async () => {
      const { mcpServers } = this.#report;
      if (mcpServers.every(({ status }) => status === "unsupported")) return mcpServers;
      const tools = await this.request("listMcpTools", {}, options);
      this.#report = { ...this.#report, mcpServers: mcpReport(mcpServers, tools) };
      return this.mcpServers;
    });
  }

  /**
   * Calls a method by its name in this library (typed) or by its name in the protocol (`droid.…`,
   * untyped).
   */
  request<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    options?: WaitOptions,
  ): Promise<MethodResult<M>>;
  request(
    method: `droid.${string}`,
    params?: JsonObject,
    options?: WaitOptions,
  ): Promise<JsonObject>;
  request(method: string, params: object = {}, options: WaitOptions = {}): Promise<unknown> {
    const known = isMethodName(method) ? METHODS[method] : undefined;
    const name = known?.name ?? method;
    const accept = known?.read ?? ((result: JsonObject): unknown => result);
    const call = (): Promise<unknown> =>
      this.#session.connection.call<unknown>(name, { ...params }, { accept });
    const isCopying = COPYING_METHODS.has(name);
    const work = (): Promise<unknown> => (isCopying ? copyAndReopen(this.#session, call) : call());
    return quiet(waitForDroid(work, options));
  }

  /**
   * Interrupts the running turn, then ends Droid and every process it started. Resolves when none of
   * them is left. Rejects only with a DroidError (`cancelled`) if the signal is aborted first; it stops
   * the waiting, not the closing.
   */
  close(options: WaitOptions = {}): Promise<void> {
    const closing = (this.#closing ??= this.#close());
    return quiet(waitForDroid(() => closing, options));
  }

  /** Calls {@link DroidClient.close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await within(
      Promise.race([this.#session.stop(), this.#session.connection.closed]),
      INTERRUPT_MS,
    );
    await this.#session.connection.close();
  }
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}
