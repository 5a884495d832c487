import { quiet, unlessAborted, within } from "../../wire/index.ts";
import type { SessionConfigOption, SessionModeState, SessionUpdate } from "../../acp/index.ts";
import { type AgentSession, invalidParams, type Turn, type TurnEnd } from "../../agent/index.ts";
import {
  capabilitiesOf,
  type DroidClient,
  type DroidEvent,
  type DroidMessage,
  type PromptInput,
  readHistory,
  type SettingsChange,
} from "../../droid/index.ts";
import { availableCommands, ownCommand } from "./commands.ts";
import {
  configOptions,
  findModel,
  unmetSettings,
  optionChange,
  requestedSettings,
} from "./config.ts";
import { droidFailure, turnEnd } from "../translate/turn-end.ts";
import {
  SessionProcess,
  isNotFound,
  openInPool,
  type DroidWorkspace,
} from "../process/session-process.ts";
import type { AdapterDeps } from "../deps.ts";
import { realTitle } from "./listing.ts";
import { modeChange, modeOf, modeState, type DroidModeId } from "./modes.ts";
import {
  ignoredNotices,
  mcpNotices,
  noticeAsText,
  noticeOf,
  serverNotices,
  type NoticeText,
} from "../translate/notices.ts";
import { runCompact, runContext, runMcpLogin } from "../turn/own-commands.ts";
import { toPromptInput } from "../translate/prompt.ts";
import { replay } from "./replay.ts";
import { relayTurn } from "../turn/relay-turn.ts";
import { ToolIds } from "../turn/tool-ids.ts";
import type { ToolContext } from "../translate/tool-names.ts";
import { contextUse, turnUsage } from "./usage.ts";

/** Last resort: the context usage is not worth a longer wait. */
const STATS_LIMIT_MS = 2000;

