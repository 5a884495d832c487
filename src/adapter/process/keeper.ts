import type { McpServer } from "../../acp/index.ts";
import {
  capabilitiesOf,
  type DroidClient,
  DroidError,
  type DroidSettings,
  type DroidEventListener,
  type McpServerReport,
  type ModelInfo,
  type PreparedDroid,
} from "../../droid/index.ts";
import { log, within } from "../../wire/index.ts";
import { unmetSettings, requestedSettings } from "../session/config.ts";
import type { AdapterDeps } from "../deps.ts";
import { toDroidServers } from "../translate/mcp.ts";

/** Where a session works and with which servers. */
export interface DroidWorkspace {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
}

/** How long the opening of a session waits for its MCP servers; a prompt then waits for the rest. */
const SERVERS_WAIT_MS = 3000;

/**
 * The Droid of one session. The process may come and go: it is let go when nobody needs it, may
 * die, and is started again when it is needed, with the settings it had.
 */
export class DroidKeeper {
  readonly workspace: DroidWorkspace;
  readonly #deps: AdapterDeps;
  readonly #listener: DroidEventListener;
  /** Droid's own id of the session; another than the client's after a compaction. */
  #droidId: string;
  #client: DroidClient | undefined;
  #settings: DroidSettings;
  #models: readonly ModelInfo[];
  #firstLine: 0 | 1 = 1;
  #starting: Promise<DroidClient> | undefined;
  /** Resolves when the process that was let go is gone: two must not write one session. */
  #leaving: Promise<unknown> = Promise.resolve();
  #servers: Promise<readonly McpServerReport[]> = Promise.resolve([]);
  #connecting = 0;
  #uses = 0;
  #closed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(
    deps: AdapterDeps,
    place: DroidWorkspace,
    client: DroidClient,
    listener: DroidEventListener,
  ) {
    this.#deps = deps;
    this.workspace = place;
    this.#listener = listener;
    this.#droidId = client.sessionId;
    this.#settings = client.settings;
    this.#models = client.models;
    this.#attach(client);
  }

  /** The Droid there is now, if there is one. */
  get client(): DroidClient | undefined {
    return this.#client;
  }

  get settings(): DroidSettings {
    return this.#settings;
  }

  get models(): readonly ModelInfo[] {
    return this.#models;
  }

  /** The number of a file's first line in Read's `offset`: 0 up to 0.117, 1 from 0.215 on. */
  get firstLine(): 0 | 1 {
    return this.#firstLine;
  }

  /** What became of the MCP servers of the client's. Never rejects. */
  get servers(): Promise<readonly McpServerReport[]> {
    return this.#servers;
  }

  /** Whether servers are still being waited for. */
  get connecting(): boolean {
    return this.#connecting > 0;
  }

  /** Waits for the servers, but not for those that hang. */
  async settled(): Promise<void> {
    await within(this.#servers, SERVERS_WAIT_MS);
  }

  /** The Droid, started again if it is gone. */
  ready(): Promise<DroidClient> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#starting ??= this.#restart().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Keeps the process while work is done with it; afterwards it may be let go some time. */
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

  /** Begins the waiting after which the process is let go. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#deps;
    if (idleMs <= 0 || this.#closed || this.#uses > 0) return;
    this.#idleTimer = setTimeout(() => this.#letGo(), idleMs).unref();
  }

  /**
   * Goes over to the compacted copy of the session, with these settings, in a process of its own: in
   * the one that made the copy every Droid goes on showing the model the whole old conversation.
   */
  async moveTo(droidId: string, settings: DroidSettings): Promise<void> {
    this.#droidId = droidId;
    if (this.#client) this.#part(this.#client);
    // Those before the compaction: 0.117 goes back to its own default model when it compacts.
    this.#settings = settings;
    await this.ready();
  }

  /** Takes over settings that were changed. */
  changed(settings: DroidSettings): void {
    this.#settings = settings;
  }

  /** Ends the process. The session is on disk and can be opened again. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const starting = this.#starting?.catch(() => undefined);
    await this.#client?.close();
    await (await starting)?.close();
  }

  #letGo(): void {
    const client = this.#client;
    if (this.#uses > 0 || !client) return;
    this.#part(client);
  }

  #part(client: DroidClient): void {
    this.#client = undefined;
    this.#leaving = client.close().catch(() => undefined);
  }

  async #restart(): Promise<DroidClient> {
    const { cwd } = this.workspace;
    const requested = requestedSettings(this.#settings);
    log(this.#deps.logger, "info", "a session starts its Droid again", { droidId: this.#droidId });
    await this.#leaving;
    const client = await this.#loadAgain(cwd);
    await client.updateSettings(unmetSettings(requested, client.settings));
    this.#attach(client);
    return client;
  }

  async #loadAgain(cwd: string): Promise<DroidClient> {
    const sessionId = this.#droidId;
    try {
      return await begin(this.#deps, cwd, (prepared) => prepared.load(sessionId));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // It died before anything was written down: there is nothing to go on with but the id.
      return begin(this.#deps, cwd, (prepared) => prepared.start({ sessionId }));
    }
  }

  #attach(client: DroidClient): void {
    this.#client = client;
    this.#settings = client.settings;
    this.#models = client.models;
    this.#firstLine = capabilitiesOf(client.version).completesTurns === false ? 0 : 1;
    client.onEvent((event, turnId) => {
      if (event.type === "settings") this.#settings = event.settings;
      this.#listener(event, turnId);
    });
    void client.closed.then((reason) => {
      if (this.#client === client) this.#client = undefined;
      log(this.#deps.logger, "info", "the Droid of a session is gone", { reason });
    });
    this.#servers = this.#connect(client);
  }

  /**
   * Droid holds up the beginning of a session for up to 30 s while it waits for MCP servers. So the
   * session begins without them, and takes them up by being loaded once more.
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
      log(this.#deps.logger, "warn", "MCP servers could not be connected", { error });
      return mcpServers.map(({ name }) => ({ name, status: "failed", tools: [] }));
    } finally {
      this.#connecting--;
    }
  }
}

/** Takes a process and begins a session in it; the pool ends it from then on by way of the session. */
export async function begin(
  deps: AdapterDeps,
  cwd: string,
  work: (prepared: PreparedDroid) => Promise<DroidClient>,
): Promise<DroidClient> {
  const prepared = await deps.pool.take(cwd);
  const client = await work(prepared);
  deps.pool.own(prepared, client);
  return client;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof DroidError && error.code === "session_not_found";
}
