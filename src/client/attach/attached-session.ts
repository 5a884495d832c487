import {
  type Meta,
  metaOf,
  readSetupResult,
  type RequestOptions,
} from "../../protocol/acp/index.ts";
import { isJsonObject, quiet } from "../../base/index.ts";
import { CapabilityError, SessionError } from "../errors.ts";
import type { SessionAccess } from "../gate/access.ts";
import type { ExtensionEvent } from "../session/events.ts";
import type { SessionHost } from "../session/session-host.ts";
import { SessionImpl, type SessionRoots } from "../session/session-impl.ts";
import type { PromptOptions, Session } from "../session/session.ts";
import type { PromptContent } from "../turn/prompt-content.ts";
import type { CancelOptions, PromptTurn } from "../turn/turn.ts";
import { ATTACH_METHODS, type AttachResult, SEQ_META, type SessionRole } from "./extension.ts";

/**
 * A session of a hub that several clients share. Its `updates()` also has the prompts of others, as
 * `user_message_chunk`, and the ends of their turns, as `extension` events of the method
 * `_dragoman/session/turn_ended`. A prompt waits for the turns of others. `close` only leaves the session, which stays open.
 */
export interface AttachedSession extends Session {
  /** The rights of this client. */
  readonly role: SessionRole;
  /** The position of the last update that arrived. After a lost connection, attach `after` it. */
  readonly seq: number;
  /** The oldest position that the hub still had. Updates before it are missing. */
  readonly first: number;
  /** Whether a turn of another client is running. */
  readonly isBusy: boolean;
}

/** A session that this client joined. */
export class AttachedSessionImpl extends SessionImpl implements AttachedSession {
  readonly #host: SessionHost;
  #role: SessionRole;
  #seq: number;
  #first = 1;
  #isBusy = false;
  #leaving: Promise<void> | undefined;

  constructor(
    host: SessionHost,
    id: string,
    roots: SessionRoots,
    access: SessionAccess,
    requested: { readonly role: SessionRole; readonly after: number },
  ) {
    super(host, id, roots, access);
    this.#host = host;
    this.#role = requested.role;
    this.#seq = requested.after;
  }

  get role(): SessionRole {
    return this.#role;
  }

  get seq(): number {
    return this.#seq;
  }

  get first(): number {
    return this.#first;
  }

  /** An agent of v2 reports by itself whether it works. */
  get isBusy(): boolean {
    if (this.#host.protocolVersion < 2) return this.#isBusy;
    return !this.hasTurn && (this.activity ?? "idle") !== "idle";
  }

  /** Takes the answer of the hub, in wire order. Throws ProtocolViolation. */
  attached({ role, seq, first, isBusy, opened }: AttachResult): void {
    this.#role = role;
    this.#seq = Math.max(this.#seq, seq);
    this.#first = first;
    this.#isBusy = isBusy;
    this.setUp(readSetupResult(ATTACH_METHODS.attach, opened));
  }

  override prompt(content: PromptContent, options?: PromptOptions): PromptTurn {
    if (this.#role === "observer") {
      throw new CapabilityError("session/prompt", "role", "an observer only reads");
    }
    return super.prompt(content, options);
  }

  /** Also cancels a turn of another client, unless this client has one or only observes. */
  override async cancel(options: CancelOptions = {}): Promise<void> {
    if (this.#role === "observer") return;
    if (this.hasTurn || !this.isBusy) return super.cancel(options);
    await quiet(this.#host.notify("session/cancel", { sessionId: this.id })).catch(() => {});
  }

  override close(options: RequestOptions = {}): Promise<void> {
    this.#leaving ??= quiet(this.#leave(options));
    return this.#leaving;
  }

  override receive(raw: unknown, size: number, meta: Meta | undefined): void {
    this.#follow(meta);
    if (isJsonObject(raw) && raw["sessionUpdate"] === "user_message_chunk" && !this.hasTurn)
      this.#isBusy = true;
    super.receive(raw, size, meta);
  }

  override receiveExtension(event: ExtensionEvent, size: number): void {
    this.#follow(metaOf(event.params));
    if (event.method === ATTACH_METHODS.turnEnded) this.#isBusy = false;
    super.receiveExtension(event, size);
  }

  #follow(meta: Meta | undefined): void {
    const seq = meta?.[SEQ_META];
    if (typeof seq === "number" && seq > this.#seq) this.#seq = seq;
  }

  async #leave(options: RequestOptions): Promise<void> {
    try {
      if (this.hasTurn) await super.cancel({ signal: options.signal });
      if (this.ended) return;
      const params = { sessionId: this.id };
      await this.#host.call(ATTACH_METHODS.detach, params, () => undefined, options);
    } finally {
      this.end(new SessionError("session_closed", this.id), "end");
      await this.#host.forget(this);
    }
  }
}
