import type {
  Meta,
  AuthStatus,
  ProviderInfo,
  ProviderSettings,
  SessionArchiveFilter,
  SystemPrompt,
  AuthMethod,
  ExtensionMethod,
  Implementation,
  McpCapabilities,
  PromptCapabilities,
  SessionConfigOption,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  CrowOptions,
} from "../protocol/acp/index.ts";
import type { Client } from "./connection/client.ts";
import type { Logger } from "../base/index.ts";
import type { CloseReason } from "../transport/wire/index.ts";
import type { SendOptions } from "./session/sender.ts";
import type { AgentSession, SessionWorkspace } from "./session/session.ts";
import type { Turn, TurnEnd } from "./turn/turn.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** Passed to every request handler. */
export interface RequestScope {
  /** The client that sent the request. */
  readonly client: Client;
  /** The request's `_meta`; empty if the client sent none. */
  readonly meta: Meta;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
}

/** The answer to a request whose result has no fields. */
export interface EmptyAnswer {
  /** Sent as the `_meta` of the answer. */
  readonly meta?: Meta | undefined;
}

/** The model providers that a client may configure. All three functions are needed. */
export interface ProviderHandlers {
  /** Lists the providers, without secrets. */
  list(scope: RequestScope): Awaitable<readonly ProviderInfo[]>;
  /** Replaces the whole configuration of a provider. Its headers may contain secrets. */
  set(
    providerId: string,
    settings: ProviderSettings,
    scope: RequestScope,
  ): Awaitable<EmptyAnswer | void>;
  /** Disables a provider. The toolkit denies it for one that is `required`. */
  disable(providerId: string, scope: RequestScope): Awaitable<EmptyAnswer | void>;
}

/**
 * The members of a definition that the unstable protocol has. They are advertised and served only with
 * `unstable: true`, and may change in any release.
 */
export interface UnstableDefinition {
  /** Serves the parts of the protocol that are not stable yet. Default: false. */
  readonly unstable?: boolean | undefined;
  /** Whether the user is signed in. It must not throw `authRequired`. */
  readonly authStatus?: ((scope: RequestScope) => Awaitable<AuthStatus>) | undefined;
  /** The model providers that the client may configure. */
  readonly providers?: ProviderHandlers | undefined;
  /**
   * Hides a session from the default list, after it was closed. Needs `unarchiveSession`, and a
   * `listSessions` that obeys `archived`. Throws `sessionNotFound` for an unknown session.
   */
  readonly archiveSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /** Returns a session to the default list. Throws `sessionNotFound` for an unknown session. */
  readonly unarchiveSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /**
   * Whether a session that is not open on this connection is `open` elsewhere or `saved`; undefined if
   * it is unknown. Must not change anything.
   */
  readonly sessionStatus?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<"open" | "saved" | undefined>)
    | undefined;
  /**
   * Stores a title that the user chose, and returns it if it was changed, for example shortened. The
   * session need not be open. Throws `sessionNotFound` for an unknown session.
   */
  readonly setTitle?:
    | ((sessionId: string, title: string, scope: RequestScope) => Awaitable<string | void>)
    | undefined;
  /**
   * Accepts instructions from the client when a session is opened: see `systemPrompt` of the request.
   * `{ override: true }` accepts those that replace the agent's own, too. Requests with instructions
   * that the agent does not accept fail with -32602.
   */
  readonly systemPrompt?:
    | boolean
    | {
        /** Whether instructions that replace the agent's own are accepted, too. */
        readonly override: boolean;
      }
    | undefined;
}

/** The unstable part of a request to open a session. */
interface UnstableSessionStart {
  /** Instructions from the client, if `systemPrompt` is advertised and the client sent some. */
  readonly systemPrompt: SystemPrompt | undefined;
}

/** The unstable part of a request to list sessions. */
interface UnstableListRequest {
  /** Which sessions to list. Default: `exclude`. */
  readonly archived: SessionArchiveFilter;
}

/** The objects among an agent's capabilities, by path. The empty path is the capabilities themselves. */
export type CapabilityPath =
  | ""
  | "promptCapabilities"
  | "mcpCapabilities"
  | "sessionCapabilities"
  | `sessionCapabilities.${"list" | "delete" | "resume" | "close" | "additionalDirectories" | "fork"}`
  | `sessionCapabilities.${"archive" | "status" | "title" | "systemPrompt"}`
  | "auth"
  | "auth.logout"
  | "auth.status"
  | "providers";

