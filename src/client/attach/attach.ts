import type { SessionRole } from "../../transport/remote/index.ts";
import {
  type Meta,
  metaOf,
  ProtocolViolation,
  readSetupResult,
  type RequestOptions,
  type Update,
} from "../../protocol/acp/index.ts";
import type { AgentConnection } from "../connection/connection.ts";
import { CapabilityError, SessionError, UnsupportedVersionError } from "../errors.ts";
import type { SessionAccess, SessionGateOptions } from "../gate/access.ts";
import { SessionImpl, type SessionRoots } from "../session/session-impl.ts";
import type { AgentDescription } from "../start.ts";
import {
  asObject,
  booleanField,
  isJsonObject,
  type JsonObject,
  numberField,
  quiet,
  stringField,
} from "../../base/index.ts";
import type { CancelOptions, ExtensionEvent, PromptOptions, Session } from "../session/session.ts";
import type { SessionHost } from "../session/session-host.ts";
import { ATTACH_METHODS, ATTACH_META, SEQ_META } from "./extension.ts";

/** How to join a session that a hub shares. */
export interface AttachOptions extends SessionGateOptions, RequestOptions {
  /** Default: `controller`, or what the hub allows. */
  readonly role?: SessionRole | undefined;
  /**
   * Only updates after this position are replayed: the `seq` of the session before the connection was
   * lost. Default: 0, everything that the hub still has.
   */
  readonly after?: number | undefined;
  /** Receives each replayed update as it arrives, before the call resolves. */
  readonly onReplay?: ((update: Update) => void) | undefined;
}

/** The sessions that the hub shares with this client. */
export async function sharedSessions(
  connection: AgentConnection,
  agent: AgentDescription,
  { signal, meta, onMeta }: RequestOptions,
): Promise<readonly SharedSessionInfo[]> {
  const { list } = ATTACH_METHODS;
  assertHub(list, agent);
  return connection.call(list, {}, readSharedSessions, { signal, meta, onMeta });
}

export async function attachSession(
  connection: AgentConnection,
  agent: AgentDescription,
  sessionId: string,
  options: AttachOptions,
): Promise<AttachedSession> {
  const { role = "controller", after = 0, signal, meta, onMeta, onReplay } = options;
  const known = await sharedSessions(connection, agent, { signal });
  const info = known.find((session) => session.sessionId === sessionId);
  if (!info) throw new SessionError("session_not_found", sessionId);
  const roots: SessionRoots = [info.cwd];
  const access = connection.gate.access(roots, options);
  const session = new AttachedSessionImpl(connection, sessionId, roots, access, { role, after });
  connection.register(session);
  session.onReplay = onReplay;
  try {
    await connection.pin(access, signal);
    await connection.call(
      ATTACH_METHODS.attach,
      { sessionId, ...(options.role && { role }), after },
      (result) => {
        const attached = readAttachResult(result);
        const { protocolVersion } = attached;
        if (protocolVersion !== connection.protocolVersion) {
          throw new UnsupportedVersionError(protocolVersion, connection.protocolVersion);
        }
        session.attached(attached);
        session.onReplay = undefined;
      },
      { signal, meta, onMeta },
    );
    return session;
  } catch (error) {
    session.end(new SessionError("closed", sessionId, { cause: error }), "end");
    await connection.forget(session);
    throw error;
  }
}

function assertHub(method: string, { meta }: AgentDescription): void {
  if (meta?.[ATTACH_META] === true) return;
  throw new CapabilityError(
    method,
    ATTACH_META,
    `the other side is not a hub that shares sessions, or \`initialize\` had no "${ATTACH_META}" or "dragoman/seq" in its \`_meta\``,
  );
}

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

class AttachedSessionImpl extends SessionImpl implements AttachedSession {
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

  protected override assertPrompt(options: PromptOptions): void {
    super.assertPrompt(options);
    if (this.#role === "observer") {
      throw new CapabilityError("session/prompt", "role", "an observer only reads");
    }
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
      this.end(new SessionError("closed", this.id), "end");
      await this.#host.forget(this);
    }
  }
}

/** A session that a hub shares. */
export interface SharedSessionInfo {
  readonly sessionId: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The folder that it was opened in, as the agent knows it. */
  readonly cwd: string;
  /** The title that the agent gave it last. */
  readonly title: string | undefined;
  /** Whether a turn is running. */
  readonly isBusy: boolean;
  /** How many controllers are attached. */
  readonly controllers: number;
  /** How many observers are attached. */
  readonly observers: number;
  /** When it was used last, in milliseconds since the epoch. */
  readonly usedAt: number;
}

interface AttachResult {
  readonly role: SessionRole;
  /** The position of the newest entry at that moment, and of the oldest that is still known. */
  readonly seq: number;
  readonly first: number;
  readonly isBusy: boolean;
  /** The version of the protocol that the session's agent speaks. */
  readonly protocolVersion: number;
  /** The result of the request that opened the session. */
  readonly opened: JsonObject;
}

/** Reads the list of sessions. Items that are not sessions are left out. Throws ProtocolViolation. */
function readSharedSessions(result: unknown): readonly SharedSessionInfo[] {
  const { sessions } = asObject(result);
  if (!Array.isArray(sessions)) {
    throw new ProtocolViolation(ATTACH_METHODS.list, "sessions", "an array", sessions);
  }
  return sessions.flatMap((item: unknown) => readSharedSession(item) ?? []);
}

/** Reads one session; undefined if it is not one. Pure. */
export function readSharedSession(item: unknown): SharedSessionInfo | undefined {
  const raw = asObject(item);
  const sessionId = stringField(raw, "sessionId");
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    agent: stringField(raw, "agent") ?? "",
    cwd: stringField(raw, "cwd") ?? "",
    title: stringField(raw, "title"),
    isBusy: booleanField(raw, "isBusy") ?? false,
    controllers: numberField(raw, "controllers") ?? 0,
    observers: numberField(raw, "observers") ?? 0,
    usedAt: numberField(raw, "usedAt") ?? 0,
  };
}

/** Reads the answer to a request to attach. Throws ProtocolViolation. */
function readAttachResult(result: unknown): AttachResult {
  if (!isJsonObject(result)) {
    throw new ProtocolViolation(ATTACH_METHODS.attach, "", "an object", result);
  }
  const { role } = result;
  if (role !== "controller" && role !== "observer") {
    throw new ProtocolViolation(ATTACH_METHODS.attach, "role", "controller or observer", role);
  }
  return {
    role,
    seq: numberField(result, "seq") ?? 0,
    first: numberField(result, "first") ?? 1,
    isBusy: booleanField(result, "isBusy") ?? false,
    protocolVersion: numberField(result, "protocolVersion") ?? 1,
    opened: asObject(result["opened"]),
  };
}
