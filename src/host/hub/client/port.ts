import type { SessionRole } from "../../../transport/remote/index.ts";
import { AGENT_METHODS } from "../../../protocol/acp/index.ts";
import { ATTACH_META, ATTACH_METHODS, ROOT_META, SEQ_META } from "../../../client/index.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  isThenable,
  type JsonObject,
  numberField,
  stringField,
} from "../../../base/index.ts";
import { type SessionRight, sessionAccess, type SessionUse } from "../access.ts";
import { HUB_CODES, notAllowed, unknownSession } from "../errors.ts";
import {
  type CancelRequest,
  readCancel,
  metaFlag,
  errorLine,
  resultLine,
} from "../json/rpc-lines.ts";
import { withParams } from "../json/relayed-message.ts";
import type { HubOptions, HubSessionInfo } from "../options.ts";
import type {
  ClientNotification,
  ClientRequest,
  ClientRouter,
  Congestion,
  ServedClient,
} from "./served-client.ts";
import type { HubEvent } from "../events.ts";
import { memberSpan, spliceText } from "../json/json-text.ts";
import { misspelledKey } from "../json/ambiguous-keys.ts";

/** What the requests of a client do with a session. Others control it. */
const USES: Readonly<Record<string, SessionUse | undefined>> = {
  "session/new": "own",
  "session/load": "own",
  "session/resume": "own",
  "session/fork": "own",
  "session/close": "own",
  "session/delete": "own",
  "session/list": "follow",
};

/** The methods that open a session, where it can be done. */
export const OPEN_METHODS: ReadonlySet<string> = new Set([
  "session/new",
  "session/load",
  "session/resume",
  "session/fork",
]);

const REQUEST_METHODS: ReadonlySet<string> = new Set(Object.values(AGENT_METHODS));

/** The one place that judges a client's messages: who may do what, with which session and where. */
export class ClientPort<S extends PortSession> implements ClientRouter {
  readonly client: ServedClient;
  readonly #hub: PortHub;
  readonly #backend: SessionBackend<S>;
  /** The requests that can be withdrawn, by the client's ids. */
  readonly #open = new Map<string, (cancel: CancelRequest) => void>();
  readonly #withdrawn = new Set<string>();

  constructor(
    client: ServedClient,
    hub: PortHub,
    backend: (port: ClientPort<S>) => SessionBackend<S>,
  ) {
    this.client = client;
    this.#hub = hub;
    this.#backend = backend(this);
    const { owner, role = "controller" } = client.options;
    hub.emit({ type: "client_connected", owner, role });
  }

  get isConcurrent(): boolean {
    return this.#backend.traits.isConcurrent;
  }

  get congestion(): Congestion | undefined {
    return this.#backend.congestion;
  }

  request(message: ClientRequest): void | Promise<void> {
    const fail = (error: unknown): void => this.#failed(message, error);
    try {
      const work = this.#request(message);
      return isThenable(work) ? work.then(undefined, fail) : undefined;
    } catch (error) {
      return fail(error);
    }
  }

