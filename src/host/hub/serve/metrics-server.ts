import type { IncomingMessage, ServerResponse } from "node:http";
import { quietly } from "../../../base/index.ts";
import { namesWithPort, NOT_FOUND, placeRefusal, targetOf } from "../../../transport/wire/index.ts";
import { HttpServers } from "./http-servers.ts";
import { listenAddresses, expectLoopbackAddresses, namesOf } from "./addresses.ts";

export interface MetricsServerOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** Allows other machines, which read the metrics without a token and unencrypted. */
  readonly isInsecureAllowed: boolean;
  readonly isReady: () => boolean;
  readonly metrics: () => string;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/healthz` and `/metrics` without clients. Rejects with ExposedAddressError or ListenError. */
export function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  return quietly(async () => {
    const addresses = await listenAddresses(options.host);
    if (!options.isInsecureAllowed) expectLoopbackAddresses(addresses);
    const hosts: string[] = [];
    const servers = await HttpServers.listen({
      addresses,
      port: options.port,
      tls: undefined,
      headersMs: undefined,
      bodyMs: undefined,
      maxConnections: undefined,
      request: (request, response) => answerProbe(options, hosts, request, response),
      upgrade: (_, socket) => void socket.destroy(),
    });
    const names = namesOf(options.host, servers.addresses);
    hosts.push(...namesWithPort(names, servers.port, false));
    return { port: servers.port, close: () => servers.close() };
  });
}

function answerProbe(
  { isReady, metrics }: MetricsServerOptions,
  hosts: readonly string[],
  { url, method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const refusal = placeRefusal(headers, { hosts, origins: "own" });
  if (refusal) return answer(response, refusal.status, `${refusal.text}\n`);
  if (method !== "GET" && method !== "HEAD") return answer(response, 405, "not allowed\n");
  const { path } = targetOf(url);
  if (path === HEALTH_PATH) return answerHealth(response, isReady());
  if (path === METRICS_PATH) return answerMetrics(response, metrics());
  return answer(response, NOT_FOUND.status, `${NOT_FOUND.text}\n`);
}

export const METRICS_PATH = "/metrics";
/** The path that says whether the server accepts work. */
export const HEALTH_PATH = "/healthz";

export function answerHealth(response: ServerResponse, isReady: boolean): void {
  answer(response, isReady ? 200 : 503, isReady ? "ok\n" : "draining\n");
}

export function answerMetrics(response: ServerResponse, metrics: string): void {
  response.setHeader("cache-control", "no-store");
  answer(response, 200, metrics, METRICS_TYPE);
}

const METRICS_TYPE = "text/plain; version=0.0.4";

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  response.statusCode = status;
  response.setHeader("content-type", type);
  response.end(text);
}
