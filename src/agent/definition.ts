import type {
  AuthMethod,
  Implementation,
  McpCapabilities,
  PromptCapabilities,
  SessionConfigOption,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "../acp/index.ts";
import type { CloseReason } from "../wire/index.ts";
import type { Client, ExtensionMethod } from "./connection/client-link.ts";
import type { AgentSession, SessionWorkspace } from "./session/session.ts";
import type { Turn } from "./turn/turn.ts";

export type Awaitable<T> = T | Promise<T>;

/** What every handler of a request gets. */
export interface RequestScope {
  readonly client: Client;
  /** Aborted when the client gives the request up or goes away. */
  readonly signal: AbortSignal;
}

/** A session that is to be. */
export interface SessionStart extends SessionWorkspace, RequestScope {
  /** What the client put under `_meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A session of before that is to be again. */
export interface SessionReopen<S> extends SessionStart {
  readonly sessionId: string;
  /** The session as it stands, if it is open on this connection. */
  readonly current: AgentSession<S> | undefined;
}

/** A session that is to be shown again from its beginning. */
export interface SessionReplay<S> extends SessionReopen<S> {
  /** Sends one update of the past. Await it: histories are long. Rejects when the client is gone. */
  readonly replay: (update: SessionUpdate) => Promise<void>;
}

export interface ListRequest extends RequestScope {
  /** Only sessions of this folder, if given. */
  readonly cwd: string | undefined;
  /** What the last page gave as `nextCursor`. */
  readonly cursor: string | undefined;
}

export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Left out on the last page. */
  readonly nextCursor?: string | undefined;
}

/** How a session came to be open. */
export type Opened = "new" | "load" | "resume" | "fork";

/** How a turn ended: a stop reason, alone or with `_meta`; nothing means `end_turn`. */
export type TurnEnd =
  | StopReason
  | { readonly stopReason: StopReason; readonly _meta?: Record<string, unknown> }
  | undefined
  | void;

/**
 * An agent, as its author writes it. `S` is whatever the author keeps for a session.
 *
 * What is there is advertised and what is not there is answered with -32601. A handler may throw: an
 * RpcError becomes the answer as it is (see `authRequired`, `sessionNotFound`, `invalidParams`),
 * anything else -32603 with its message.
 */
export interface AgentDefinition<S> {
  readonly info: Implementation;
  /** Content besides text and links that prompts may have. Prompts with other content are refused. */
  readonly promptCapabilities?: Pick<PromptCapabilities, "image" | "audio" | "embeddedContext">;
  /** MCP transports besides stdio. Sessions with servers of other transports are refused. */
  readonly mcpCapabilities?: Pick<McpCapabilities, "http" | "sse">;
  /** Whether sessions may have folders besides `cwd`. */
  readonly additionalDirectories?: boolean;

  /** The ways to sign in. Those of type `terminal` are shown to clients that can do them. */
  readonly authMethods?: readonly AuthMethod[];
  /** Signs in by one of `authMethods`. */
  authenticate?(methodId: string, scope: RequestScope): Awaitable<void>;
  /** When it says no, sessions are refused with -32000. */
  isAuthenticated?(scope: RequestScope): Awaitable<boolean>;
  logout?(scope: RequestScope): Awaitable<void>;

  /** Opens a session. `cwd` is an absolute path of a folder that exists. */
  newSession(start: SessionStart): Awaitable<S>;
  /** The id of a new or forked session; a UUID unless the author has one. */
  sessionId?(state: S): string;
  /**
   * Opens a session of before and replays it: as an async generator that yields each update and
   * returns the session, or by `request.replay`. Returns undefined if there is no such session.
   */
  loadSession?(
    request: SessionReplay<S>,
  ): AsyncGenerator<SessionUpdate, S | undefined, void> | Awaitable<S | undefined>;
  /** Opens a session of before without a word about its past; undefined if there is none. */
  resumeSession?(request: SessionReopen<S>): Awaitable<S | undefined>;
  /** Opens a copy of a session under an id of its own; undefined if there is none. Not stable in ACP. */
  forkSession?(request: SessionReopen<S>): Awaitable<S | undefined>;
  /** One page of the sessions there are; `pageOf` cuts a list. */
  listSessions?(request: ListRequest): Awaitable<SessionPage>;
  /** Frees what a session holds. Its turn has been cancelled and has ended; also when the client goes. */
  closeSession?(session: AgentSession<S>): Awaitable<void>;
  /** Removes a session for good, by its id; it was closed before. There need be none. */
  deleteSession?(sessionId: string, scope: RequestScope): Awaitable<void>;
  /** Called when the client knows of the session: the moment for commands and a title. */
  sessionOpened?(session: AgentSession<S>, how: Opened): Awaitable<void>;

  /** The modes of a session, asked for whenever the client is to be told. */
  modes?(session: AgentSession<S>): SessionModeState | undefined;
  /** Changes the mode, to one that `modes` names. */
  setMode?(session: AgentSession<S>, modeId: string): Awaitable<void>;
  /** The config options of a session, complete, asked for whenever the client is to be told. */
  configOptions?(session: AgentSession<S>): readonly SessionConfigOption[];
  /** Changes an option of `configOptions`, to a value it has. */
  setConfigOption?(
    session: AgentSession<S>,
    configId: string,
    value: string | boolean,
  ): Awaitable<void>;

  /** Answers a prompt. One at a time in a session; sessions run side by side. Obey `turn.signal`. */
  prompt(turn: Turn<S>): Promise<TurnEnd>;

  /** Requests outside the protocol, by name. */
  readonly requests?: Readonly<
    Record<ExtensionMethod, (params: unknown, scope: RequestScope) => unknown>
  >;
  /** Notifications outside the protocol, by name. */
  readonly notifications?: Readonly<
    Record<ExtensionMethod, (params: unknown, client: Client) => void>
  >;

  /** Hears of every update that is sent in a session, for agents that keep their own history. */
  recordUpdate?(session: AgentSession<S>, update: SessionUpdate): void;
  /** The client is gone and every session is closed. */
  close?(reason: CloseReason): Awaitable<void>;
}
