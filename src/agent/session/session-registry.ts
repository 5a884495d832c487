import { randomUUID } from "node:crypto";
import type { ParamsOf, SessionUpdate } from "../../acp/index.ts";
import type { RequestContext } from "../../rpc/index.ts";
import type { Link } from "../connection/client-link.ts";
import type { AgentDefinition, Awaitable, Opened, SessionReopen } from "../definition.ts";
import { invalidParams, invalidRequest, sessionNotFound } from "../errors.ts";
import { OpenSession } from "./open-session.ts";
import { shownOptions } from "./config-options.ts";
import { workspaceFaults, toWorkspace, type WorkspaceParams } from "./workspace.ts";
import type { AgentSession } from "./session.ts";

type ReturnParams = ParamsOf["session/load"] | ParamsOf["session/resume"];

/** The sessions of one connection: how they are opened, found and closed. */
export class SessionRegistry<S> {
  readonly #definition: AgentDefinition<S>;
  readonly #link: Link;
  readonly #onFailure: (what: string, error: unknown) => void;
  readonly #live = new Map<string, OpenSession<S>>();
  /** Ids that are being loaded or resumed, with the way to give that up. */
  readonly #opening = new Map<string, AbortController>();
  #shut = false;

  constructor(
    definition: AgentDefinition<S>,
    link: Link,
    onFailure: (what: string, error: unknown) => void,
  ) {
    this.#definition = definition;
    this.#link = link;
    this.#onFailure = onFailure;
  }

  /** The session of an id. Throws -32002 when there is none, -32600 while it is being opened. */
  get(sessionId: string): OpenSession<S> {
    if (this.#opening.has(sessionId)) throw busyOpening(sessionId);
    const session = this.#live.get(sessionId);
    if (!session) throw sessionNotFound(sessionId);
    return session;
  }

  cancel(sessionId: string): void {
    this.#live.get(sessionId)?.cancel();
  }

  async open(params: ParamsOf["session/new"], { signal }: RequestContext) {
    const start = await this.#start(params, signal);
    const state = await this.#definition.newSession(start);
    return this.#added("new", state, params, signal);
  }

  async fork(params: ParamsOf["session/fork"], { signal }: RequestContext) {
    const start = await this.#startReturn(params, signal);
    const state = await this.#definition.forkSession?.(start);
    if (state === undefined) throw sessionNotFound(params.sessionId);
    return this.#added("fork", state, params, signal);
  }

  async load(params: ParamsOf["session/load"], context: RequestContext) {
    return await this.#reopen("load", params, context.signal, async (request) => {
      const replay = (update: SessionUpdate): Promise<void> => {
        request.signal.throwIfAborted();
        return this.#link.update(params.sessionId, update);
      };
      const loaded = this.#definition.loadSession?.({ ...request, replay });
      return isGenerator(loaded) ? await drained(loaded, replay) : await loaded;
    });
  }

  async resume(params: ParamsOf["session/resume"], context: RequestContext) {
    return await this.#reopen("resume", params, context.signal, (request) =>
      this.#definition.resumeSession?.(request),
    );
  }

  /** Closes a session, open or being opened. One that is not there is closed already. */
  async close(sessionId: string): Promise<void> {
    this.#opening.get(sessionId)?.abort(invalidRequest("The session was closed", { sessionId }));
    const session = this.#live.get(sessionId);
    if (!session) return;
    await session.close();
    if (this.#live.get(sessionId) === session) this.#live.delete(sessionId);
  }

  /** Closes all of them; the client is gone. What the author's code throws then is only reported. */
  async shut(): Promise<void> {
    this.#shut = true;
    for (const opening of this.#opening.values()) opening.abort();
    const closing = [...this.#live.keys()].map(async (id) => {
      try {
        await this.close(id);
      } catch (error) {
        this.#onFailure("closeSession failed", error);
      }
    });
    await Promise.all(closing);
  }

  /** The parts of an answer that say how a session is set up. */
  setup(session: AgentSession<S>) {
    const modes = this.#definition.modes?.(session);
    const options = this.#definition.configOptions?.(session);
    return {
      ...(modes === undefined ? {} : { modes }),
      ...(options === undefined ? {} : { configOptions: shownOptions(options, this.#link) }),
    };
  }

  async #start(params: WorkspaceParams & { readonly _meta?: unknown }, signal: AbortSignal) {
    const faults = await workspaceFaults(params, this.#definition);
    if (faults.length > 0) throw invalidParams(...faults);
    const meta: Readonly<Record<string, unknown>> = { ...asObject(params._meta) };
    return { ...toWorkspace(params), client: this.#link, signal, meta };
  }

  async #startReturn(params: ReturnParams, signal: AbortSignal): Promise<SessionReopen<S>> {
    const start = await this.#start(params, signal);
    const { sessionId } = params;
    return { ...start, sessionId, current: this.#live.get(sessionId)?.handle };
  }

  #added(how: Opened, state: S, params: WorkspaceParams, signal: AbortSignal) {
    const sessionId = this.#definition.sessionId?.(state) ?? randomUUID();
    const session = this.#enter(sessionId, state, params, signal);
    return { sessionId, ...this.#announce(session, how) };
  }

  async #reopen(
    how: "load" | "resume",
    params: ReturnParams,
    signal: AbortSignal,
    work: (request: SessionReopen<S>) => Awaitable<S | undefined>,
  ) {
    const { sessionId } = params;
    if (this.#opening.has(sessionId)) throw busyOpening(sessionId);
    if (this.#live.get(sessionId)?.busy === true) {
      throw invalidRequest("The session is busy with a prompt; cancel it first", { sessionId });
    }
    const controller = new AbortController();
    const both = AbortSignal.any([signal, controller.signal]);
    this.#opening.set(sessionId, controller);
    try {
      const state = await work(await this.#startReturn(params, both));
      both.throwIfAborted();
      if (state === undefined) throw sessionNotFound(sessionId);
      return this.#announce(this.#enter(sessionId, state, params, both), how);
    } finally {
      this.#opening.delete(sessionId);
    }
  }

  #enter(id: string, state: S, params: WorkspaceParams, signal: AbortSignal): OpenSession<S> {
    const session = new OpenSession(id, state, toWorkspace(params), this.#link, this.#definition);
    if (this.#shut || signal.aborted) {
      // Nobody is there to use it, and what it holds must not outlive the connection.
      session.close().catch((error: unknown) => this.#onFailure("closeSession failed", error));
      signal.throwIfAborted();
    }
    this.#live.set(id, session);
    return session;
  }

  #announce({ handle }: OpenSession<S>, how: Opened) {
    const setup = this.setup(handle);
    const heard = this.#definition.sessionOpened !== undefined;
    // After the answer, which is written before the next turn of the event loop: a client that gets
    // updates of a session it does not know yet drops them.
    if (heard) setImmediate(() => void this.#tellOpened(handle, how));
    return setup;
  }

  async #tellOpened(handle: AgentSession<S>, how: Opened): Promise<void> {
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

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** Told by its three methods: the author's own session value is hardly a generator. */
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

async function drained<T, S>(
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
    // What the author's `finally` does is awaited; what it throws is not the first thing that went wrong.
    await generator.throw(error).catch(() => {});
    throw error;
  }
}
