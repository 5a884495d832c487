import type { IncomingMessage, ServerResponse } from "node:http";
import {
  findGrant,
  hostInUrl,
  type RemoteChannel,
  remoteEndpoint,
  type RemoteEndpoint,
  type RemoteRequest,
  type TokenGrant,
} from "../../../transport/remote/index.ts";
import {
  DragomanError,
  callSafely,
  quietly,
  toError,
  type JsonObject,
  isJsonObject,
} from "../../../base/index.ts";
import { namesWithPort, targetOf } from "../../../transport/wire/index.ts";
import { assertOptions, SERVE_OPTIONS } from "../assert-options.ts";
import type { Hub, HubAgent, HubClient, HubOptions } from "../options.ts";
import { HttpServers } from "./http-servers.ts";
import { answerHealth, answerMetrics, HEALTH_PATH, METRICS_PATH } from "./metrics-server.ts";
import { WatchedValue } from "./from-files.ts";
import { HubMetrics } from "./metrics.ts";
import type {
  FromFiles,
  HubServer,
  ServeEvent,
  ServeHubOptions,
  TlsCredentials,
} from "./options.ts";
import { type FolderLimits, RootLimits } from "./root-limits.ts";
import { createHub } from "../hub.ts";
import { listenAddresses, expectLoopbackAddresses, namesOf } from "./addresses.ts";
import { createPrivateKey, X509Certificate } from "node:crypto";

const GRACE_MS = 30_000;
const RELOAD_MS = 1000;

export type HubFactory = (options: HubOptions) => Hub;

/** Creates the limits of clients by the tokens that are valid. */
export type LimitsFactory = (grants: () => readonly TokenGrant[]) => FolderLimits;

/** Serves a hub of this factory. See `serveHub`. */
export function serveWith(
  createHub: HubFactory,
  options: ServeHubOptions,
  createLimits: LimitsFactory = (grants) => new RootLimits(options.roots, grants),
): Promise<HubServer> {
  return quietly(async () => {
    const addresses = await listenAddresses(options.host);
    if (options.tls === undefined && options.isInsecureAllowed !== true)
      expectLoopbackAddresses(addresses);
    const service = new HubService(createHub, options, createLimits);
    await service.listen(addresses);
    return service;
  });
}

class HubService implements HubServer {
  readonly hub: Hub;
  readonly #options: ServeHubOptions;
  readonly #metrics = new HubMetrics();
  readonly #connections: Connections;
  readonly #endpoint: RemoteEndpoint<HubAccess>;
  /** Filled when the port is known. */
  readonly #hosts: string[] = [];
  #tokens: WatchedValue<readonly TokenGrant[]> = WatchedValue.fixed<readonly TokenGrant[]>([]);
  #credentials: { close(): void } | undefined;
  #servers: HttpServers | undefined;
  #isDraining = false;
  #closing: Promise<void> | undefined;