  notification(message: ClientNotification): void | Promise<void> {
    if (message.method === "$/cancel_request") return this.#cancel(message.line);
    // Requests are checked, so that the same without an id must not pass.
    if (this.#hub.options.checkOpen && isRequestMethod(message.method)) return undefined;
    if (!this.#backend.hears(message)) return undefined;
    // Nobody waits for an answer.
    const refused = (): void => {};
    const notify = (session: S | undefined): void | Promise<void> =>
      this.#backend.notify(message, session);
    try {
      const work = whenReady(this.#session(message, "control"), notify);
      return isThenable(work) ? work.then(undefined, refused) : undefined;
    } catch {
      return refused();
    }
  }

  left(isLost: boolean): void {
    this.#backend.left(isLost);
    this.#hub.emit({ type: "client_left", owner: this.client.owner });
  }

  /** Answers a request, after all earlier messages of the session. */
  reply(message: ClientRequest, line: (id: string) => string, target?: LineTarget): void {
    const id = idOf(message);
    this.#open.delete(id);
    this.#withdrawn.delete(id);
    (target ?? this.client).send(line(id));
  }

  /** Calls `cancel` if the client withdraws the request before it is answered. */
  onCancel(message: ClientRequest, cancel: (cancel: CancelRequest) => void): void {
    this.#open.set(idOf(message), cancel);
  }

  async visible(): Promise<readonly S[]> {
    return (await this.#backend.all()).filter((session) => this.#maySee(session));
  }

  /** The parameters with which a session may be opened. Rejects with RpcError. */
  checkOpen(method: string, params: JsonObject): JsonObject | Promise<JsonObject> {
    const client = this.client.options;
    return this.#hub.options.checkOpen?.({ method, params, client }) ?? params;
  }

  #request(message: ClientRequest): void | Promise<void> {
    if (message.method === "initialize") return this.#initialize(message);
    const { isInitialized, traits } = this.#backend;
    if (traits.initializesFirst && !isInitialized) throw notInitialized();
    switch (message.method) {
      case ATTACH_METHODS.list:
        return this.#list(message);
      case ATTACH_METHODS.attach:
        return this.#attach(message);
      case ATTACH_METHODS.detach:
        return this.#detach(message);
      default:
        return this.#sessionRequest(message);
    }
  }

  #sessionRequest(message: ClientRequest): void | Promise<void> {
    const backend = this.#backend;
    const { traits } = backend;
    const { method } = message;
    if (method === "session/delete" && backend.deleteUnknown(message)) return undefined;
    return whenReady(this.#session(message, USES[method] ?? "control"), (session) => {
      const isOpening = OPEN_METHODS.has(method);
      // A client that only attached has no agent in which it could open a session.
      if (!backend.isInitialized && (isOpening || !session)) {
        throw notInitialized();
      }
      if (isOpening) return this.#openSession(message, session);
      if (method !== "session/prompt" || !session) return backend.request(message, session);
      if (this.#hub.isDraining()) throw new RpcError(HUB_CODES.draining, traits.draining);
      return backend.prompt(message, session);
    });
  }

  #openSession(message: ClientRequest, session: S | undefined): void | Promise<void> {
    const { method, params } = message;
    if (!this.#backend.traits.opensIn.has(method)) return this.#backend.open(message, session);
    return whenReady(this.checkOpen(method, params), (checked) =>
      this.#backend.open(checked === params ? message : withParams(message, checked), session),
    );
  }

  /** The session that a message names; undefined if it is not open. RpcError if the client may not use it. */
  #session(
    { method, params = {}, sessionId }: ClientRequest | ClientNotification,
    use: SessionUse,
  ): S | undefined | Promise<S | undefined> {
    const { opens, isStrict } = this.#backend.traits;
    if (isStrict) checkNames(method, params);
    else checkSessionName(params);
    if (this.client.options.role === "observer" && use !== "follow") this.#refuseObserver(method);
    if (OPEN_METHODS.has(method) && !opens.has(method)) throw RpcError.methodNotFound(method);
    if (sessionId === undefined) return undefined;
    return whenReady(this.#backend.find(sessionId), (session) => {
      switch (session && this.#accessTo(session, use)) {
        case undefined:
        case "granted":
          return session;
        case "observer":
          return this.#refuseObserver(method);
        case "unknown":
          throw unknownSession(sessionId);
      }
    });
  }