/** The `_meta` of capabilities, by path. */
export type CapabilityMeta = { readonly [P in CapabilityPath]?: Meta | undefined };

/** A request to open a session. */
export interface SessionStart extends SessionWorkspace, RequestScope, UnstableSessionStart {}

/** A request to reopen an existing session. */
export interface SessionReopen<S> extends SessionStart {
  readonly sessionId: string;
  /** The session itself, if it is already open on this connection. */
  readonly current: AgentSession<S> | undefined;
}

/** A request to reopen a session and replay its history. */
export interface SessionReplay<S> extends SessionReopen<S> {
  /** Sends one update of the history. Await it: histories are long. Rejects if the client is gone. */
  readonly replay: (update: SessionUpdate, options?: SendOptions) => Promise<void>;
}

/** A request for a page of the sessions. */
export interface ListRequest extends RequestScope, UnstableListRequest {
  /** If given, list only the sessions of this folder. */
  readonly cwd: string | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor: string | undefined;
}

/** One page of the sessions. */
export interface SessionPage {
  /** The sessions of this page. */
  readonly sessions: readonly SessionInfo[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
  /** Sent as the `_meta` of the answer. */
  readonly meta?: Meta | undefined;
}

/** How a session was opened. */
export type Opened = "new" | "load" | "resume" | "fork";

/**
 * An agent, as its author writes it. `S` is the author's own state for a session.
 *
 * The toolkit advertises the members that are present and answers requests for absent ones with
 * -32601. A handler may throw: an RpcError is sent as is (see `authRequired`, `sessionNotFound`,
 * `invalidParams`), and any other error becomes -32603 with its message.
 */
export interface AgentDefinition<S> extends UnstableDefinition {
  /** The name and version of the agent, which the client may show. */
  readonly info: Implementation;
  /** Sent as the `_meta` of the answer to `initialize`. */
  readonly meta?: Meta | undefined;
  /** The `_meta` of advertised capabilities. Capabilities that are not advertised have none. */
  readonly capabilityMeta?: CapabilityMeta | undefined;
  /** Content that prompts may contain besides text and links. Other prompts fail with -32602. */
  readonly promptCapabilities?:
    | Pick<PromptCapabilities, "image" | "audio" | "embeddedContext">
    | undefined;
  /** MCP transports besides stdio. Sessions with other servers fail with -32602. */
  readonly mcpCapabilities?:
    | (Pick<McpCapabilities, "http" | "sse"> & {
        /** MCP servers in the client's process. Needs `unstable: true`. */
        readonly acp?: boolean | undefined;
      })
    | undefined;
  /** Whether sessions may use folders besides `cwd`. Default: false. */
  readonly additionalDirectories?: boolean | undefined;
  /**
   * Whether sessions work on this machine's disk. If so, a `cwd` that is not an existing folder fails
   * with -32602. Set it to false if the folders are elsewhere, such as in a container or in the client's
   * memory; then `cwd` is only checked to be absolute. Default: true.
   */
  readonly localWorkspaces?: boolean | undefined;

