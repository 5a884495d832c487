// A server for remote clients on loopback, and plain HTTP requests to it.
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import type { Channel } from "../../../src/transport/wire/index.ts";
import {
  listenRemote,
  type ListenRemoteOptions,
  type RemoteChannel,
  type RemoteServer,
} from "../../../src/transport/remote/index.ts";

const TOKEN = "a-token-for-tests";
export const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

const cleanups: (() => unknown)[] = [];

/** Runs at the end of the test, last first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

/** Answers lines of the client. The default is a small agent. */
export type Script = (line: string, channel: Channel) => void;

export interface TestServer extends RemoteServer<string> {
  /** The connections that were handed over, oldest first. */
  readonly channels: RemoteChannel<string>[];
  /** The lines that arrived, of all connections. */
  readonly received: string[];
}

/** Starts a server. Tokens are the names of their owners, except `wrong`. */
export async function startServer(
  options: Partial<ListenRemoteOptions<string>> = {},
  script: Script = agentScript,
): Promise<TestServer> {
  const channels: RemoteChannel<string>[] = [];
  const received: string[] = [];
  const server = await listenRemote<string>({
    authorize: ({ token }) => (token === undefined || token === "wrong" ? undefined : token),
    ...options,
  });
  server.open((channel) => {
    channels.push(channel);
    channel.open((line) => {
      received.push(line);
      script(line, channel);
    });
  });
  afterwards(async () => {
    const closed = server.close();
    for (const channel of channels) await channel.close();
    await closed;
  });
  return { ...server, channels, received };
}

/** Answers `initialize` and `session/new`; `session/prompt` gets as many updates as it asks for. */
export const agentScript: Script = (line, channel) => {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method?: string;
    params?: { sessionId?: string; updates?: number };
  };
  const answer = (result: object): void =>
    void channel.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") answer({ protocolVersion: 1 });
  if (method === "session/new") answer({ sessionId: "s" });
  if (method === "session/prompt") {
    for (let n = 1; n <= (params?.updates ?? 0); n++) {
      void channel.send(updateLine(params?.sessionId ?? "", n));
    }
    answer({ stopReason: "end_turn" });
  }
};

export function updateLine(sessionId: string, n: number, text = ""): string {
  const params = { sessionId, update: { n, text } };
  return JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
}

export function requestLine(id: number | string, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export const INITIALIZE = requestLine(1, "initialize", { protocolVersion: 1 });

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface PlainRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends one request to a server and reads the whole answer. */
export function send(
  { port }: { readonly port: number },
  { method = "POST", path = "/acp", headers = {}, body }: PlainRequest,
): Promise<PlainAnswer> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const options: RequestOptions = {
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: { ...AUTHORIZATION, ...json, ...headers },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Makes a connection over HTTP and returns its id. */
export async function initialize(
  server: { readonly port: number },
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, headers: answered } = await send(server, { headers, body: INITIALIZE });
  const id = answered["acp-connection-id"];
  if (status !== 200 || typeof id !== "string") throw new Error(`initialize: ${status}`);
  return id;
}

export interface OpenStream {
  readonly status: number;
  /** Everything that has arrived. */
  readonly text: () => string;
  /** Resolves with everything once it contains a text, or once the stream has ended. */
  until(text: string): Promise<string>;
  readonly ended: Promise<void>;
  /** Stops or continues reading. */
  pause(): void;
  resume(): void;
  /** Drops the connection. */
  cut(): void;
}

/** Opens an event stream. */
export function openStream(
  { port }: { readonly port: number },
  headers: Readonly<Record<string, string>>,
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: "/acp",
        headers: { ...AUTHORIZATION, accept: "text/event-stream", ...headers },
        agent: false,
      },
      (response) => {
        let text = "";
        let arrived = (): void => {};
        const state = { isOver: false };
        const over = (): void => {
          state.isOver = true;
          arrived();
        };
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          arrived();
        });
        const ended = new Promise<void>((done) => {
          response.on("close", () => {
            over();
            done();
          });
        });
        response.on("error", over);
        resolve({
          status: response.statusCode ?? 0,
          text: () => text,
          async until(wanted) {
            while (!text.includes(wanted) && !state.isOver) {
              await new Promise<void>((done) => {
                arrived = done;
              });
            }
            return text;
          },
          ended,
          pause: () => response.pause(),
          resume: () => response.resume(),
          cut: () => sent.destroy(),
        });
      },
    );
    sent.on("error", reject);
    sent.end();
    afterwards(() => sent.destroy());
  });
}

/** The ids and the data of the events in the text of a stream. */
export function eventsIn(text: string): { id: number; n: unknown }[] {
  return [...text.matchAll(/id: (\d+)\ndata: (.*)\n\n/g)].map(([, id, data]) => {
    const frame = JSON.parse(data ?? "{}") as { params?: { update?: { n?: unknown } } };
    return { id: Number(id), n: frame.params?.update?.n };
  });
}