  #accessTo(session: S, use: SessionUse): SessionRight {
    const { owner } = this.#backend;
    const role = this.#backend.roleIn(session);
    return sessionAccess({ ...this.client.options, owner }, session.info, use, role);
  }

  #maySee(session: S): boolean {
    return this.#accessTo(session, "follow") === "granted";
  }

  #refuseObserver(method: string): never {
    const message = `An observer may not send ${method}`;
    this.#hub.emit({ type: "refused", owner: this.client.owner, method, message });
    throw notAllowed(message);
  }

  async #initialize(message: ClientRequest): Promise<void> {
    const { client } = this;
    const backend = this.#backend;
    const { traits } = backend;
    if (backend.isInitialized) throw new RpcError(RpcCode.invalidRequest, "Already initialized");
    client.isExtended = asksForSeq(message.line);
    if (metaFlag(message.line, ATTACH_META)) {
      client.isExtended = true;
      backend.attachesOnly();
      return this.reply(message, (id) => resultLine(id, introduction(traits, message.params)));
    }
    const line = await backend.initialize(message);
    const id = memberSpan(line, "id") ?? { start: 0, end: 0 };
    this.reply(message, (raw) => this.#withMeta(spliceText(line, id, raw)));
  }

  /** A client learns where it may work, and one that wants positions that it can attach. */
  #withMeta(line: string): string {
    const { isExtended, options } = this.client;
    const own = {
      ...(options.root !== undefined && { [ROOT_META]: options.root }),
      ...(isExtended && this.#backend.traits.isShared && { [ATTACH_META]: true }),
    };
    if (Object.keys(own).length === 0) return line;
    const result = memberSpan(line, "result");
    if (!result || line[result.start] !== "{") return line;
    const value = asObject(JSON.parse(line.slice(result.start, result.end)));
    const _meta = { ...asObject(value["_meta"]), ...own };
    return spliceText(line, result, JSON.stringify({ ...value, _meta }));
  }

  async #list(message: ClientRequest): Promise<void> {
    const visible = await this.visible();
    const sessions = visible.map((session) => this.#backend.shown(session));
    this.reply(message, (id) => resultLine(id, { sessions }));
  }

  /** The client gets everything after the position `after`, and then the result. */
  async #attach(message: ClientRequest): Promise<void> {
    const backend = this.#backend;
    const { params } = message;
    checkSessionName(params);
    const sessionId = stringField(params, "sessionId") ?? "";
    const named = await backend.named(sessionId);
    const session = named.find((candidate) => this.#maySee(candidate));
    if (!session) throw unknownSession(sessionId);
    const role = this.#roleFor(params["role"]);
    const attached = await backend.attach(session, role, numberField(params, "after") ?? 0);
    const { seq, first, protocolVersion, opened } = attached;
    const info = backend.shown(session);
    const result = { ...info, role, seq, first, protocolVersion, opened };
    this.reply(message, (id) => resultLine(id, result), attached);
    attached.ask();
  }

  #roleFor(requested: unknown): SessionRole {
    const most = this.client.options.role ?? "controller";
    if (requested === undefined || requested === most) return most;
    if (requested === "observer") return "observer";
    if (this.#backend.traits.lowersRoles) return most;
    throw notAllowed(
      requested === "controller"
        ? "This client may only observe"
        : 'The role must be "controller" or "observer"',
    );
  }

  #detach(message: ClientRequest): void {
    const sessionId = stringField(message.params, "sessionId") ?? "";
    const left = this.#backend.detach(sessionId);
    if (!left) throw unknownSession(sessionId);
    this.reply(message, (id) => resultLine(id, {}), left);
  }

  #cancel(line: string): void {
    const cancel = readCancel(line);
    const withdraw = cancel && this.#open.get(cancel.requestId);
    if (!withdraw) return;
    this.#withdrawn.add(cancel.requestId);
    withdraw(cancel);
  }

  #failed(message: ClientRequest, error: unknown): void {
    const shown = this.#withdrawn.has(idOf(message))
      ? new RpcError(RpcCode.requestCancelled, "Request cancelled")
      : this.#backend.errorFor(error);
    this.reply(message, (id) => errorLine(id, shown));
  }
}

/** The answer to `initialize` for a client that only wants to list and attach. */
function introduction({ info }: BackendTraits, { protocolVersion }: JsonObject): object {
  const _meta = { [ATTACH_META]: true };
  return typeof protocolVersion === "number" && protocolVersion >= 2
    ? { protocolVersion: 2, capabilities: {}, info, _meta }
    : { protocolVersion: 1, agentCapabilities: {}, agentInfo: info, authMethods: [], _meta };
}

function notInitialized(): RpcError {
  return new RpcError(RpcCode.invalidRequest, "The first request must be initialize");
}

/** The id of a request, as it stands in its line. */
function idOf({ line, id }: ClientRequest): string {
  return line.slice(id.start, id.end);
}

/** Whether a method is one of a request, as opposed to `session/cancel` and extensions. */
function isRequestMethod(method: string): boolean {
  if (method === AGENT_METHODS.cancel) return false;
  return method.startsWith("session/") || REQUEST_METHODS.has(method);
}

/** Goes on at once where nothing has to be waited for, so that messages stay in order. */
export function whenReady<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return isThenable(value) ? value.then(next) : next(value);
}

/** A session, as far as the port has to judge who may use it. */
export interface PortSession {
  readonly id: string;
  readonly info: HubSessionInfo;
}

/** Sends a line to a client, after all earlier messages of a session. */
export interface LineTarget {
  send(line: string): void;
}

