import {
  type Meta,
  metaField,
  metaOf,
  type ParamsOf,
  type SessionUpdate,
} from "../../protocol/acp/index.ts";
import type { RequestContext } from "../../transport/rpc/index.ts";
import { quiet, toError, randomId, immediately } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import type {
  AgentDefinition,
  Awaitable,
  EmptyAnswer,
  Opened,
  RequestScope,
  SessionReopen,
} from "../definition.ts";
import { invalidParams, invalidRequest, sessionNotFound } from "../errors.ts";
import { OpenSession } from "./open-session.ts";
import {
  systemPromptOf,
  workspaceFaults,
  toWorkspace,
  type WorkspaceParams,
} from "./request-params.ts";
import { type SendOptions, shownConfigOptions, withMeta } from "./sender.ts";
import type { AgentSession } from "./session.ts";

type ReopenParams = ParamsOf["session/load"] | ParamsOf["session/resume"];

/** The sessions of one connection: opens, finds and closes them. */
export class SessionRegistry<S> {
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  readonly #onFailure: (message: string, error: unknown) => void;
  readonly #sessions = new Map<string, OpenSession<S>>();
  /** Ids that are being loaded or resumed, with a controller to abort that. */
  readonly #opening = new Map<string, AbortController>();
  #allClosed = false;

  constructor(
    definition: AgentDefinition<S>,
    link: Link,
    onFailure: (message: string, error: unknown) => void,
  ) {
    this.#definition = definition;
    this.#link = link;
    this.#onFailure = onFailure;
  }

  /** The session with an id. Throws -32002 if there is none, and -32600 while it is being opened. */
  get(sessionId: string): OpenSession<S> {
    if (this.#opening.has(sessionId)) throw busyOpening(sessionId);
    const session = this.#sessions.get(sessionId);
    if (!session) throw sessionNotFound(sessionId);
    return session;
  }

  cancel(sessionId: string, meta: Meta | undefined): void {
    this.#sessions.get(sessionId)?.cancel(meta);
    this.#link.unstable.subagents.get(sessionId)?.cancel(meta);
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  async open(params: ParamsOf["session/new"], { signal }: RequestContext) {
    const start = await this.#startRequest(params, signal);
    const state = await this.#definition.newSession(start);
    return this.#addNew("new", state, params, signal);
  }

  async fork(params: ParamsOf["session/fork"], { signal }: RequestContext) {
    const start = await this.#reopenRequest(params, signal);
    const state = await this.#definition.forkSession?.(start);
    if (state === undefined) throw sessionNotFound(params.sessionId);
    return this.#addNew("fork", state, params, signal);
  }

  async load(params: ParamsOf["session/load"], context: RequestContext) {
    return await this.#reopen("load", params, context.signal, async (request) => {
      const replay = (update: SessionUpdate, options: SendOptions = {}): Promise<void> => {
        const { signal } = request;
        if (signal.aborted) return quiet(Promise.reject(toError(signal.reason)));
        const sent = withMeta(update, options);
        return this.#link.update(params.sessionId, sent, options.notificationMeta);
      };
      const loaded = this.#definition.loadSession?.({ ...request, replay });
      return isGenerator(loaded) ? await consume(loaded, replay) : await loaded;
    });
  }

