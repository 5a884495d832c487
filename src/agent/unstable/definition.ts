import type {
  AuthStatus,
  ProviderInfo,
  ProviderSettings,
  SessionArchiveFilter,
  SystemPrompt,
} from "../../acp/index.ts";
import type { Awaitable, EmptyAnswer, RequestScope } from "../request-scope.ts";

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
export interface UnstableSessionStart {
  /** Instructions from the client, if `systemPrompt` is advertised and the client sent some. */
  readonly systemPrompt: SystemPrompt | undefined;
}

/** The unstable part of a request to list sessions. */
export interface UnstableListRequest {
  /** Which sessions to list. Default: `exclude`. */
  readonly archived: SessionArchiveFilter;
}
