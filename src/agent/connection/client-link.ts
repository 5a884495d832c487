import {
  CLIENT_METHODS,
  type ClientCapabilities,
  type ClientCapability,
  clientHas,
  type DialectName,
  type Implementation,
  type ParamsOf,
  readClientCapabilities,
  type SessionUpdate,
} from "../../acp/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { CallOptions, Peer } from "../../rpc/index.ts";
import { BacklogError, UnsupportedByClientError } from "../errors.ts";
import { HOLD_ABOVE, type MeteredChannel } from "./metered.ts";

/** A method outside the protocol; both sides know it by its underscore. */
export type ExtensionMethod = `_${string}`;

/** The client at the other end, as an agent's author sees it. */
export interface Client {
  /** Who it says it is; clients need not say. */
  readonly info: Implementation | undefined;
  /** What it advertised. */
  readonly capabilities: ClientCapabilities;
  /** What it put under `_meta` of its capabilities: extensions that both sides know of. */
  readonly capabilityMeta: Readonly<Record<string, unknown>>;
  /** How it spells the protocol. */
  readonly dialect: DialectName;
  /** Whether it advertised a capability, by its exact path, such as `fs.readTextFile`. */
  can(capability: ClientCapability): boolean;
  /**
   * Calls an extension method of the client's. Rejects with RemoteError (it answered with an error),
   * ConnectionError (it went away) or CallCancelledError (the signal was aborted).
   */
  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown>;
  /** Sends an extension notification. Awaiting it is backpressure; rejects when the client is gone. */
  notify(method: ExtensionMethod, params?: unknown): Promise<void>;
}

/** Characters that may wait unread before sending more without awaiting is an error. */
export const BACKLOG_LIMIT = 4 * HOLD_ABOVE;

/** The client as the toolkit's own parts see it. */
export interface Link extends Client {
  /** Throws {@link UnsupportedByClientError} unless the client advertised the capability. */
  require(capability: ClientCapability): void;
  /** Asks the client; `accept` reads the answer. */
  ask<T>(
    method: string,
    params: unknown,
    accept: (result: unknown) => T,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Sends a notification of the protocol's. */
  tell(method: string, params: unknown): Promise<void>;
  /** Throws {@link BacklogError}, at once, when the author does not wait for a client that reads slowly. */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
}

/** The way to one client: everything the toolkit sends goes through here. */
export class ClientLink implements Link {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly capabilityMeta: Readonly<Record<string, unknown>>;
  readonly dialect: DialectName;
  readonly #peer: Peer;
  readonly #channel: MeteredChannel;
  readonly #raw: unknown;

  constructor(
    peer: Peer,
    channel: MeteredChannel,
    params: ParamsOf["initialize"],
    dialect: DialectName,
  ) {
    this.#peer = peer;
    this.#channel = channel;
    const given = params.clientCapabilities ?? {};
    this.#raw = given;
    this.capabilityMeta = isJsonObject(given["_meta"]) ? given["_meta"] : {};
    this.info = params.clientInfo ?? undefined;
    this.capabilities = readClientCapabilities(this.#raw);
    this.dialect = dialect;
  }

  can(capability: ClientCapability): boolean {
    return clientHas(this.#raw, capability);
  }

  require(capability: ClientCapability): void {
    if (!this.can(capability)) throw new UnsupportedByClientError(capability);
  }

  call(method: ExtensionMethod, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#peer.call(method, params, options);
  }

  notify(method: ExtensionMethod, params?: unknown): Promise<void> {
    this.#admit();
    return this.#peer.notify(method, params);
  }

  ask<T>(
    method: string,
    params: unknown,
    accept: (result: unknown) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#peer.call(method, params, { accept, signal });
  }

  tell(method: string, params: unknown): Promise<void> {
    this.#admit();
    return this.#peer.notify(method, params);
  }

  update(sessionId: string, update: SessionUpdate): Promise<void> {
    this.#admit();
    return this.#peer.notify(CLIENT_METHODS.update, { sessionId, update });
  }

  #admit(): void {
    if (this.#channel.backlog > BACKLOG_LIMIT) throw new BacklogError(BACKLOG_LIMIT);
  }
}