  /** The sign-in methods. Only clients that support terminal sign-in see those of type `terminal`. */
  readonly authMethods?: readonly AuthMethod[] | undefined;
  /** Signs in with one of `authMethods`. */
  readonly authenticate?:
    | ((methodId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /** While it returns false, session requests are answered with -32000. */
  readonly isAuthenticated?: ((scope: RequestScope) => Awaitable<boolean>) | undefined;
  /** Signs out. */
  readonly logout?: ((scope: RequestScope) => Awaitable<EmptyAnswer | void>) | undefined;

  /** Opens a session. `cwd` is an absolute path, and an existing folder unless `localWorkspaces` is false. */
  newSession(start: SessionStart): Awaitable<S>;
  /** The id of a new or forked session. Default: a random UUID. */
  readonly sessionId?: ((state: S) => string) | undefined;
  /**
   * Reopens a session and replays its history: either as an async generator that yields each update
   * and returns the session, or through `request.replay`. Returns undefined for an unknown session.
   */
  readonly loadSession?:
    | ((
        request: SessionReplay<S>,
      ) => AsyncGenerator<SessionUpdate, S | undefined, void> | Awaitable<S | undefined>)
    | undefined;
  /** Reopens a session without replaying its history. Returns undefined for an unknown session. */
  readonly resumeSession?: ((request: SessionReopen<S>) => Awaitable<S | undefined>) | undefined;
  /** Opens a copy of a session under a new id; undefined if it is unknown. Not stable in ACP. */
  readonly forkSession?: ((request: SessionReopen<S>) => Awaitable<S | undefined>) | undefined;
  /** Returns one page of the sessions; `pageOf` splits a list into pages. */
  readonly listSessions?: ((request: ListRequest) => Awaitable<SessionPage>) | undefined;
  /**
   * Frees a session's resources, after its turn has ended. Also called when the client disconnects or
   * deletes the session; there is no `scope` then.
   */
  readonly closeSession?:
    | ((session: AgentSession<S>, scope?: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /** Deletes a session permanently, after it was closed. The id may be unknown. */
  readonly deleteSession?:
    | ((sessionId: string, scope: RequestScope) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /** The `_meta` of the answer that opens a session. */
  readonly sessionMeta?: ((session: AgentSession<S>, how: Opened) => Meta | undefined) | undefined;
  /**
   * Called once the client knows the session's id; a good place to send commands and a title. For a
   * loaded or resumed session, that is before the answer, which waits for it.
   */
  readonly sessionOpened?: ((session: AgentSession<S>, how: Opened) => Awaitable<void>) | undefined;

  /** The modes of a session. Called each time the client needs them. */
  readonly modes?: ((session: AgentSession<S>) => SessionModeState | undefined) | undefined;
  /** Switches to a mode that `modes` lists. */
  readonly setMode?:
    | ((
        session: AgentSession<S>,
        modeId: string,
        scope: RequestScope,
      ) => Awaitable<EmptyAnswer | void>)
    | undefined;
  /** The complete list of a session's config options. Called each time the client needs it. */
  readonly configOptions?:
    | ((session: AgentSession<S>) => readonly SessionConfigOption[])
    | undefined;
  /** Sets an option of `configOptions` to one of its values. */
  readonly setConfigOption?:
    | ((
        session: AgentSession<S>,
        configId: string,
        value: string | boolean,
        scope: RequestScope,
      ) => Awaitable<EmptyAnswer | void>)
    | undefined;

  /**
   * How a prompt behaves while another turn runs in its session: `reject` answers it with -32600, `wait`
   * runs it afterwards. After a cancel, the next prompt always waits for the end of the turn. Default:
   * `reject`.
   */
  readonly whenBusy?: "reject" | "wait" | undefined;
  /** Answers a prompt. Sessions run in parallel, each with one prompt at a time. Obey `turn.signal`. */
  prompt(turn: Turn<S>): Promise<TurnEnd>;

  /** Handlers for extension requests, by method name. `withParams` adds a parser. */
  readonly requests?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: RequestScope) => unknown>>
    | undefined;
  /** Handlers for extension notifications, by method name. */
  readonly notifications?:
    | Readonly<Record<ExtensionMethod, (params: unknown, client: Client) => void>>
    | undefined;

  /**
   * Called for everything in the conversation, in order, for agents that keep their own history: the
   * blocks of each prompt when its turn starts, as `user_message_chunk`, and every update that is sent.
   * Replay them as they are in `loadSession`. Updates of a replay are not recorded again.
   */
  readonly recordUpdate?: ((session: AgentSession<S>, update: SessionUpdate) => void) | undefined;
  /**
   * Called after a client disconnected and every session of it was closed. `client` is the same object
   * as in its requests, or undefined if it left before `initialize`.
   */
  readonly close?:
    | ((reason: CloseReason, client: Client | undefined) => Awaitable<void>)
    | undefined;
}

/** Options of `serveAgent`. */
export interface ServeOptions {
  /** Receives diagnostics. It must not write to stdout, which carries the protocol. */
  readonly logger?: Logger | undefined;
  /** Closes the connection from the agent's side. */
  readonly signal?: AbortSignal | undefined;
  /** Settings for clients that speak the crow dialect. */
  readonly crow?: CrowOptions | undefined;
}
