import type { IncomingMessage, ServerResponse } from "node:http";
import { quietly } from "../../../base/index.ts";
import { namesWithPort, NOT_FOUND, placeRefusal, targetOf } from "../../../transport/wire/index.ts";
import { addressesOf, expectLoopback, namesOf, HttpServers } from "./http-servers.ts";

export interface FiguresOptions {
  readonly host: string | undefined;
  readonly port: number;
  /** Allows other machines, which read the figures without a token and unencrypted. */
  readonly isInsecureAllowed: boolean;
  readonly isReady: () => boolean;
  readonly figures: () => string;
}

export interface FiguresServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/healthz` and `/metrics` without clients. Rejects with ExposedAddressError or ListenError. */
export function serveFigures(options: FiguresOptions): Promise<FiguresServer> {
  return quietly(async () => {
    const addresses = await addressesOf(options.host);
    if (!options.isInsecureAllowed) expectLoopback(addresses);
    const hosts: string[] = [];
    const servers = await HttpServers.listen({
      addresses,
      port: options.port,
      tls: undefined,
      headersMs: undefined,
      bodyMs: undefined,
      maxConnections: undefined,
      request: (request, response) => answerFigures(options, hosts, request, response),
      upgrade: (_, socket) => void socket.destroy(),
    });
    const names = namesOf(options.host, servers.addresses);
    hosts.push(...namesWithPort(names, servers.port, false));
    return { port: servers.port, close: () => servers.close() };
  });
}

function answerFigures(
  { isReady, figures }: FiguresOptions,
  hosts: readonly string[],
  { url, method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const refusal = placeRefusal(headers, { hosts, origins: "own" });
  if (refusal) return answer(response, refusal.status, `${refusal.text}\n`);
  if (method !== "GET" && method !== "HEAD") return answer(response, 405, "not allowed\n");
  const { path } = targetOf(url);
  if (path === HEALTH_PATH) return answerHealth(response, isReady());
  if (path === METRICS_PATH) return answerMetrics(response, figures());
  return answer(response, NOT_FOUND.status, `${NOT_FOUND.text}\n`);
}

export const METRICS_PATH = "/metrics";
/** The path that says whether the server accepts work. */
export const HEALTH_PATH = "/healthz";

export function answerHealth(response: ServerResponse, isReady: boolean): void {
  answer(response, isReady ? 200 : 503, isReady ? "ok\n" : "draining\n");
}

export function answerMetrics(response: ServerResponse, figures: string): void {
  response.setHeader("cache-control", "no-store");
  answer(response, 200, figures, METRICS_TYPE);
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