/** One session of the client, including which state the client already knows. */
export class AdapterSession {
  readonly id: string;
  readonly #deps: AdapterDeps;
  readonly #process: SessionProcess;
  #handle: AgentSession<AdapterSession> | undefined;
  #history: readonly DroidMessage[] = [];
  /** Notices from before the client knew the session. */
  readonly #pendingNotices: NoticeText[] = [];
  #sentMode: string;
  #sentConfig: string;
  #sentUsage = "";
  #reportedServers: ReadonlySet<string> = new Set();
  /** How many changes are in progress. Settings that Droid reports meanwhile may be incomplete. */
  #changing = 0;
  #inTurn = false;
  readonly #toolIds = new ToolIds();

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
    this.#sentMode = modeOf(client.settings);
    this.#sentConfig = JSON.stringify(this.options);
  }

  /** Opens a new session. */
  static async open(deps: AdapterDeps, workspace: DroidWorkspace): Promise<AdapterSession> {
    const client = await openInPool(deps, workspace.cwd, (prepared) =>
      prepared.start(deps.requestedSettings),
    );
    const session = new AdapterSession(deps, client.sessionId, workspace, client);
    session.#pendingNotices.push(...ignoredNotices(client.ignored));
    await session.#process.settled();
    return session;
  }

  /** Reopens a session by its ids in Droid. Resolves with undefined if it does not exist. */
  static async reopen(
    deps: AdapterDeps,
    id: string,
    [first = id, ...later]: readonly string[],
    workspace: DroidWorkspace,
  ): Promise<AdapterSession | undefined> {
    return AdapterSession.#opened(deps, first, workspace, async (client) => {
      const parts = [client.info.messages];
      // Each part starts after a compaction. In 0.117, it also repeats the end of the previous part.
      for (const part of later) parts.push((await client.switchTo(part)).messages);
      const session = new AdapterSession(deps, id, workspace, client);
      session.#history = withoutRepeats(parts.flat());
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
      client = await openInPool(deps, workspace.cwd, (prepared) => prepared.load(droidId));
      const session = await make(client);
      await session.#process.settled();
      return session;
    } catch (error) {
      await client?.close();
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  get modes(): SessionModeState {
    return modeState(this.#process.settings);
  }

  /** All config options with their current values. */
  get options(): readonly SessionConfigOption[] {
    return configOptions(this.#process.settings, this.#process.models);
  }

  /** The updates that show the history of a loaded session. The history is dropped afterwards. */
  *replay(): Generator<SessionUpdate, void> {
    const history = readHistory(this.#history);
    this.#history = [];
    yield* replay(history, this.#toolContext, this.#toolIds);
  }

  /** Sends the client the rest of the state, now that it knows the session. */
  async opened(handle: AgentSession<AdapterSession>): Promise<void> {
    this.#handle = handle;
    this.#process.rest();
    const title = realTitle(this.#process.client?.title);
    if (title !== undefined) await handle.title(title);
    for (const notice of this.#pendingNotices.splice(0)) await this.#notify(notice);
    void quiet(this.#reportServers());
    await this.#sendCommands();
    await this.#sendUsage();
    this.#deps.pool.warm(this.#process.workspace.cwd);
  }

  async setMode(mode: DroidModeId): Promise<void> {
    await this.#change(modeChange(mode));
    // The client that set the mode knows it, unless Droid chose another one.
    this.#sentMode = mode;
    await this.#sendSettings();
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const change = optionChange(id, value);
    if (!change) throw invalidParams({ path: "value", message: "is not a value that can be set" });
    await this.#change(change);
    // The response has the options. Only clients that use modes need an update.
    this.#sentConfig = JSON.stringify(this.options);
    await this.#sendSettings();
  }

  /** Runs a prompt. Rejects with the error for the client. */
  async prompt(turn: Turn<AdapterSession>): Promise<TurnEnd> {
    const input = toPromptInput(turn.prompt);
    if (!input) throw invalidParams({ path: "prompt", message: "must not be empty" });
    this.#inTurn = true;
    try {
      return await this.#process.using(() => this.#answer(turn, input));
    } catch (error) {
      throw droidFailure(error);
    } finally {
      this.#inTurn = false;
    }
  }

  /** Ends the process. The session is on disk and can be opened again. */
  close(): Promise<void> {
    return this.#process.close();
  }

  async #answer(turn: Turn<AdapterSession>, input: PromptInput): Promise<TurnEnd> {
    const droid = await unlessAborted(this.#process.ready(), turn.signal);
    await this.#sendSettings();
    if (this.#process.connecting) {
      await this.#notify({ severity: "info", title: "Waiting for MCP servers" });
      await unlessAborted(this.#process.servers, turn.signal);
    }
    const own = ownCommand(input.text);
    if (own?.name === "context") return runContext(turn, droid);
    if (own?.name === "compact") return this.#compact(turn, droid, own.instructions);
    if (own?.name === "mcp-login" && canLogIn(droid)) return runMcpLogin(turn, droid, own.server);
    const { settings, models } = this.#process;
    if (input.images && findModel(settings.model, models)?.supportsImages === false)
      await this.#notify(NO_IMAGES);
    const { result, failureMessage, dismissed } = await relayTurn(turn, droid, input, {
      toolContext: this.#toolContext,
      terminalOutput: turn.client.capabilities._meta?.["terminal_output"] === true,
      toolIds: this.#toolIds,
      notify: (notice) => this.#notify(notice),
      sessionEvent: (event) => this.#event(event),
    });
    await this.#sendUsage();
    if (dismissed) return "cancelled";
    const end = turnEnd(result, { model: this.#process.settings.model, failureMessage });
    if (typeof end !== "string") throw end;
    const usage = result.usage && { meta: { usage: turnUsage(result.usage) } };
    return { stopReason: end, ...usage };
  }

  async #compact(
    turn: Turn<AdapterSession>,
    droid: DroidClient,
    instructions: string | undefined,
  ): Promise<TurnEnd> {
    const { settings } = this.#process;
    this.#changing++;
    try {
      return await runCompact(turn, droid, instructions, async (droidId) => {
        await this.#process.moveTo(droidId, settings);
        await this.#deps.ids.append(this.id, droidId);
        await this.#sendUsage();
      });
    } finally {
      this.#changing--;
      await this.#sendSettings();
    }
  }

  async #change(change: SettingsChange): Promise<void> {
    this.#changing++;
    try {
      await this.#process.using(async () => {
        const droid = await this.#process.ready();
        const { ignored, settings } = await droid.updateSettings(change);
        this.#process.changed(settings);
        const unapplied = ignored.find(({ kind }) => kind === "ignored");
        if (!unapplied) return;
        const message = `was not applied: Droid keeps ${unapplied.actual ?? "its current value"}`;
        throw invalidParams({ path: "value", message });
      });
    } catch (error) {
      throw droidFailure(error);
    } finally {
      this.#changing--;
    }
  }

  /** Sends the client the settings that have changed. */
  async #sendSettings(): Promise<void> {
    const handle = this.#handle;
    if (!handle || this.#changing > 0) return;
    const mode = modeOf(this.#process.settings);
    const { options } = this;
    const config = JSON.stringify(options);
    const isNewMode = mode !== this.#sentMode;
    const isNewConfig = config !== this.#sentConfig;
    this.#sentMode = mode;
    this.#sentConfig = config;
    if (isNewMode) await handle.mode(mode);
    if (isNewConfig) await handle.configOptions(options);
  }

  /** Handles an event that concerns the session rather than a turn. */
  async #event(event: DroidEvent): Promise<void> {
    switch (event.type) {
      case "settings":
        return this.#sendSettings();
      case "title": {
        const title = realTitle(event.title);
        if (title !== undefined) await this.#handle?.title(title);
        return;
      }
      case "usage":
        // During a turn, usage is sent at its end.
        if (!this.#inTurn) await this.#sendUsage();
        return;
      case "mcp":
        return this.#reportMcp(event);
      case "notice": {
        const notice = noticeOf(event);
        if (notice) await this.#notify(notice);
        return;
      }
      default:
    }
  }

  get #toolContext(): ToolContext {
    return { cwd: this.#process.workspace.cwd, firstLine: this.#process.firstLine };
  }

  async #notify(notice: NoticeText): Promise<void> {
    const handle = this.#handle;
    if (!handle) return void this.#pendingNotices.push(notice);
    if (handle.client.can("session.notices")) return handle.notice(notice);
    const content = { type: "text", text: noticeAsText(notice) } as const;
    await handle.update({ sessionUpdate: "agent_thought_chunk", content });
  }

  /** Reports each problem once, although Droid repeats the state of its servers. */
  async #reportMcp(event: Extract<DroidEvent, { type: "mcp" }>): Promise<void> {
    const notices = mcpNotices(event);
    const known = this.#reportedServers;
    const texts = notices.map(noticeAsText);
    this.#reportedServers = new Set(event.kind === "status" ? texts : [...known, ...texts]);
    for (const notice of notices) if (!known.has(noticeAsText(notice))) await this.#notify(notice);
  }

  async #reportServers(): Promise<void> {
    for (const notice of serverNotices(await this.#process.servers)) await this.#notify(notice);
    // Events about Droid's own servers during its start had no listener yet.
    const servers = await this.#process.client?.request("listMcpServers", {});
    if (servers) await this.#reportMcp({ type: "mcp", kind: "status", servers });
  }

  async #sendCommands(): Promise<void> {
    const droid = this.#process.client;
    if (!droid) return;
    const [commands, skills] = await Promise.all([
      droid.listCommands().catch(() => []),
      droid.listSkills().catch(() => []),
    ]);
    await this.#handle?.commands(availableCommands(commands, skills, canLogIn(droid)));
  }

  /** Sends how full the context is, if Droid reports it (from 0.117 on). */
  async #sendUsage(): Promise<void> {
    const droid = this.#process.client;
    if (!droid) return;
    const asked = droid.contextStats().then(contextUse, () => undefined);
    if (!(await within(asked, STATS_LIMIT_MS))) return;
    const use = await asked;
    const usage = JSON.stringify(use);
    if (!use || usage === this.#sentUsage) return;
    this.#sentUsage = usage;
    await this.#handle?.usage(use);
  }
}

/**
 * Up to 0.117, a call must end before the next one starts, and a login may take minutes. Those versions
 * send the URL unasked.
 */
function canLogIn({ version }: DroidClient): boolean {
  return capabilitiesOf(version).errorsNameTheirCall;
}

const NO_IMAGES: NoticeText = {
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
