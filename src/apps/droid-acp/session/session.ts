import { quiet, unlessAborted, within } from "../../../base/index.ts";
import type {
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from "../../../protocol/acp/index.ts";
import {
  type AgentSession,
  invalidParams,
  type Notice,
  type Opened,
  type Turn,
  type TurnEnd,
} from "../../../agent/index.ts";
import {
  capabilitiesOf,
  type DroidClient,
  type DroidEvent,
  type DroidMessage,
  type PromptInput,
  readHistory,
  type SettingsChange,
  type DroidSettings,
  type ModelInfo,
} from "../../../droid/index.ts";
import {
  ownCommand,
  runCompact,
  runContext,
  runMcpLogin,
  availableCommands,
  canLogInToMcp,
} from "./commands.ts";
import {
  findModel,
  optionChange,
  requestedSettings,
  unmetSettings,
  modeChange,
  modeState,
  type DroidModeId,
  configOptions,
  modeOf,
} from "./config.ts";
import { turnEnd } from "../translate/turn-end.ts";
import {
  SessionProcess,
  isSessionNotFound,
  loadSessionProcess,
  startSessionProcess,
  type DroidWorkspace,
} from "../process/session-process.ts";
import type { AdapterDeps } from "../deps.ts";
import { realTitle } from "./stored.ts";
import {
  ignoredNotices,
  mcpNotices,
  noticeAsText,
  noticeOf,
  serverNotices,
} from "../translate/notices.ts";
import { toPromptInput } from "../translate/prompt.ts";
import { replay } from "./replay.ts";
import { relayTurn } from "../turn/event-relay.ts";
import { ToolIds } from "../turn/tool-relay.ts";
import type { ToolContext } from "../translate/tool-names.ts";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { translateDroidError } from "../translate/errors.ts";

/**
 * How long Droid waits for a first prompt before it lists its commands and counts its context, which
 * take it about 80 ms (0.225). A program prompts at once; a person does not notice the wait.
 */
const FIRST_PROMPT_MS = 50;

export interface StoredSession {
  /** Its ids in Droid, oldest first: a compacted session has several. */
  readonly droidIds: readonly string[];
  readonly cwd: string | undefined;
  readonly title: string | undefined;
}

/** One session of the client on one session of Droid. */
export class AdapterSession {
  readonly id: string;
  readonly #deps: AdapterDeps;
  readonly #process: SessionProcess;
  readonly #reports: SessionReports<AdapterSession>;
  readonly #toolIds = new ToolIds();
  #history: readonly DroidMessage[] = [];
  #storedTitle: string | undefined;
  #inTurn = false;
  /** Reports about a new session that a first prompt overtakes. */
  #dueReports: (() => Promise<void>) | undefined;
  #dueTimer: NodeJS.Timeout | undefined;

  private constructor(
    deps: AdapterDeps,
    id: string,
    workspace: DroidWorkspace,
    client: DroidClient,
  ) {
    this.#deps = deps;
    this.id = id;
    this.#process = new SessionProcess(deps, workspace, client, (event, turnId) => {
      if (turnId === undefined) void quiet(this.#event(event));
    });
    this.#reports = new SessionReports(this.#process);
  }

  static async open(deps: AdapterDeps, workspace: DroidWorkspace): Promise<AdapterSession> {
    const client = await startSessionProcess(deps, workspace, deps.requestedSettings);
    const session = new AdapterSession(deps, client.sessionId, workspace, client);
    for (const notice of ignoredNotices(client.ignored)) await session.#reports.notify(notice);
    await session.#process.settled();
    return session;
  }

  /** Reopens a session from disk. Resolves with undefined if it does not exist. */
  static async reopen(
    deps: AdapterDeps,
    id: string,
    { droidIds: [first = id, ...later], title }: StoredSession,
    workspace: DroidWorkspace,
  ): Promise<AdapterSession | undefined> {
    return AdapterSession.#opened(deps, first, workspace, async (client) => {
      const parts = [client.info.messages];
      // Each part starts after a compaction. In 0.117, it also repeats the end of the previous part.
      for (const part of later) parts.push((await client.switchTo(part)).messages);
      const session = new AdapterSession(deps, id, workspace, client);
      session.#history = withoutRepeats(parts.flat());
      session.#storedTitle = title;
      return session;
    });
  }

  /** Opens a copy of a session under a new id. Resolves with undefined if it does not exist. */
  static async fork(
    deps: AdapterDeps,
    droidId: string,
    workspace: DroidWorkspace,
  ): Promise<AdapterSession | undefined> {
    return AdapterSession.#opened(deps, droidId, workspace, async (client) => {
      const requested = requestedSettings(client.settings);
      const copy = await client.fork();
      await client.switchTo(copy);
      await client.updateSettings(unmetSettings(requested, client.settings));
      return new AdapterSession(deps, copy, workspace, client);
    });
  }

  /** Loads a session in Droid and wraps it. Ends the process if that fails. */
  static async #opened(
    deps: AdapterDeps,
    droidId: string,
    workspace: DroidWorkspace,
    make: (client: DroidClient) => Promise<AdapterSession>,
  ): Promise<AdapterSession | undefined> {
    let client: DroidClient | undefined;
    try {
      client = await loadSessionProcess(deps, workspace, droidId);
      await checkLoadedFolder(client.info.cwd, workspace.cwd);
      const session = await make(client);
      await session.#process.settled();
      return session;
    } catch (error) {
      await client?.close();
      if (isSessionNotFound(error)) return undefined;
      throw error;
    }
  }

  get modes(): SessionModeState {
    return modeState(this.#process.settings);
  }

  get options(): readonly SessionConfigOption[] {
    return optionsOf(this.#process);
  }

  /**
   * The updates that show the history of a loaded session. The history is dropped afterwards.
   * `markdownPlans`: whether the client supports plans as Markdown.
   */
  *replay(markdownPlans: boolean): Generator<SessionUpdate, void> {
    const turns = readHistory(this.#history);
    this.#history = [];
    yield* replay(turns, { ...this.#toolContext, markdownPlans }, this.#toolIds);
  }

  /**
   * Sends the client the rest of the state, now that it knows the session. The client of a loaded
   * session waits for it.
   */
  async opened(handle: AgentSession<AdapterSession>, how: Opened): Promise<void> {
    this.#process.rest();
    await this.#reports.attach(handle);
    // 0.99 and 0.117 do not report the title on disk when they load a session.
    await this.#reports.title(realTitle(this.#storedTitle) ?? this.#process.client?.title);
    void quiet(this.#reports.servers());
    this.#dueReports = async () => {
      await this.#reports.commands();
      await this.#reports.usage();
    };
    if (how === "load" || how === "resume") await this.#sendDueReports();
    else this.#dueTimer = setTimeout(() => void this.#sendDueReports(), FIRST_PROMPT_MS).unref();
    this.#deps.pool.warmLater(this.#process.workspace.cwd);
  }

  async setMode(mode: DroidModeId): Promise<void> {
    await this.#change(modeChange(mode));
    // The client that set the mode knows it, unless Droid chose another one.
    this.#reports.modeChosen(mode);
    await this.#reports.settings();
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const change = optionChange(id, value);
    if (!change) throw invalidParams({ path: "value", message: "is not a value that can be set" });
    await this.#change(change);
    // The response has the options. Only clients that use modes need an update.
    this.#reports.optionsSent();
    await this.#reports.settings();
  }

  /** Gives the session a title. Not in 0.99. */
  async rename(title: string): Promise<void> {
    await this.#process.using(async () => {
      const droid = await this.#process.ready();
      await this.#reports.whileRenaming(title, () => droid.rename(title));
    });
  }

  async prompt(turn: Turn<AdapterSession>): Promise<TurnEnd> {
    const input = toPromptInput(turn.prompt);
    if (!input) throw invalidParams({ path: "prompt", message: "must not be empty" });
    this.#inTurn = true;
    try {
      return await this.#process.using(() => this.#answer(turn, input));
    } catch (error) {
      throw translateDroidError(error);
    } finally {
      this.#inTurn = false;
      // They follow the answer.
      setImmediate(() => void this.#sendDueReports());
    }
  }

  /** Ends the process. The session is on disk and can be opened again. */
  close(): Promise<void> {
    clearTimeout(this.#dueTimer);
    this.#dueReports = undefined;
    return this.#process.close();
  }

  /** Sends the reports that are due, unless a turn runs. Then they follow it. Never rejects. */
  async #sendDueReports(): Promise<void> {
    if (this.#inTurn) return;
    const send = this.#dueReports;
    this.#dueReports = undefined;
    await send?.().catch(() => {});
  }

  async #answer(turn: Turn<AdapterSession>, input: PromptInput): Promise<TurnEnd> {
    const droid = await unlessAborted(this.#process.ready(), turn.signal);
    await this.#reports.settings();
    if (this.#process.connecting) {
      await this.#reports.notify({ severity: "info", title: "Waiting for MCP servers" });
      await unlessAborted(this.#process.servers, turn.signal);
    }
    const own = ownCommand(input.text);
    if (own?.name === "context") return runContext(turn, droid);
    if (own?.name === "compact") return this.#compact(turn, droid, own.instructions);
    if (own?.name === "mcp-login" && canLogInToMcp(droid))
      return runMcpLogin(turn, droid, own.server);
    const { settings, models } = this.#process;
    if (input.images && findModel(settings.model, models)?.supportsImages === false)
      await this.#reports.notify(NO_IMAGES);
    const { result, failureMessage, dismissed } = await relayTurn(turn, droid, input, {
      toolContext: this.#toolContext,
      // On v2, terminals of the agent take its place.
      terminalOutput:
        turn.client.protocolVersion === 1 &&
        turn.client.capabilities._meta?.["terminal_output"] === true,
      markdownPlans: turn.client.can("plan"),
      backgroundTasks: capabilitiesOf(droid.version).completesTurns !== false,
      toolIds: this.#toolIds,
      notify: (notice) => this.#reports.notify(notice),
      sessionEvent: (event) => this.#event(event),
    });
    await this.#reports.usage();
    if (dismissed) return "cancelled";
    const end = turnEnd(result, { model: this.#process.settings.model, failureMessage });
    if (typeof end !== "string") throw end;
    // A stop reason has no message. Without one, the user would not learn why the answer broke off.
    if (end === "refusal" && result.failure) await turn.say(`${result.failure.message}\n`);
    const { usage } = result;
    if (!usage) return end;
    // Clients from before ACP had a field for the usage find it in `_meta`.
    return { stopReason: end, usage, meta: { usage } };
  }

  async #compact(
    turn: Turn<AdapterSession>,
    droid: DroidClient,
    instructions: string | undefined,
  ): Promise<TurnEnd> {
    const { settings } = this.#process;
    try {
      return await this.#reports.whileChanging(() =>
        runCompact(turn, droid, instructions, async (droidId) => {
          await this.#process.moveTo(droidId, settings);
          // Droid generates a title for a compacted copy. Giving it the old one may take long.
          const { chosenTitle } = this.#reports;
          if (chosenTitle !== undefined) void quiet(this.rename(chosenTitle));
          await this.#deps.ids.append(this.id, droidId);
          await this.#reports.usage();
        }),
      );
    } finally {
      await this.#reports.settings();
    }
  }

  async #change(change: SettingsChange): Promise<void> {
    const apply = async (): Promise<void> => {
      const droid = await this.#process.ready();
      const { ignored, settings } = await droid.updateSettings(change);
      this.#process.settings = settings;
      const unapplied = ignored.find(({ kind }) => kind === "ignored");
      if (!unapplied) return;
      const message = `was not applied: Droid keeps ${unapplied.actual ?? "its current value"}`;
      throw invalidParams({ path: "value", message });
    };
    try {
      await this.#reports.whileChanging(() => this.#process.using(apply));
    } catch (error) {
      throw translateDroidError(error);
    }
  }

  async #event(event: DroidEvent): Promise<void> {
    // During a turn, usage is sent at its end.
    if (event.type !== "usage" || !this.#inTurn) await this.#reports.event(event);
  }

  get #toolContext(): ToolContext {
    return { cwd: this.#process.workspace.cwd, firstLine: this.#process.firstLine };
  }
}

const NO_IMAGES: Notice = {
  severity: "warning",
  title: "The model is not configured for images",
  description:
    'Droid leaves the images out. For an own-key model, set "noImageSupport": false in its customModels entry.',
};

/** A compacted session repeats the last messages of the one before it (0.117). */
function withoutRepeats(messages: readonly DroidMessage[]): readonly DroidMessage[] {
  const seen = new Set<string>();
  return messages.filter(({ id }) => {
    if (id !== "" && seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/**
 * Throws -32602 if a loaded session works in another folder than the client asked for. Droid (seen in
 * 0.225.2) always goes back to the folder in which a session was started.
 */
export async function checkLoadedFolder(own: string | undefined, requested: string): Promise<void> {
  if (own === undefined || (await realOf(own)) === (await realOf(requested))) return;
  throw invalidParams({
    path: "cwd",
    message: `must be ${own}, because Droid cannot move a session to another folder`,
  });
}

/** The path without links; the path itself if it does not exist. */
function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** Gives a session that is not in use a title. Only Droid itself can do that, and not 0.99. */
export async function renameStored(
  deps: AdapterDeps,
  { droidIds, cwd = deps.home }: StoredSession,
  title: string,
): Promise<void> {
  const client = await loadSessionProcess(deps, { cwd, mcpServers: [] }, droidIds.at(-1) ?? "");
  try {
    await client.rename(title);
  } finally {
    await client.close();
  }
}

/** Last resort: the context usage is not worth a longer wait. */
const STATS_LIMIT_MS = 2000;

/**
 * Reports the state of a session to its client: title, settings, commands, usage and notices. Each
 * change is reported once. Notices from before the client knows the session wait until it does.
 */
export class SessionReports<S> {
  readonly #process: SessionProcess;
  #handle: AgentSession<S> | undefined;
  readonly #pendingNotices: Notice[] = [];
  #sentMode: string;
  #sentConfig: string;
  #sentUsage = "";
  /** The title that the client has chosen, if it has. */
  chosenTitle: string | undefined;
  #reportedServers: ReadonlySet<string> = new Set();
  /** How many changes are in progress. Settings that Droid reports meanwhile may be incomplete. */
  #changing = 0;

  constructor(process: SessionProcess) {
    this.#process = process;
    this.#sentMode = modeOf(process.settings);
    this.#sentConfig = JSON.stringify(optionsOf(process));
  }

  /** The client knows the session from now on. Reports the notices from before. */
  async attach(handle: AgentSession<S>): Promise<void> {
    this.#handle = handle;
    for (const notice of this.#pendingNotices.splice(0)) await this.notify(notice);
  }

  /** Holds back changed settings while the work changes them. */
  async whileChanging<T>(work: () => Promise<T>): Promise<T> {
    this.#changing++;
    try {
      return await work();
    } finally {
      this.#changing--;
    }
  }

  modeChosen(mode: DroidModeId): void {
    this.#sentMode = mode;
  }

  /** Records that the client gets the current options in a response. */
  optionsSent(): void {
    this.#sentConfig = JSON.stringify(optionsOf(this.#process));
  }

  /**
   * The client itself chooses a title. It knows that title, and no generated one may replace it:
   * Droid may report one later, although it keeps the chosen one (seen from 0.117 to 0.225).
   */
  async whileRenaming(title: string, work: () => Promise<void>): Promise<void> {
    const before = this.chosenTitle;
    this.chosenTitle = title;
    try {
      await work();
    } catch (error) {
      this.chosenTitle = before;
      throw error;
    }
  }

  /** Reports a title of the session, unless the client has chosen one. */
  async title(given: string | undefined): Promise<void> {
    const title = realTitle(given);
    if (title === undefined || this.chosenTitle !== undefined) return;
    await this.#handle?.title(title);
  }

  async event(event: DroidEvent): Promise<void> {
    switch (event.type) {
      case "settings":
        return this.settings();
      case "title":
        return this.title(event.title);
      case "usage":
        return this.usage();
      case "mcp":
        return this.#mcp(event);
      case "notice": {
        const notice = noticeOf(event);
        if (notice) await this.notify(notice);
        return;
      }
      default:
    }
  }

  async settings(): Promise<void> {
    const handle = this.#handle;
    if (!handle || this.#changing > 0) return;
    const mode = modeOf(this.#process.settings);
    const options = optionsOf(this.#process);
    const config = JSON.stringify(options);
    const isNewMode = mode !== this.#sentMode;
    const isNewConfig = config !== this.#sentConfig;
    this.#sentMode = mode;
    this.#sentConfig = config;
    if (isNewMode) await handle.mode(mode);
    if (isNewConfig) await handle.configOptions(options);
  }

  /** Reports a notice, as a thought to clients that do not support notices. */
  async notify(notice: Notice): Promise<void> {
    const handle = this.#handle;
    if (!handle) return void this.#pendingNotices.push(notice);
    if (handle.client.can("session.notices")) return handle.notice(notice);
    const content = { type: "text", text: noticeAsText(notice) } as const;
    await handle.update({ sessionUpdate: "agent_thought_chunk", content });
  }

  async servers(): Promise<void> {
    for (const notice of serverNotices(await this.#process.servers)) await this.notify(notice);
    // Events about Droid's own servers during its start had no listener yet.
    const servers = await this.#process.client?.request("listMcpServers", {});
    if (servers) await this.#mcp({ type: "mcp", kind: "status", servers });
  }

  async commands(): Promise<void> {
    const droid = this.#process.client;
    if (!droid) return;
    const [commands, skills] = await Promise.all([
      droid.listCommands().catch(() => []),
      droid.listSkills().catch(() => []),
    ]);
    await this.#handle?.commands(availableCommands(commands, skills, canLogInToMcp(droid)));
  }

  /** Reports how full the context is, if Droid reports it (from 0.117 on). */
  async usage(): Promise<void> {
    const droid = this.#process.client;
    if (!droid) return;
    const asked = droid.contextUsage().catch(() => undefined);
    if (!(await within(asked, STATS_LIMIT_MS))) return;
    const use = await asked;
    const usage = JSON.stringify(use);
    if (!use || usage === this.#sentUsage) return;
    this.#sentUsage = usage;
    await this.#handle?.usage(use);
  }

  /** Reports each problem once, although Droid repeats the state of its servers. */
  async #mcp(event: Extract<DroidEvent, { type: "mcp" }>): Promise<void> {
    const notices = mcpNotices(event);
    const known = this.#reportedServers;
    const texts = notices.map(noticeAsText);
    this.#reportedServers = new Set(event.kind === "status" ? texts : [...known, ...texts]);
    for (const notice of notices) if (!known.has(noticeAsText(notice))) await this.notify(notice);
  }
}

function optionsOf(process: {
  readonly settings: DroidSettings;
  readonly models: readonly ModelInfo[];
}): readonly SessionConfigOption[] {
  return configOptions(process.settings, process.models);
}