  async resume(params: ParamsOf["session/resume"], context: RequestContext) {
    return await this.#reopen("resume", params, context.signal, (request) =>
      this.#definition.resumeSession?.(request),
    );
  }

  /** Closes a session that is open or being opened. Does nothing for an unknown one. */
  async close(sessionId: string, scope?: RequestScope): Promise<EmptyAnswer | void> {
    this.#opening.get(sessionId)?.abort(invalidRequest("The session was closed", { sessionId }));
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    const answer = await session.close(scope);
    if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
    return answer;
  }

  /** Closes all sessions after the client disconnected. Errors in the author's code are only reported. */
  async closeAll(): Promise<void> {
    this.#allClosed = true;
    for (const opening of this.#opening.values()) opening.abort();
    const closing = [...this.#sessions.keys()].map(async (id) => {
      try {
        await this.close(id);
      } catch (error) {
        this.#onFailure("closeSession failed", error);
      }
    });
    await Promise.all(closing);
  }

  /** The modes and config options of a session, as part of a result. */
  setup(session: AgentSession<S>) {
    const modes = this.#definition.modes?.(session);
    const options = this.#definition.configOptions?.(session);
    return {
      ...(modes === undefined ? {} : { modes }),
      ...(options === undefined ? {} : { configOptions: shownConfigOptions(options, this.#link) }),
    };
  }

  async #startRequest(params: WorkspaceParams, signal: AbortSignal) {
    const faults = await workspaceFaults(params, this.#definition);
    if (faults.length > 0) throw invalidParams(...faults);
    const meta = metaOf(params) ?? {};
    const systemPrompt = systemPromptOf(params, this.#definition);
    return { ...toWorkspace(params), client: this.#link, signal, meta, systemPrompt };
  }

  async #reopenRequest(params: ReopenParams, signal: AbortSignal): Promise<SessionReopen<S>> {
    const start = await this.#startRequest(params, signal);
    const { sessionId } = params;
    return { ...start, sessionId, current: this.#sessions.get(sessionId)?.handle };
  }

  #addNew(how: Opened, state: S, params: WorkspaceParams, signal: AbortSignal) {
    const sessionId = this.#definition.sessionId?.(state) ?? randomId();
    const session = this.#register(sessionId, state, params, signal);
    return { sessionId, ...this.#reportOpened(session.handle, how) };
  }

  async #reopen(
    how: "load" | "resume",
    params: ReopenParams,
    signal: AbortSignal,
    work: (request: SessionReopen<S>) => Awaitable<S | undefined>,
  ) {
    const { sessionId } = params;
    if (this.#opening.has(sessionId)) throw busyOpening(sessionId);
    if (this.#sessions.get(sessionId)?.busy === true) {
      throw invalidRequest("The session is busy with a prompt; cancel it first", { sessionId });
    }
    const controller = new AbortController();
    const both = AbortSignal.any([signal, controller.signal]);
    this.#opening.set(sessionId, controller);
    try {
      const state = await work(await this.#reopenRequest(params, both));
      both.throwIfAborted();
      if (state === undefined) throw sessionNotFound(sessionId);
      const { handle } = this.#register(sessionId, state, params, both);
      // The client knows the id already, so everything that is known goes before the answer.
      await this.#callSessionOpened(handle, how);
      return this.#setupOf(handle, how);
    } finally {
      this.#opening.delete(sessionId);
    }
  }

  #register(id: string, state: S, params: WorkspaceParams, signal: AbortSignal): OpenSession<S> {
    const session = new OpenSession(id, state, toWorkspace(params), this.#link, this.#definition);
    if (this.#allClosed || signal.aborted) {
      // Nothing will use this session anymore, and its resources must not outlive the connection.
      session.close().catch((error: unknown) => this.#onFailure("closeSession failed", error));
      signal.throwIfAborted();
    }
    this.#sessions.set(id, session);
    return session;
  }

  #setupOf(handle: AgentSession<S>, how: Opened) {
    const meta = this.#definition.sessionMeta?.(handle, how);
    return { ...this.setup(handle), ...metaField(meta) };
  }

  #reportOpened(handle: AgentSession<S>, how: Opened) {
    const setup = this.#setupOf(handle, how);
    const hasListener = this.#definition.sessionOpened !== undefined;
    // The answer is written before the next turn of the event loop, and updates must follow it: a
    // client drops updates of a session it does not know yet.
    if (hasListener) immediately(() => void this.#callSessionOpened(handle, how));
    return setup;
  }

  async #callSessionOpened(handle: AgentSession<S>, how: Opened): Promise<void> {
    try {
      await this.#definition.sessionOpened?.(handle, how);
    } catch (error) {
      this.#onFailure("sessionOpened failed", error);
    }
  }
}

function busyOpening(sessionId: string) {
  return invalidRequest("The session is being opened", { sessionId });
}

/** Detects a generator by its three methods; an author's session state is unlikely to have them. */
function isGenerator<T, S>(
  value: AsyncGenerator<T, S, void> | Awaitable<S>,
): value is AsyncGenerator<T, S, void> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    "next" in value &&
    "return" in value
  );
}

async function consume<T, S>(
  generator: AsyncGenerator<T, S, void>,
  each: (value: T) => Promise<void>,
): Promise<S> {
  try {
    for (;;) {
      const step = await generator.next();
      if (step.done === true) return step.value;
      await each(step.value);
    }
  } catch (error) {
    // Let the author's `finally` run. An error from it would only hide the first one.
    await generator.throw(error).catch(() => {});
    throw error;
  }
}
