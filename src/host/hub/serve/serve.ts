import type { IncomingMessage, ServerResponse } from "node:http";
import {
  findGrant,
  inAddress,
  remoteEndpoint,
  type RemoteEndpoint,
  type RemoteRequest,
  type TokenGrant,
} from "../../../transport/remote/index.ts";
import { callSafely, quietly } from "../../../base/index.ts";
import { namesWithPort, targetOf } from "../../../transport/wire/index.ts";
import type { Hub, HubOptions } from "../options.ts";
import {
  addressesOf,
  expectLoopback,
  namesOf,
  checkCredentials,
  HttpServers,
} from "./http-servers.ts";
import {
  Connections,
  type HubAccess,
  agentAt,
  HEALTH_PATH,
  isAgentPath,
  mayReadMetrics,
  mayUseAgent,
  METRICS_PATH,
} from "./connections.ts";
import { answer, METRICS_TYPE } from "./figures.ts";
import { WatchedValue } from "./from-files.ts";
import { HubMetrics } from "./metrics.ts";
import type { FromFiles, HubServer, ServeEvent, ServeHubOptions } from "./options.ts";
import { servedParams, type FolderLimits, RootLimits } from "./root-limits.ts";
import { createHub } from "../hub.ts";

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
    const addresses = await addressesOf(options.host);
    if (options.tls === undefined && options.isInsecureAllowed !== true) expectLoopback(addresses);
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
        const params = servedParams(request.params, request.client.agent.meta);
        return limits.checkOpen({ ...request, params });
      },
      onEvent: (event) => this.#report(event),
    });
    this.#connections = new Connections({
      hub: this.hub,
      graceMs: options.graceMs ?? GRACE_MS,
      mayUse: (grant, session) =>
        mayUseAgent(grant, session.agent) && limits.mayUse(grant, session),
      firstRoot: (grant) => limits.firstRoot(grant),
      report: (event) => this.#report(event),
    });
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

  #address(scheme: "http" | "ws"): string {
    const { host, tls } = this.#options;
    const shown = inAddress(host ?? this.addresses[0] ?? "127.0.0.1");
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
      answer(response, this.#isDraining ? 503 : 200, this.#isDraining ? "draining\n" : "ok\n");
    } else if (path === METRICS_PATH && isRead) {
      if ((await this.#endpoint.admit(request, response)) === undefined) return;
      const facts = {
        hub: this.hub,
        connections: this.#connections.counts,
        isDraining: this.#isDraining,
      };
      response.setHeader("cache-control", "no-store");
      answer(response, 200, this.#metrics.format(facts), METRICS_TYPE);
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
 * Rejects with an ExposedAddressError, a CredentialsError, a ListenError, or the error of a source of tokens or certificates.
 */
export function serveHub(options: ServeHubOptions): Promise<HubServer> {
  return serveWith(createHub, options);
}
