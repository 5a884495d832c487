import type { McpServer, SystemPrompt } from "../../../protocol/acp/index.ts";
import {
  capabilitiesOf,
  type DroidClient,
  DroidError,
  type DroidSettings,
  type DroidEventListener,
  type McpServerReport,
  type ModelInfo,
  type NewDroidSessionOptions,
  type PreparedDroid,
} from "../../../droid/index.ts";
import { log, within } from "../../../base/index.ts";
import { unmetSettings, requestedSettings } from "../session/config.ts";
import type { AdapterDeps } from "../deps.ts";
import {
  systemPromptArguments,
  systemPromptOption,
  systemPromptError,
  assertSystemPrompt,
} from "./system-prompt.ts";
import { toDroidServers } from "../translate/mcp-servers.ts";

/** The folder, the MCP servers and the instructions of a session. */
export interface DroidWorkspace {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  readonly systemPrompt?: SystemPrompt | undefined;
}

/** How long opening a session waits for its MCP servers. The first prompt waits for the rest. */
const SERVERS_WAIT_MS = 3000;

/**
 * The Droid of one session. Its process is stopped when idle and may crash. It is restarted with the
 * same settings when the session needs it again.
 */
export class SessionProcess {
  readonly workspace: DroidWorkspace;
  readonly #deps: AdapterDeps;
  readonly #listener: DroidEventListener;
  /** Droid's own id of the session. After a compaction it differs from the client's id. */
  #droidId: string;
  /** Undefined while no Droid runs. */
  client: DroidClient | undefined;
  settings: DroidSettings;
  models: readonly ModelInfo[];
  /** The number of the first line in the `offset` of Read: 0 up to 0.117, 1 from 0.215 on. */
  firstLine: 0 | 1 = 1;
  /** Which MCP servers of the client work. Never rejects. */
  servers: Promise<readonly McpServerReport[]> = Promise.resolve([]);
  #starting: Promise<DroidClient> | undefined;
  /** Resolves once the stopped process has ended: two processes must not write to one session. */
  #stopping: Promise<unknown> = Promise.resolve();
  #connecting = 0;
  #uses = 0;
  #closed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(
    deps: AdapterDeps,
    workspace: DroidWorkspace,
    client: DroidClient,
    listener: DroidEventListener,
  ) {
    this.#deps = deps;
    this.workspace = workspace;
    this.#listener = listener;
    this.#droidId = client.sessionId;
    this.settings = client.settings;
    this.models = client.models;
    this.#attach(client);
  }

  get connecting(): boolean {
    return this.#connecting > 0;
  }

  async settled(): Promise<void> {
    await within(this.servers, SERVERS_WAIT_MS);
  }

  ready(): Promise<DroidClient> {
    if (this.client) return Promise.resolve(this.client);
    this.#starting ??= this.#restart().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Keeps the process running during the work. Afterwards the idle timer starts again. */
  async using<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#idleTimer);
    this.#uses++;
    try {
      return await work();
    } finally {
      this.#uses--;
      this.rest();
    }
  }

  rest(): void {
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#deps;
    if (idleMs <= 0 || this.#closed || this.#uses > 0) return;
    this.#idleTimer = setTimeout(() => this.#stopIdle(), idleMs).unref();
  }

  /**
   * Moves to the compacted copy of the session, with these settings, in a new process: in the process
   * that made the copy, every Droid keeps showing the model the whole old conversation.
   */
  async moveTo(droidId: string, settings: DroidSettings): Promise<void> {
    this.#droidId = droidId;
    if (this.client) this.#stop(this.client);
    // The settings from before the compaction: 0.117 resets the model to its default when it compacts.
    this.settings = settings;
    await this.ready();
  }

  /** Ends the process. The session is on disk and can be opened again. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const starting = this.#starting?.catch(() => undefined);
    await this.client?.close();
    await (await starting)?.close();
  }

  #stopIdle(): void {
    const client = this.client;
    if (this.#uses > 0 || !client) return;
    this.#stop(client);
  }

  #stop(client: DroidClient): void {
    this.client = undefined;
    this.#stopping = client.close().catch(() => undefined);
  }

  async #restart(): Promise<DroidClient> {
    const requested = requestedSettings(this.settings);
    log(this.#deps.logger, "info", "restarting the Droid of a session", { droidId: this.#droidId });
    await this.#stopping;
    const client = await this.#loadAgain();
    await client.updateSettings(unmetSettings(requested, client.settings));
    this.#attach(client);
    return client;
  }

  async #loadAgain(): Promise<DroidClient> {
    const sessionId = this.#droidId;
    try {
      return await loadSessionProcess(this.#deps, this.workspace, sessionId);
    } catch (error) {
      if (!isSessionNotFound(error)) throw error;
      // Droid exited before it wrote anything to disk, so a new session takes over the id.
      return startSessionProcess(this.#deps, this.workspace, { sessionId });
    }
  }

  #attach(client: DroidClient): void {
    this.client = client;
    this.settings = client.settings;
    this.models = client.models;
    this.firstLine = capabilitiesOf(client.version).completesTurns === false ? 0 : 1;
    client.onEvent((event, turnId) => {
      if (event.type === "settings") this.settings = event.settings;
      this.#listener(event, turnId);
    });
    void client.closed.then((reason) => {
      if (this.client === client) this.client = undefined;
      log(this.#deps.logger, "info", "the Droid of a session ended", { reason });
    });
    this.servers = this.#connect(client);
  }

  /**
   * Droid delays the start of a session by up to 30 s while it waits for MCP servers. So the session
   * starts without them, and is then loaded again with them.
   */
  async #connect(client: DroidClient): Promise<readonly McpServerReport[]> {
    const mcpServers = toDroidServers(this.workspace.mcpServers);
    if (mcpServers.length === 0) return [];
    if (!capabilitiesOf(client.version).startsMcpServers)
      return mcpServers.map(({ name }) => ({ name, status: "unsupported", tools: [] }));
    this.#connecting++;
    const requested = requestedSettings(client.settings);
    try {
      await client.switchTo(client.sessionId, { mcpServers });
      await client.updateSettings(unmetSettings(requested, client.settings));
      return client.mcpServers;
    } catch (error) {
      log(this.#deps.logger, "warn", "could not connect MCP servers", { error });
      return mcpServers.map(({ name }) => ({ name, status: "failed", tools: [] }));
    } finally {
      this.#connecting--;
    }
  }
}