  constructor(createHub: HubFactory, options: ServeHubOptions, createLimits: LimitsFactory) {
    this.#options = options;
    const limits = createLimits(() => this.#tokens.value);
    this.hub = createHub({
      folderName: (cwd) => options.roots?.nameOf(cwd) ?? cwd,
      ...options.hub,
      checkOpen: (request) => {
        const params = servedOpenParams(request.params, request.client.agent.meta);
        return limits.checkOpen({ ...request, params });
      },
      onEvent: (event) => this.#report(event),
    });
    const { graceMs = GRACE_MS } = options;
    const report = (event: ServeEvent): void => this.#report(event);
    this.#connections = new Connections(this.hub, limits, graceMs, report);
    this.#endpoint = remoteEndpoint<HubAccess>({
      authorize: (request) => this.#accessOf(request),
      owner: ({ grant, agent }) => JSON.stringify([grant.name, agent?.name]),
      hosts: this.#hosts,
      origins: options.origins,
      path: isAgentPath,
      mayUse: ({ grant, agent }, path) =>
        path === METRICS_PATH ? mayReadMetrics(grant) : agent !== undefined,
      maxConnections: options.maxConnections,
      limits: { graceMs: options.graceMs, ...options.limits },
      onRefused: (refused) => this.#report({ type: "request_refused", ...refused }),
    });
    this.#endpoint.open((channel) => this.#connections.serve(channel));
  }

  get port(): number {
    return this.#servers?.port ?? 0;
  }

  get addresses(): readonly string[] {
    return this.#servers?.addresses ?? [];
  }

  get url(): string {
    return this.#address("http");
  }

  get webSocketUrl(): string {
    return this.#address("ws");
  }

  async listen(addresses: readonly string[]): Promise<void> {
    try {
      await this.#listen(addresses);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #listen(addresses: readonly string[]): Promise<void> {
    const { tls, host, port = 0, headersMs, limits, maxConnections } = this.#options;
    this.#tokens = await this.#watched("tokens", this.#options.tokens, (grants) =>
      this.#connections.keepOnly(grants),
    );
    const credentials =
      tls &&
      (await this.#watched("certificate", tls, (value) => {
        checkCredentials(value);
        this.#servers?.setCredentials(value);
      }));
    if (credentials) checkCredentials(credentials.value);
    this.#credentials = credentials;
    this.#servers = await HttpServers.listen({
      addresses,
      port,
      tls: credentials?.value,
      headersMs,
      bodyMs: limits?.bodyMs,
      maxConnections,
      request: (request, response) => void this.#handle(request, response),
      upgrade: (request, socket, head) => void this.#endpoint.upgrade(request, socket, head),
    });
    const names = namesOf(host, this.#servers.addresses);
    this.#hosts.push(
      ...namesWithPort(names, this.#servers.port, tls !== undefined),
      ...(this.#options.hostNames ?? []),
    );
  }

  drain(ms: number): Promise<void> {
    return quietly(async () => {
      this.#isDraining = true;
      this.#report({ type: "draining" });
      // It waits for connections over HTTP, which the hub ends.
      void this.#endpoint.close();
      await this.hub.drain(ms);
      await this.close();
    });
  }

  close(): Promise<void> {
    this.#closing ??= quietly(async () => {
      this.#isDraining = true;
      this.#tokens.close();
      this.#credentials?.close();
      this.#connections.stop();
      void this.#endpoint.close();
      await this.hub.close();
      await this.#servers?.close();
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #address(scheme: "http" | "ws"): string {
    const { host, tls } = this.#options;
    const shown = hostInUrl(host ?? this.addresses[0] ?? "127.0.0.1");
    return `${scheme}${tls ? "s" : ""}://${shown}:${this.port}/acp`;
  }

  #accessOf({ token, path }: RemoteRequest): HubAccess | undefined {
    const grant = findGrant(token, this.#tokens.value, Date.now());
    return grant && { grant, agent: agentAt(path, this.#options.agents, grant) };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path } = targetOf(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (path === HEALTH_PATH && isRead) {
      if (!this.#endpoint.isInPlace(request, response)) return;
      answerHealth(response, !this.#isDraining);
    } else if (path === METRICS_PATH && isRead) {
      if ((await this.#endpoint.admit(request, response)) === undefined) return;
      const facts = {
        hub: this.hub,
        connections: this.#connections.counts,
        isDraining: this.#isDraining,
      };
      answerMetrics(response, this.#metrics.format(facts));
    } else await this.#endpoint.handle(request, response);
  }

  #watched<T extends object>(
    what: "tokens" | "certificate",
    source: T | FromFiles<T>,
    use: (value: T) => void,
  ): Promise<WatchedValue<T>> {
    if (!("load" in source)) return Promise.resolve(WatchedValue.fixed(source));
    return WatchedValue.open(source, {
      reloadMs: this.#options.reloadMs ?? RELOAD_MS,
      changed: (value) => {
        use(value);
        this.#report({ type: "reloaded", what });
      },
      failed: (error) => this.#report({ type: "reload_failed", what, error }),
    });
  }

  #report(event: ServeEvent): void {
    switch (event.type) {
      case "connection_opened":
        this.#metrics.connected(event.transport);
        break;
      case "request_refused":
        this.#metrics.refused(event.status);
        break;
      case "connection_closed":
      case "reloaded":
      case "reload_failed":
      case "draining":
        break;
      default:
        this.#metrics.event(event);
    }
    callSafely(() => this.#options.onEvent?.(event));
  }
}

/**
 * Serves agents over WebSocket and streamable HTTP: at `/acp`, with `/healthz` and `/metrics` next to it.
 * Listens on loopback by default. Clients need a token, which decides about their agents, their sessions
 * and their role.
 *
 * Rejects with an ExposedAddressError, a CredentialsError, a ListenError, a TypeError for an unknown option, or the error of a source of tokens or certificates.
 */
export function serveHub(options: ServeHubOptions): Promise<HubServer> {
  return quietly(async () => {
    assertOptions(options, SERVE_OPTIONS, "serveHub");
    return serveWith(createHub, options);
  });
}

interface HubAccess {
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

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Serves connections, and ends those whose token is not valid anymore. */
class Connections {
  readonly #hub: Hub;
  readonly #limits: FolderLimits;
  readonly #graceMs: number;
  readonly #report: (event: ServeEvent) => void;
  readonly #served = new Set<Served>();
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    hub: Hub,
    limits: FolderLimits,
    graceMs: number,
    report: (event: ServeEvent) => void,
  ) {
    this.#hub = hub;
    this.#limits = limits;
    this.#graceMs = graceMs;
    this.#report = report;
  }

  get counts(): Readonly<Record<"websocket" | "http", number>> {
    const counts = { websocket: 0, http: 0 };
    for (const { transport } of this.#served) counts[transport]++;
    return counts;
  }

  serve(channel: RemoteChannel<HubAccess>): void {
    const { grant, agent } = channel.access;
    if (!agent) return void channel.close();
    const { transport, address } = channel;
    const owner = grant.name;
    this.#report({ type: "connection_opened", owner, agent: agent.name, transport, address });
    const client = this.#hub.serve(channel, {
      agent,
      owner,
      tenant: grant.tenant,
      role: grant.role,
      mayUse: (session) => mayUseAgent(grant, session.agent) && this.#limits.mayUse(grant, session),
      root: this.#limits.firstRoot(grant),
      graceMs: this.#graceMs,
    });
    const served: Served = { grant, agent: agent.name, transport, client, cause: "ended" };
    this.#served.add(served);
    this.#watchExpiry();
    void channel.closed.then(() => {
      this.#served.delete(served);
      this.#report({ type: "connection_closed", owner, agent: agent.name, cause: served.cause });
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

/** Pure: whether a path is one of an agent, known or not. */
function isAgentPath(path: string): boolean {
  return path === ENDPOINT || path.startsWith(`${ENDPOINT}/`);
}

/** Pure: the agent that a path leads to for a token; undefined if it may use none there. */
function agentAt(
  path: string,
  agents: readonly HubAgent[],
  grant: TokenGrant,
): HubAgent | undefined {
  const allowed = agents.filter(({ name }) => mayUseAgent(grant, name));
  if (path === ENDPOINT) return allowed.length === 1 ? allowed[0] : undefined;
  return allowed.find(({ name }) => path === `${ENDPOINT}/${encodeURIComponent(name)}`);
}

function mayUseAgent({ agents }: TokenGrant, name: string): boolean {
  return agents === undefined || agents.includes(name);
}

/** Pure: whether a token may see the metrics of the server, which count the work of all agents. */
function mayReadMetrics({ agents }: TokenGrant): boolean {
  return agents === undefined;
}

/** A certificate cannot be used, or does not belong to its key. */
export class CredentialsError extends DragomanError {
  override readonly name = "CredentialsError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

/** Throws a CredentialsError unless the certificate fits the key. TLS itself accepts empty files. */
function checkCredentials({ cert, key }: TlsCredentials): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CredentialsError(
      `the certificate or its key is not valid: ${toError(error).message}`,
    );
  }
  if (!isPair) throw new CredentialsError("the certificate does not belong to the key");
}

/** Pure: drops all keys of `_meta` but those in `meta`: agents read even commands from there. */
export function servedOpenParams(params: JsonObject, meta: readonly string[] = []): JsonObject {
  const { _meta: given, ...rest } = params;
  if (!isJsonObject(given)) return rest;
  const kept = Object.entries(given).filter(([key]) => meta.includes(key));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}
