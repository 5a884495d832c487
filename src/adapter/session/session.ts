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
import { droidFailure, turnEnd } from "../turn/ends.ts";
import { begin, DroidKeeper, isNotFound, type DroidWorkspace } from "../process/keeper.ts";
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

/** Last resort: how full the context is, is not worth a longer wait. */
const STATS_LIMIT_MS = 2000;

/** One session of the client's: what it was told, and what it is still to be told. */
export class AdapterSession {
  readonly id: string;
  readonly #deps: AdapterDeps;
  readonly #keeper: DroidKeeper;
  #handle: AgentSession<AdapterSession> | undefined;
  #history: readonly DroidMessage[] = [];
  /** What was to be told before the client knew of the session. */
  readonly #untold: NoticeText[] = [];
  #toldMode: string;
  #toldConfig: string;
  #toldUsage = "";
  #toldOfServers: ReadonlySet<string> = new Set();
  /** Changes of ours under way: what Droid tells of its settings meanwhile may be half of them. */
  #changing = 0;
  #inTurn = false;
  readonly #toolIds = new ToolIds();

  private constructor(deps: AdapterDeps, id: string, place: DroidWorkspace, client: DroidClient) {
    this.#deps = deps;
    this.id = id;
    this.#keeper = new DroidKeeper(deps, place, client, (event, turnId) => {
      if (turnId === undefined) void quiet(this.#event(event));
    });
    this.#toldMode = modeOf(client.settings);
    this.#toldConfig = JSON.stringify(this.options);
  }

  /** Opens a new session. */
  static async open(deps: AdapterDeps, place: DroidWorkspace): Promise<AdapterSession> {
    const client = await begin(deps, place.cwd, (prepared) =>
      prepared.start(deps.requestedSettings),
    );
    const session = new AdapterSession(deps, client.sessionId, place, client);
    session.#untold.push(...ignoredNotices(client.ignored));
    await session.#keeper.settled();
    return session;
  }

  /** Opens a session of before by the ids Droid has had for it; undefined if there is none. */
  static async reopen(
    deps: AdapterDeps,
    id: string,
    [first = id, ...later]: readonly string[],
    place: DroidWorkspace,
  ): Promise<AdapterSession | undefined> {
    return AdapterSession.#opened(deps, first, place, async (client) => {
      const parts = [client.info.messages];
      // Each part has what came after the compaction before it, in 0.117 also the end of the last.
      for (const part of later) parts.push((await client.switchTo(part)).messages);
      const session = new AdapterSession(deps, id, place, client);
      session.#history = withoutRepeats(parts.flat());
      return session;
    });
  }

  /** Opens a copy of a session, which goes on under an id of its own; undefined if there is none. */
  static async fork(
    deps: AdapterDeps,
    droidId: string,
    place: DroidWorkspace,
  ): Promise<AdapterSession | undefined> {
    return AdapterSession.#opened(deps, droidId, place, async (client) => {
      const requested = requestedSettings(client.settings);
      const copy = await client.fork();
      await client.switchTo(copy);
      await client.updateSettings(unmetSettings(requested, client.settings));
      return new AdapterSession(deps, copy, place, client);
    });
  }

  /** Loads a session of Droid's and makes one of ours of it; a process that is of no use is ended. */
  static async #opened(
    deps: AdapterDeps,
    droidId: string,
    place: DroidWorkspace,
    make: (client: DroidClient) => Promise<AdapterSession>,
  ): Promise<AdapterSession | undefined> {
    let client: DroidClient | undefined;
    try {
      client = await begin(deps, place.cwd, (prepared) => prepared.load(droidId));
      const session = await make(client);
      await session.#keeper.settled();
      return session;
    } catch (error) {
      await client?.close();
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  get modes(): SessionModeState {
    return modeState(this.#keeper.settings);
  }

  /** The config options, all of them, with what is in force. */
  get options(): readonly SessionConfigOption[] {
    return configOptions(this.#keeper.settings, this.#keeper.models);
  }

  /** What is shown of the past when the session is loaded; it is not kept any longer. */
  *replay(): Generator<SessionUpdate, void> {
    const history = readHistory(this.#history);
    this.#history = [];
    yield* replay(history, this.#toolPlace, this.#toolIds);
  }

  /** The client knows of the session: now it is told the rest. */
  async opened(handle: AgentSession<AdapterSession>): Promise<void> {
    this.#handle = handle;
    this.#keeper.rest();
    const title = realTitle(this.#keeper.client?.title);
    if (title !== undefined) await handle.title(title);
    for (const notice of this.#untold.splice(0)) await this.#tell(notice);
    void quiet(this.#tellServers());
    await this.#tellCommands();
    await this.#tellUsage();
    this.#deps.pool.warm(this.#keeper.workspace.cwd);
  }

  async setMode(mode: DroidModeId): Promise<void> {
    await this.#change(modeChange(mode));
    await this.#announce();
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const change = optionChange(id, value);
    if (!change) throw invalidParams({ path: "value", message: "is none that can be set" });
    await this.#change(change);
    // The answer has the options; only clients that look at the modes have to be told.
    this.#toldConfig = JSON.stringify(this.options);
    await this.#announce();
  }

  /** Answers a prompt. Rejects with the error that the client is to see. */
  async prompt(turn: Turn<AdapterSession>): Promise<TurnEnd> {
    const input = toPromptInput(turn.prompt);
    if (!input) throw invalidParams({ path: "prompt", message: "must not be empty" });
    this.#inTurn = true;
    try {
      return await this.#keeper.using(() => this.#answer(turn, input));
    } catch (error) {
      throw droidFailure(error);
    } finally {
      this.#inTurn = false;
    }
  }

  /** Ends the process. The session is on disk and can be opened again. */
  close(): Promise<void> {
    return this.#keeper.close();
  }

  async #answer(turn: Turn<AdapterSession>, input: PromptInput): Promise<TurnEnd> {
    const droid = await unlessAborted(this.#keeper.ready(), turn.signal);
    await this.#announce();
    if (this.#keeper.connecting) {
      await this.#tell({ severity: "info", title: "Waiting for MCP servers" });
      await unlessAborted(this.#keeper.servers, turn.signal);
    }
    const own = ownCommand(input.text);
    if (own?.name === "context") return runContext(turn, droid);
    if (own?.name === "compact") return this.#compact(turn, droid, own.instructions);
    if (own?.name === "mcp-login" && canLogIn(droid)) return runMcpLogin(turn, droid, own.server);
    const { settings, models } = this.#keeper;
    if (input.images && findModel(settings.model, models)?.supportsImages === false)
      await this.#tell(NO_IMAGES);
    const { result, told, dismissed } = await relayTurn(turn, droid, input, {
      place: this.#toolPlace,
      terminalOutput: turn.client.capabilityMeta["terminal_output"] === true,
      toolIds: this.#toolIds,
      tell: (notice) => this.#tell(notice),
      sessionEvent: (event) => this.#event(event),
    });
    await this.#tellUsage();
    if (dismissed) return "cancelled";
    const end = turnEnd(result, { model: this.#keeper.settings.model, told });
    if (typeof end !== "string") throw end;
    const usage = result.usage && { _meta: { usage: turnUsage(result.usage) } };
    return { stopReason: end, ...usage };
  }

  async #compact(
    turn: Turn<AdapterSession>,
    droid: DroidClient,
    instructions: string | undefined,
  ): Promise<TurnEnd> {
    const { settings } = this.#keeper;
    this.#changing++;
    try {
      return await runCompact(turn, droid, instructions, async (droidId) => {
        await this.#keeper.moveTo(droidId, settings);
        await this.#deps.ids.append(this.id, droidId);
        await this.#tellUsage();
      });
    } finally {
      this.#changing--;
      await this.#announce();
    }
  }

  async #change(change: SettingsChange): Promise<void> {
    this.#changing++;
    try {
      await this.#keeper.using(async () => {
        const droid = await this.#keeper.ready();
        const { ignored, settings } = await droid.updateSettings(change);
        this.#keeper.changed(settings);
        const refused = ignored.find(({ kind }) => kind === "ignored");
        if (!refused) return;
        const message = `Droid stays with ${refused.actual ?? "what it has"}`;
        throw invalidParams({ path: "value", message });
      });
    } catch (error) {
      throw droidFailure(error);
    } finally {
      this.#changing--;
    }
  }

  /** Tells the client of settings that are others than it knows. */
  async #announce(): Promise<void> {
    const handle = this.#handle;
    if (!handle || this.#changing > 0) return;
    const mode = modeOf(this.#keeper.settings);
    const { options } = this;
    const config = JSON.stringify(options);
    const isNewMode = mode !== this.#toldMode;
    const isNewConfig = config !== this.#toldConfig;
    this.#toldMode = mode;
    this.#toldConfig = config;
    if (isNewMode) await handle.mode(mode);
    if (isNewConfig) await handle.configOptions(options);
  }

  /** What Droid tells that concerns the session rather than one turn. */
  async #event(event: DroidEvent): Promise<void> {
    switch (event.type) {
      case "settings":
        return this.#announce();
      case "title": {
        const title = realTitle(event.title);
        if (title !== undefined) await this.#handle?.title(title);
        return;
      }
      case "usage":
        // In a turn its end tells it.
        if (!this.#inTurn) await this.#tellUsage();
        return;
      case "mcp":
        return this.#tellMcp(event);
      case "notice": {
        const notice = noticeOf(event);
        if (notice) await this.#tell(notice);
        return;
      }
      default:
    }
  }

  get #toolPlace(): ToolContext {
    return { cwd: this.#keeper.workspace.cwd, firstLine: this.#keeper.firstLine };
  }

  async #tell(notice: NoticeText): Promise<void> {
    const handle = this.#handle;
    if (!handle) return void this.#untold.push(notice);
    if (handle.client.can("session.notices")) return handle.notice(notice);
    const content = { type: "text", text: noticeAsText(notice) } as const;
    await handle.update({ sessionUpdate: "agent_thought_chunk", content });
  }

  /** Droid repeats the state of its servers; what is wrong with them is told once. */
  async #tellMcp(event: Extract<DroidEvent, { type: "mcp" }>): Promise<void> {
    const notices = mcpNotices(event);
    const known = this.#toldOfServers;
    const told = notices.map(noticeAsText);
    this.#toldOfServers = new Set(event.kind === "status" ? told : [...known, ...told]);
    for (const notice of notices) if (!known.has(noticeAsText(notice))) await this.#tell(notice);
  }

  async #tellServers(): Promise<void> {
    for (const notice of serverNotices(await this.#keeper.servers)) await this.#tell(notice);
    // What became of Droid's own while it started, nobody was there to hear.
    const servers = await this.#keeper.client?.request("listMcpServers", {});
    if (servers) await this.#tellMcp({ type: "mcp", kind: "status", servers });
  }

  async #tellCommands(): Promise<void> {
    const droid = this.#keeper.client;
    if (!droid) return;
    const [commands, skills] = await Promise.all([
      droid.listCommands().catch(() => []),
      droid.listSkills().catch(() => []),
    ]);
    await this.#handle?.commands(availableCommands(commands, skills, canLogIn(droid)));
  }

  /** Tells how full the context is, where Droid knows it (from 0.117 on). */
  async #tellUsage(): Promise<void> {
    const droid = this.#keeper.client;
    if (!droid) return;
    const asked = droid.contextStats().then(contextUse, () => undefined);
    if (!(await within(asked, STATS_LIMIT_MS))) return;
    const use = await asked;
    const told = JSON.stringify(use);
    if (!use || told === this.#toldUsage) return;
    this.#toldUsage = told;
    await this.#handle?.usage(use);
  }
}

/** Up to 0.117 one call has to end before the next, and a login may take minutes; there its address comes unasked. */
function canLogIn({ version }: DroidClient): boolean {
  return capabilitiesOf(version).errorsNameTheirCall;
}

const NO_IMAGES: NoticeText = {
  severity: "warning",
  title: "The model is not set up to see images",
  description:
    'Droid leaves the images out. For an own-key model, "noImageSupport": false in its entry under customModels lets them through.',
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