export function startSessionProcess(
  deps: AdapterDeps,
  workspace: DroidWorkspace,
  options: NewDroidSessionOptions,
): Promise<DroidClient> {
  const all = { ...options, ...systemPromptOption(workspace.systemPrompt) };
  return openSessionProcess(deps, workspace, (prepared) => prepared.start(all));
}

export function loadSessionProcess(
  deps: AdapterDeps,
  workspace: DroidWorkspace,
  droidId: string,
): Promise<DroidClient> {
  return openSessionProcess(deps, workspace, (prepared) => prepared.load(droidId));
}

/**
 * Takes a process from the pool and opens a session in it. From then on the pool closes it through
 * the session.
 */
async function openSessionProcess(
  deps: AdapterDeps,
  { cwd, systemPrompt }: DroidWorkspace,
  work: (prepared: PreparedDroid) => Promise<DroidClient>,
): Promise<DroidClient> {
  const { args, remove } = await systemPromptArguments(systemPrompt);
  try {
    const prepared = await deps.pool.take(cwd, args);
    const client = await work(prepared).catch((error: unknown) => {
      throw systemPromptError(systemPrompt, error);
    });
    deps.pool.adopt(prepared, client);
    try {
      assertSystemPrompt(systemPrompt, client.settings);
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  } finally {
    await remove();
  }
}

export function isSessionNotFound(error: unknown): boolean {
  return error instanceof DroidError && error.code === "session_not_found";
}
