import { within } from "../../../base/index.ts";
import type { SessionConfigOption, Usage } from "../../../protocol/acp/index.ts";
import type { AgentSession, Notice } from "../../../agent/index.ts";
import type { ContextStats, DroidEvent, DroidSettings, ModelInfo } from "../../../droid/index.ts";
import { availableCommands } from "./commands.ts";
import { configOptions, modeOf, type DroidModeId } from "./config.ts";
import { realTitle } from "./stored.ts";
import { mcpNotices, noticeAsText, noticeOf, serverNotices } from "../translate/notices.ts";
import { canLogIn, type SessionProcess } from "../process/session-process.ts";

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

  /** Reports the MCP servers that do not work. */
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
    await this.#handle?.commands(availableCommands(commands, skills, canLogIn(droid)));
  }

  /** Reports how full the context is, if Droid reports it (from 0.117 on). */
  async usage(): Promise<void> {
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

  /** Reports each problem once, although Droid repeats the state of its servers. */
  async #mcp(event: Extract<DroidEvent, { type: "mcp" }>): Promise<void> {
    const notices = mcpNotices(event);
    const known = this.#reportedServers;
    const texts = notices.map(noticeAsText);
    this.#reportedServers = new Set(event.kind === "status" ? texts : [...known, ...texts]);
    for (const notice of notices) if (!known.has(noticeAsText(notice))) await this.notify(notice);
  }
}

export function optionsOf(process: {
  readonly settings: DroidSettings;
  readonly models: readonly ModelInfo[];
}): readonly SessionConfigOption[] {
  return configOptions(process.settings, process.models);
}

/** How full the context is, or undefined if Droid does not know its size. */
export function contextUse({ used, limit }: ContextStats): Usage | undefined {
  if (!(limit > 0) || !(used >= 0)) return undefined;
  return { used: Math.round(used), size: Math.round(limit) };
}
