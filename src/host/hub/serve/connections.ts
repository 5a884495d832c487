import type { RemoteChannel, TokenGrant } from "../../../transport/remote/index.ts";
import type { Hub, HubAgent, HubClient, HubSessionInfo } from "../options.ts";
import type { ServeEvent } from "./options.ts";

export interface HubAccess {
  readonly grant: TokenGrant;
  readonly agent: HubAgent | undefined;
}

interface Served {
  readonly grant: TokenGrant;
  readonly agent: string;
  readonly transport: "websocket" | "http";
  readonly client: HubClient;
  cause: "ended" | "revoked";
}

export interface ConnectionOptions {
  readonly hub: Hub;
  readonly graceMs: number;
  readonly mayUse: (grant: TokenGrant, session: HubSessionInfo) => boolean;
  readonly firstRoot: (grant: TokenGrant) => string | undefined;
  readonly report: (event: ServeEvent) => void;
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Serves connections, and ends those whose token is not valid anymore. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #served = new Set<Served>();
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get counts(): Readonly<Record<"websocket" | "http", number>> {
    const counts = { websocket: 0, http: 0 };
    for (const { transport } of this.#served) counts[transport]++;
    return counts;
  }

  serve(channel: RemoteChannel<HubAccess>): void {
    const { grant, agent } = channel.access;
    if (!agent) return void channel.close();
    const { hub, graceMs, mayUse, firstRoot, report } = this.#options;
    const { transport, address } = channel;
    const owner = grant.name;
    report({ type: "connection_opened", owner, agent: agent.name, transport, address });
    const client = hub.serve(channel, {
      agent,
      owner,
      tenant: grant.tenant,
      role: grant.role,
      mayUse: (session) => mayUse(grant, session),
      root: firstRoot(grant),
      graceMs,
    });
    const served: Served = { grant, agent: agent.name, transport, client, cause: "ended" };
    this.#served.add(served);
    this.#watchExpiry();
    void channel.closed.then(() => {
      this.#served.delete(served);
      report({ type: "connection_closed", owner, agent: agent.name, cause: served.cause });
    });
    return undefined;
  }

  /** Ends the connections whose grant is not among these, or not the same anymore. */
  keepOnly(grants: readonly TokenGrant[]): void {
    const valid = new Set(grants.map((grant) => JSON.stringify(grant)));
    this.#revoke(({ grant }) => !valid.has(JSON.stringify(grant)));
  }

  stop(): void {
    clearTimeout(this.#expiry);
  }

  #revoke(isInvalid: (served: Served) => boolean): void {
    for (const served of this.#served) {
      if (!isInvalid(served)) continue;
      served.cause = "revoked";
      void served.client.close();
    }
  }

  /** Waits for the next token that expires. */
  #watchExpiry(): void {
    clearTimeout(this.#expiry);
    const now = Date.now();
    this.#revoke(({ grant: { expires } }) => expires !== undefined && expires <= now);
    const next = Math.min(
      ...[...this.#served].map(({ grant, cause }) =>
        cause === "revoked" ? Infinity : (grant.expires ?? Infinity),
      ),
    );
    if (next === Infinity) return;
    const ms = Math.min(next - now, MAX_TIMER_MS);
    this.#expiry = setTimeout(() => this.#watchExpiry(), ms);
    this.#expiry.unref();
  }
}

const ENDPOINT = "/acp";

export const METRICS_PATH = "/metrics";
/** The path that says whether the server accepts work. */
export const HEALTH_PATH = "/healthz";

/** Pure: whether a path is one of an agent, known or not. */
export function isAgentPath(path: string): boolean {
  return path === ENDPOINT || path.startsWith(`${ENDPOINT}/`);
}

/** Pure: the agent that a path leads to for a token; undefined if it may use none there. */
export function agentAt(
  path: string,
  agents: readonly HubAgent[],
  grant: TokenGrant,
): HubAgent | undefined {
  const allowed = agents.filter(({ name }) => mayUseAgent(grant, name));
  if (path === ENDPOINT) return allowed.length === 1 ? allowed[0] : undefined;
  return allowed.find(({ name }) => path === `${ENDPOINT}/${encodeURIComponent(name)}`);
}

export function mayUseAgent({ agents }: TokenGrant, name: string): boolean {
  return agents === undefined || agents.includes(name);
}

/** Pure: whether a token may see the figures of the server, which count the work of all agents. */
export function mayReadMetrics({ agents }: TokenGrant): boolean {
  return agents === undefined;
}
