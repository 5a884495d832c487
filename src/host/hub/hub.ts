import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  callSafely,
  definedFields,
  type Overrides,
  quiet,
  quietly,
  randomId,
  within,
  isRunning,
} from "../../base/index.ts";
import type { Channel } from "../../transport/wire/index.ts";
import type { AgentLink } from "./agent/link.ts";
import { assertOptions, HUB_OPTIONS } from "./assert-options.ts";
import { HostedAgent } from "./agent/hosted-agent.ts";
import { ServedClient, type ClientRequest } from "./client/served-client.ts";
import { ClientPort } from "./client/port.ts";
import type { HubEvent } from "./events.ts";
import type {
  Hub,
  HubAgentInfo,
  HubClient,
  HubClientOptions,
  HubLimits,
  HubOptions,
  HubSessionInfo,
  SessionLogOptions,
} from "./options.ts";
import { type SessionHub, LocalSessions } from "./local/sessions.ts";
import { LogBlocks, SessionLog } from "./session/log.ts";
import { type OpenedSession, sessionFolders, HubSession } from "./session/session.ts";

const MIB = 1024 * 1024;

/**
 * Creates a hub, which hosts agents for clients. It relays their messages unchanged except for the ids of
 * requests, starts agents again when they end, and lets clients share sessions. The caller connects
 * clients with `serve`, and must `close` it. Throws a TypeError for an unknown option.
 */
export function createHub(options: HubOptions = {}): Hub {
  assertOptions(options, HUB_OPTIONS, "createHub");
  return new LocalHub(options);
}

const DEFAULT_HUB_LIMITS: HubLimits = {
  cancelMs: 30_000,
  requestMs: 120_000,
  turnIdleMs: Number.POSITIVE_INFINITY,
  idleMs: 0,
  maxIdleCopies: Number.POSITIVE_INFINITY,
  sessionIdleMs: Number.POSITIVE_INFINITY,
  restWithClients: false,
  backoffMs: 1000,
  maxBackoffMs: 60_000,
  maxFailures: 5,
  failureWindowMs: 5 * 60_000,
  maxAgentRequests: 1000,
  maxInvalidLines: 1000,
  maxSessions: 1000,
  maxQueuedPrompts: 16,
  maxUnsentBytes: 1024 * 1024,
};

export function hubLimits(limits: Overrides<HubLimits> | undefined): HubLimits {
  return { ...DEFAULT_HUB_LIMITS, ...definedFields(limits) };
}

class LocalHub implements Hub {
  readonly #options: HubOptions;
  readonly #limits: HubLimits;
  readonly #agents = new Map<string, HostedAgent>();
  /** Agents that have been idle, in the order in which they became idle. */
  readonly #idle = new Set<HostedAgent>();
  readonly #clients = new Set<ServedClient>();
  readonly #logFolder: string | undefined;
  readonly #host: SessionHub;
  #lastClient = 0;
  #isDraining = false;
  #isClosed = false;
  /** Called after each event while the hub waits for turns to end. */
  #whenIdle: (() => void) | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#limits = hubLimits(options.limits);
    this.#logFolder = options.log && openLogFolder(options.log);
    this.#host = {
      options,
      isDraining: () => this.#isDraining,
      allSessions: () => this.#sessions,
      agentFor: (client, initialize) => this.#agentFor(client, initialize),
      emit: (event) => this.#emit(event),
    };
  }

  get sessions(): readonly HubSessionInfo[] {
    return this.#sessions.map(({ info }) => info);
  }

  get agents(): readonly HubAgentInfo[] {
    return [...this.#agents.values()].map(({ info }) => info);
  }

  serve(channel: Channel, options: HubClientOptions): HubClient {
    const client = new ServedClient(channel, ++this.#lastClient, options, {
      unsentLimit: this.#limits.maxUnsentBytes,
      router: (connection) =>
        new ClientPort<HubSession>(
          connection,
          this.#host,
          (port) => new LocalSessions(port, this.#host),
        ),
    });
    this.#clients.add(client);
    void client.closed.then(() => this.#clients.delete(client));
    if (this.#isClosed) void quiet(client.close());
    return client;
  }

  drain(ms: number): Promise<void> {
    return quietly(async () => {
      this.#isDraining = true;
      const idle = new Promise<void>((resolve) => {
        this.#whenIdle = () => {
          if (!this.#sessions.some((session) => session.isBusy)) resolve();
        };
      });
      this.#whenIdle?.();
      await within(idle, ms);
      await this.close();
    });
  }

  close(): Promise<void> {
    return quietly(async () => {
      this.#isClosed = true;
      // The agents first: then the clients still get the answers to their requests.
      await Promise.all([...this.#agents.values()].map((agent) => agent.close()));
      await Promise.all([...this.#clients].map((client) => client.close()));
      this.#agents.clear();
      if (this.#logFolder !== undefined) rmSync(this.#logFolder, { recursive: true, force: true });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #sessions(): readonly HubSession[] {
    return [...this.#agents.values()].flatMap(({ sessions }) => [...sessions.values()]);
  }

  #agentFor({ options }: ServedClient, initialize: ClientRequest): HostedAgent {
    const { agent, owner } = options;
    const key = JSON.stringify([agent.key, owner, initialize.params]);
    const known = this.#agents.get(key);
    if (known) return known;
    const hosted: HostedAgent = new HostedAgent(agent, owner, initialize, {
      limits: this.#limits,
      isJudging: this.#options.policy !== undefined,
      unjudged: (request) => this.#options.onUnjudged?.(request),
      emit: (event) => this.#emit(event),
      session: (opened, connection) => this.#createSession(hosted, opened, connection),
      idle: () => this.#limitIdle(hosted),
      unused: () => {
        if (this.#agents.get(key) === hosted) this.#agents.delete(key);
        this.#idle.delete(hosted);
        void quiet(hosted.close());
      },
    });
    this.#agents.set(key, hosted);
    return hosted;
  }

  /** Ends an agent's longest-idle process if there are too many. */
  #limitIdle(agent: HostedAgent): void {
    this.#idle.delete(agent);
    this.#idle.add(agent);
    const copies = [...this.#idle].filter(
      ({ name, owner, isIdle }) => isIdle && name === agent.name && owner === agent.owner,
    );
    if (copies.length > this.#limits.maxIdleCopies) copies[0]?.rest();
  }

  #createSession(agent: HostedAgent, opened: OpenedSession, connection: AgentLink): HubSession {
    const { name, owner, version: protocolVersion } = agent;
    const { sessionId, params } = opened;
    const policy = this.#options.policy?.({
      sessionId,
      agent: name,
      owner,
      roots: sessionFolders(params),
      protocolVersion,
    });
    return new HubSession(agent, opened, connection, { log: this.#createLog(), policy });
  }

  #createLog(): SessionLog | undefined {
    const { log } = this.#options;
    if (!log || this.#logFolder === undefined) return undefined;
    const blocks = new LogBlocks(this.#logFolder, log.diskBytes ?? 64 * MIB);
    return new SessionLog(log.memoryBytes ?? MIB, blocks);
  }

  #emit(event: HubEvent): void {
    const { onEvent } = this.#options;
    if (onEvent) callSafely(() => onEvent(event));
    this.#whenIdle?.();
  }
}

/** The folder of this process. Those of processes that are gone are removed. */
function openLogFolder({ folder }: SessionLogOptions): string {
  for (const name of namesIn(folder)) {
    const pid = Number(/^hub-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isRunning(pid)) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
  return join(folder, `hub-${process.pid}-${randomId().slice(0, 8)}`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
