import type { RefusedRequest, RemoteLimits, TokenGrant } from "../../../transport/remote/index.ts";
import type { Overrides } from "../../../base/index.ts";
import type { HubEvent } from "../events.ts";
import type { Hub, HubAgent, HubOptions } from "../options.ts";
import type { HubRoots } from "../roots.ts";

/** A certificate for TLS. */
export interface TlsCredentials {
  /** The certificate, in PEM format. */
  readonly cert: string;
  /** Its key, in PEM format. */
  readonly key: string;
}

/** A value that is read from files, and read again when they change. */
export interface FromFiles<T> {
  readonly files: readonly string[];
  /** Reads the value. If it rejects, the old value stays. */
  load(): Promise<T>;
}

/** Something that happened in a server. The events of its hub are among them. */
export type ServeEvent =
  | HubEvent
  /** A client connected. */
  | {
      readonly type: "connection_opened";
      readonly owner: string;
      readonly agent: string;
      /** How it is connected. */
      readonly transport: "websocket" | "http";
      /** Its IP address. */
      readonly address: string | undefined;
    }
  /** A client is gone. */
  | {
      readonly type: "connection_closed";
      readonly owner: string;
      readonly agent: string;
      /** `revoked`: its token is not valid anymore. */
      readonly cause: "ended" | "revoked";
    }
  /** A request or an upgrade was refused. */
  | ({ readonly type: "request_refused" } & RefusedRequest)
  /** Changed files were read, and are in use. */
  | {
      readonly type: "reloaded";
      /** The content of the files. */
      readonly what: "tokens" | "certificate";
    }
  /** Changed files cannot be used. The former values stay. */
  | {
      readonly type: "reload_failed";
      /** The content of the files. */
      readonly what: "tokens" | "certificate";
      readonly error: Error;
    }
  /** No new turns are accepted. */
  | { readonly type: "draining" };

/** Options of {@link serveHub}. */
export interface ServeHubOptions {
  /** The agents, at `/acp/NAME`. `/acp` leads to the agent of a token that may use just one. */
  readonly agents: readonly HubAgent[];
  /** The tokens that clients need. A client that is connected is cut off if its token is removed. */
  readonly tokens: readonly TokenGrant[] | FromFiles<readonly TokenGrant[]>;
  /** The name or address to listen on. Default: `127.0.0.1` and `::1`. */
  readonly host?: string | undefined;
  /** The port to listen on. Default: 0, which picks a free one. */
  readonly port?: number | undefined;
  /** For `https:` and `wss:`. Default: no encryption, which is refused for other machines. */
  readonly tls?: TlsCredentials | FromFiles<TlsCredentials> | undefined;
  /** Allows clients on other machines without encryption, for example behind a proxy. Default: false. */
  readonly isInsecureAllowed?: boolean | undefined;
  /** More `Host` values to accept: `name`, which allows every port, or `name:port`. */
  readonly hostNames?: readonly string[] | undefined;
  /** The web pages that may connect, as origins such as `https://example.com`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /** Options of the hub. */
  readonly hub?: Omit<HubOptions, "onEvent" | "checkOpen"> | undefined;
  /**
   * The folders that sessions may work in. A token that is limited to some roots opens sessions there, and
   * attaches to sessions of others there. Default: sessions may work anywhere, except for such a token,
   * which may open none.
   */
  readonly roots?: HubRoots | undefined;
  /** How long turns go on after their client's connection is lost, in milliseconds. Default: 30 s. */
  readonly graceMs?: number | undefined;
  /** How many connections may be open at once. Default: 256. */
  readonly maxConnections?: number | undefined;
  /** The time limit for the headers of a request, in milliseconds. Default: 10 s. */
  readonly headersMs?: number | undefined;
  /** How often files are checked for changes, in milliseconds. Default: 1 s. */
  readonly reloadMs?: number | undefined;
  /** Changes to the limits of connections. */
  readonly limits?: Overrides<RemoteLimits> | undefined;
  /** Called with everything that happens, for logs. It must not throw. */
  readonly onEvent?: ((event: ServeEvent) => void) | undefined;
}

/** A server that serves a hub's agents to other machines. */
export interface HubServer {
  /** The hub. */
  readonly hub: Hub;
  /** The port that it listens on. */
  readonly port: number;
  /** The IP addresses that it listens on. */
  readonly addresses: readonly string[];
  /** The address of the endpoint, for streamable HTTP. */
  readonly url: string;
  /** The address of the endpoint, for WebSocket. */
  readonly webSocketUrl: string;
  /** Refuses new work, waits for the running turns, at most this long, and closes. Never rejects. */
  drain(ms: number): Promise<void>;
  /** Ends all connections and all agents. Resolves when nothing is left. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
