import {
  type AuthStatus,
  CLIENT_METHODS,
  type ClientCapabilities,
  type ClientCapability,
  clientHas,
  type DialectName,
  type ExtensionMethod,
  type Implementation,
  type Meta,
  metaOf,
  type ParamsOf,
  type ParsedCallOptions,
  readClientCapabilities,
  type UnstableClientCapabilities,
  usableCapabilities,
  withUnstableClientCapabilities,
  UNSTABLE_METHODS,
} from "../../protocol/acp/index.ts";
import type { CallOptions, Peer, RequestId } from "../../transport/rpc/index.ts";
import { type ProtocolVersion, TURN_STARTED } from "../../protocol/translator/index.ts";
import { quietly } from "../../base/index.ts";
import { BacklogError, UnsupportedByClientError } from "../errors.ts";
import { HAS_FOLDERS } from "../session/folder.ts";
import { McpRequests } from "../unstable/mcp.ts";
import type { SentUpdate } from "../v2/updates.ts";

/** The connected client, as an agent's author sees it. */
export interface Client {
  /** The client's name and version, if it sent them. */
  readonly info: Implementation | undefined;
  /** The capabilities it advertised, with their `_meta`, which may announce extensions. */
  readonly capabilities: ClientCapabilities & UnstableClientCapabilities;
  /** The `_meta` of its `initialize`; empty if it sent none. */
  readonly meta: Meta;
  /** The version of the protocol in use: 2 if the client asked for it, otherwise 1. */
  readonly protocolVersion: ProtocolVersion;
  /** The dialect of the protocol that it speaks. */
  readonly dialect: DialectName;
  /**
   * Whether it advertised a capability, given by its exact path, such as `fs.readTextFile`. On v2, which
   * has no terminals of the client, `terminal` is true if `turn.terminal` can run commands on this
   * machine.
   */
  can(capability: ClientCapability): boolean;
  /**
   * Calls an extension method of the client. `parse` turns its answer into a typed value. Rejects with
   * RemoteError (it answered with an error), ConnectionError (it disconnected) or CallCancelledError
   * (the signal was aborted).
   */
  call<T>(method: ExtensionMethod, params: unknown, options: ParsedCallOptions<T>): Promise<T>;
  /** Calls an extension method of the client. The answer is as received. Rejects in the same way. */
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  /** Sends an extension notification. Await it for backpressure. Rejects if the client is gone. */
  notify(method: ExtensionMethod, params?: unknown): Promise<void>;
  /**
   * Reports that the user signed in or out. Rejects with TypeError unless the definition has
   * `unstable: true` and `authStatus`, and with ConnectionError if the client is gone.
   */
  reportAuthStatus(status: AuthStatus): Promise<void>;
}

/** How many characters may be unread by a slow client before we stop reading its requests. */
export const HOLD_ABOVE_UNREAD = 4 * 1024 * 1024;

/** How many unread characters may be buffered before sending more is an error. */
const BACKLOG_LIMIT = 4 * HOLD_ABOVE_UNREAD;

/** The link to one client. Everything the toolkit sends goes through it. */
export class Link implements Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities & UnstableClientCapabilities;
  readonly meta: Meta;
  readonly protocolVersion: ProtocolVersion;
  readonly dialect: DialectName;
  readonly #peer: Peer;
  readonly #raw: unknown;
  readonly #definition: LinkDefinition;
  readonly unstable: UnstableLink;

  constructor(
    peer: Peer,
    params: ParamsOf["initialize"],
    spoken: { readonly dialect: DialectName; readonly version: ProtocolVersion },
    definition: LinkDefinition,
  ) {
    this.#peer = peer;
    this.#definition = definition;
    this.#raw = usableCapabilities(params.clientCapabilities ?? {}, definition.unstable === true);
    this.unstable = {
      mcp: new McpRequests((...request) => this.ask(...request), definition.info),
      subagents: new Map(),
    };
    this.meta = metaOf(params) ?? {};
    this.info = params.clientInfo ?? undefined;
    this.capabilities = withUnstableClientCapabilities(
      readClientCapabilities(this.#raw),
      this.#raw,
    );
    this.dialect = spoken.dialect;
    this.protocolVersion = spoken.version;
  }

  can(capability: ClientCapability): boolean {
    if (capability === "terminal" && this.protocolVersion === 2) {
      return HAS_FOLDERS && this.#definition.localWorkspaces !== false;
    }
    return clientHas(this.#raw, capability);
  }

  /** Throws {@link UnsupportedByClientError} unless the client advertised the capability. */
  require(capability: ClientCapability): void {
    if (!this.can(capability)) throw new UnsupportedByClientError(capability);
  }

  call<T>(method: ExtensionMethod, params: unknown, options: ParsedCallOptions<T>): Promise<T>;
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  call(
    method: ExtensionMethod,
    params?: unknown,
    { parse, signal }: Partial<ParsedCallOptions<unknown>> = {},
  ): Promise<unknown> {
    return this.#peer.call(method, params, { accept: parse ?? ((result) => result), signal });
  }

  notify(method: ExtensionMethod, params?: unknown): Promise<void> {
    this.#assertRoom();
    return this.#peer.notify(method, params);
  }

  reportAuthStatus(status: AuthStatus): Promise<void> {
    return quietly(async () => {
      const { unstable, authStatus } = this.#definition;
      if (unstable !== true || authStatus === undefined)
        throw new TypeError(
          "the agent definition needs unstable: true and authStatus to report the sign-in state",
        );
      await this.sendNotification(UNSTABLE_METHODS.authStatusUpdate, status);
    });
  }

  ask<T>(
    method: string,
    params: unknown,
    accept: (result: unknown) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#peer.call(method, params, { accept, signal });
  }

  /** Reports that the turn of a prompt has started. Only v2 has a message for that. */
  turnStarted(requestId: RequestId, messageId: string): void {
    if (this.protocolVersion === 1) return;
    void this.#peer.notify(TURN_STARTED, { requestId, messageId });
  }

  /** Sends a protocol notification. Throws BacklogError if too much is buffered. */
  sendNotification(method: string, params: unknown): Promise<void> {
    this.#assertRoom();
    return this.#peer.notify(method, params);
  }

  /** Sends a session update. Throws BacklogError if too much is buffered for a slow client. */
  update(sessionId: string, update: SentUpdate, meta?: Meta): Promise<void> {
    this.#assertRoom();
    const params = meta === undefined ? { sessionId, update } : { sessionId, update, _meta: meta };
    return this.#peer.notify(CLIENT_METHODS.update, params);
  }

  #assertRoom(): void {
    if (this.#peer.unreadChars > BACKLOG_LIMIT) throw new BacklogError(BACKLOG_LIMIT);
  }
}

interface LinkDefinition {
  readonly info: Implementation;
  readonly unstable?: boolean | undefined;
  readonly localWorkspaces?: boolean | undefined;
  /** Present if the agent offers its sign-in state. */
  readonly authStatus?: unknown;
}

interface UnstableLink {
  /** The requests to MCP servers in the client's process. */
  readonly mcp: McpRequests;
  /** The subagents that the client may cancel, by the id of their session. */
  readonly subagents: Map<string, { cancel(meta: Meta | undefined): void }>;
}
