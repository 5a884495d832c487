import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createHttpServer, listenOn } from "../../../transport/remote/index.ts";
import { callSafely, quietly, within } from "../../../base/index.ts";
import {
  createToken,
  guardRequest,
  hashToken,
  type HttpRefusal,
  LOOPBACK_NAMES,
  namesWithPort,
  NOT_FOUND,
  ServerToken,
} from "../../../transport/wire/index.ts";
import { pageCsp } from "../export/page.ts";
import { InspectedSession, type InspectedSessionOptions, type JudgedSession } from "./session.ts";
import { streamLog } from "./recording-log.ts";

export interface InspectServerOptions {
  readonly page: string;
  /** The port to listen on. Default: 0, which picks a free one. */
  readonly port?: number | undefined;
  /** Called with the failure of a request, which the page only learns as a status. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The address, not the name `localhost`, which may mean another address. */
const HOST = "127.0.0.1";
/** The page holds no data, and each link has its own code. */
const PUBLIC_PATHS = ["/", "/open"] as const;
const METHOD_NOT_ALLOWED: HttpRefusal = {
  status: 405,
  text: "only GET is allowed",
  headers: { allow: "GET" },
};
const MAX_SOCKETS = 64;
const MAX_SESSIONS = 100;
/** The rules keep as many sessions in memory. */
const MAX_JUDGED = 4;
/** How long pages may take to read the rest when the server ends. */
const REST_MS = 2000;

const HEADERS = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Starts the server. Rejects with a ListenError, and if the text is not the page. */
export async function serveInspector(options: InspectServerOptions): Promise<InspectServer> {
  const policy = pageCsp(options.page, true);
  const server = await createHttpServer({});
  server.maxConnections = MAX_SOCKETS;
  const port = await listenOn(server, HOST, options.port ?? 0);
  return new InspectServer(server, port, { ...options, policy });
}

/** A server on the loopback address that shows sessions to anyone who has its token. It changes nothing. */
export class InspectServer {
  readonly port: number;
  /** The address of the page with the token in its fragment, which is never sent. */
  readonly url: string;
  readonly #server: Pick<Server, "close" | "closeAllConnections">;
  readonly #page: string;
  readonly #policy: string;
  readonly #token = new ServerToken();
  readonly #codes = new Set<string>();
  readonly #sessions: InspectedSession[] = [];
  /** The sessions that the rules have in memory, the one that was asked for last at the end. */
  readonly #judged = new Set<InspectedSession>();
  readonly #streams = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #added = 0;
  #closed: Promise<void> | undefined;

  constructor(
    server: Pick<Server, "on" | "close" | "closeAllConnections">,
    port: number,
    { page, policy, onError = () => {} }: InspectServerOptions & { readonly policy: string },
  ) {
    this.port = port;
    this.url = `http://${HOST}:${port}/#token=${this.#token.value}`;
    this.#server = server;
    this.#page = page;
    this.#policy = policy;
    server.on("error", onError);
    server.on("request", (request, response) => {
      response.on("error", () => {});
      this.#serve(request, response).catch((error: unknown) => {
        callSafely(() => onError(error));
        response.destroy();
      });
    });
  }

  get sessions(): readonly InspectedSession[] {
    return this.#sessions;
  }

  /**
   * An address that leads to `url` once, for the command line of a browser: other users of the machine can
   * see that, but they come too late.
   */
  openUrl(): string {
    const code = createToken();
    this.#codes.add(hashToken(code));
    return `http://${HOST}:${this.port}/open?code=${code}`;
  }

  /** Adds a session. If there are too many, the oldest that has ended goes. */
  add(options: InspectedSessionOptions): InspectedSession {
    const session = new InspectedSession(String(++this.#added), options);
    this.#sessions.push(session);
    const oldest = this.#sessions.findIndex(({ log }) => !log.isOpen);
    if (this.#sessions.length > MAX_SESSIONS && oldest !== -1) {
      const [gone] = this.#sessions.splice(oldest, 1);
      if (gone) this.#judged.delete(gone);
      void gone?.log.close();
    }
    return session;
  }

  /** Ends all sessions, lets pages read the rest for a moment, and ends. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= quietly(() => this.#end());
    return this.#closed;
  }

  async #end(): Promise<void> {
    for (const { log } of this.#sessions) log.end();
    await within(Promise.all(this.#streams), REST_MS);
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
    await Promise.all(this.#sessions.map(({ log }) => log.close()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hosts = namesWithPort(LOOPBACK_NAMES, this.port, false);
    const rules = { hosts, origins: "own", token: this.#token, publicPaths: PUBLIC_PATHS } as const;
    const guarded = guardRequest(request, rules);
    if (!guarded.ok) return refuse(response, guarded.refusal);
    if (request.method !== "GET") return refuse(response, METHOD_NOT_ALLOWED);
    const { path, query } = guarded.target;
    switch (path) {
      case "/":
        return this.#servePage(response);
      case "/open":
        return this.#open(response, query.get("code") ?? "");
      case "/api/sessions":
        return answerJson(response, { sessions: this.#sessions.map(({ info }) => info) });
    }
    const session = this.#sessions.find(({ id }) => id === query.get("session"));
    if (path === "/api/recording" && session)
      return this.#stream(session, query.get("from") ?? "0", response);
    if (path === "/api/findings" && session) {
      const { fields: _, ...judged } = await this.#judge(session);
      return answerJson(response, { v: 1, ...judged });
    }
    if (path === "/api/fields" && session)
      return answerJson(response, (await this.#judge(session)).fields);
    return refuse(response, NOT_FOUND);
  }

  #judge(session: InspectedSession): Promise<JudgedSession> {
    this.#judged.delete(session);
    this.#judged.add(session);
    const [oldest] = this.#judged;
    if (oldest && this.#judged.size > MAX_JUDGED) {
      this.#judged.delete(oldest);
      oldest.judge.forget();
    }
    return session.judge.judged();
  }

  #servePage(response: ServerResponse): void {
    response.writeHead(200, {
      ...HEADERS,
      "content-security-policy": this.#policy,
      "content-type": "text/html; charset=utf-8",
    });
    response.end(this.#page);
  }

  /** A code is good for one request. */
  #open(response: ServerResponse, code: string): void {
    if (!this.#codes.delete(hashToken(code)))
      return refuse(response, {
        status: 403,
        text: "this link has already been used; reopen the address",
      });
    response.writeHead(303, { ...HEADERS, location: this.url });
    response.end();
  }

  async #stream(session: InspectedSession, from: string, response: ServerResponse): Promise<void> {
    const first = /^\d{1,12}$/.test(from) ? Number(from) : Number.NaN;
    if (!(first <= session.log.entries))
      return refuse(response, { status: 400, text: "the session has no such entry" });
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    response.writeHead(200, { ...HEADERS, "content-type": "application/x-ndjson" });
    response.flushHeaders();
    const streamed = streamLog(session.log, first, response, signal).then(
      () => new Promise<void>((resolve) => response.end(resolve)),
      (error: unknown) => {
        if (!signal.aborted) throw error;
        response.destroy();
      },
    );
    const tracked = streamed.catch(() => {});
    this.#streams.add(tracked);
    void tracked.then(() => this.#streams.delete(tracked));
    return streamed;
  }
}

function refuse(response: ServerResponse, { status, text, headers }: HttpRefusal): void {
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    "content-type": "text/plain; charset=utf-8",
  });
  response.end(`${text}\n`);
}

function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...HEADERS, "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}