export interface PortAttachment extends LineTarget {
  /** The positions of the newest and the oldest entry that it can be replayed from. */
  readonly seq: number;
  readonly first: number;
  readonly protocolVersion: number;
  /** The agent's answer to the request that opened the session. */
  readonly opened: object;
  /** Asks the client what nobody has answered yet. */
  ask(): void;
}

/** What differs for clients between one place of sessions and another. */
export interface BackendTraits {
  /** The name under which it presents itself to clients that only attach. */
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  /** The error for a prompt while it drains. */
  readonly draining: string;
  /** Whether `initialize` is needed to list and attach, too. */
  readonly initializesFirst: boolean;
  readonly opens: ReadonlySet<string>;
  /** Those whose parameters say in which folders. After the others, a session keeps its folders. */
  readonly opensIn: ReadonlySet<string>;
  /** Whether several clients can share a session. */
  readonly isShared: boolean;
  /** Whether parameters that an agent may read otherwise are refused. */
  readonly isStrict: boolean;
  /** Whether an observer that asks to be a controller stays an observer. Otherwise it is refused. */
  readonly lowersRoles: boolean;
  /** Whether requests run at the same time. Otherwise they reach the agent in the order of the client. */
  readonly isConcurrent: boolean;
}

/** The sessions of one client, here or in a fleet. The port has checked access before each call. */
export interface SessionBackend<S extends PortSession = PortSession> {
  readonly traits: BackendTraits;
  /** To whom the sessions of the client belong. */
  readonly owner: string;
  /** Whether the client has an agent for its own sessions. */
  readonly isInitialized: boolean;
  /** Set while the client should stop sending. */
  readonly congestion: Congestion | undefined;
  /** Starts the agent, and resolves with the line of its answer. */
  initialize(message: ClientRequest): Promise<string>;
  /** The client only attaches, and needs no agent. */
  attachesOnly(): void;
  /** All sessions. The port shows only those that the client may use. */
  all(): readonly S[] | Promise<readonly S[]>;
  /** The sessions with this id, of all owners. */
  named(sessionId: string): readonly S[] | Promise<readonly S[]>;
  /** The session of a request; undefined if it is not open. Throws RpcError if it is not the client's. */
  find(sessionId: string): S | undefined | Promise<S | undefined>;
  /** The role in which the client is attached; undefined if it is not. */
  roleIn(session: S): SessionRole | undefined;
  shown(session: S): HubSessionInfo;
  /** Sends everything after the position `after`. Rejects with RpcError. */
  attach(session: S, role: SessionRole, after: number): PortAttachment | Promise<PortAttachment>;
  /** Leaves a session. Undefined if the client was not attached. */
  detach(sessionId: string): LineTarget | undefined;
  open(message: ClientRequest, session: S | undefined): void | Promise<void>;
  prompt(message: ClientRequest, session: S): void | Promise<void>;
  request(message: ClientRequest, session: S | undefined): void | Promise<void>;
  /** Whether a notification has any effect. */
  hears(message: ClientNotification): boolean;
  notify(message: ClientNotification, session: S | undefined): void | Promise<void>;
  /** A request to delete a session that does not exist for the client. Returns false to refuse it. */
  deleteUnknown(message: ClientRequest): boolean;
  errorFor(error: unknown): unknown;
  left(isLost: boolean): void;
}

export interface PortHub {
  readonly options: Pick<HubOptions, "checkOpen">;
  isDraining(): boolean;
  emit(event: HubEvent): void;
}

/** Pure: checks the name of a session, which some agents would convert. Throws RpcError if it is not a string. */
function checkSessionName({ sessionId }: JsonObject): void {
  if (sessionId === undefined || sessionId === null || typeof sessionId === "string") return;
  throw RpcError.invalidParams("sessionId must be a string", { field: "sessionId" });
}

/** Pure: also refuses misspelled fields that an agent may read, such as `McpServers`. */
function checkNames(method: string, params: JsonObject): void {
  checkSessionName(params);
  const field = method.startsWith("_") ? undefined : misspelledKey(params);
  if (field !== undefined) throw RpcError.invalidParams(`${field} is misspelled`, { field });
}

function asksForSeq(initialize: string): boolean {
  return metaFlag(initialize, SEQ_META);
}
