import { ATTACH_METHODS, SEQ_META } from "../../client/index.ts";
import type { ClientRole } from "../../hub/index.ts";
import { type Peer, RemoteError, RpcError } from "../../rpc/index.ts";
import {
  asObject,
  deferred,
  type Deferred,
  type JsonObject,
  quiet,
  toError,
} from "../../wire/index.ts";
import type { FleetClient, FollowedEntry } from "../client.ts";
import type { LoggedTurnEnd, FleetEntry } from "../session/entries.ts";

type LoggedQuestion = Extract<FleetEntry, { type: "question" }>;

/** The client of a gateway that follows a session. */
export interface FollowingClient {
  readonly peer: Peer;
  readonly fleet: FleetClient;
  /** Who the client is. */
  readonly owner: string;
  /** Whether the client wants positions and the gateway's own notifications. */
  readonly isExtended: boolean;
}

/** The session that a client follows, and from where. */
export interface FollowedSession {
  readonly session: string;
  readonly role: ClientRole;
  /** The position after which to start. */
  readonly after: number;
  /** The last position that is a replay. Questions before it are only asked if they are open still. */
  readonly last: number;
  /** Called if the log cannot be read anymore. */
  readonly failed: (error: Error) => void;
}

/**
 * Sends the log of a session to one client, in order and at the client's pace. Questions go to the client,
 * and its answers to the owner of the session.
 */
export class SessionFollower {
  readonly role: ClientRole;
  readonly #client: FollowingClient;
  readonly #followed: FollowedSession;
  readonly #end = new AbortController();
  readonly #live = deferred();
  /** The prompts of this client that have not ended. */
  readonly #prompts = new Map<string, Deferred<JsonObject>>();
  /** Questions of the replay, until it is known which of them are open. */
  readonly #unasked = new Map<string, LoggedQuestion>();
  readonly #asked = new Map<string, AbortController>();
  /** The agent's answer to the request that opened the session, as far as it was read. */
  opened: JsonObject | undefined;

  constructor(client: FollowingClient, followed: FollowedSession) {
    this.#client = client;
    this.#followed = followed;
    this.role = followed.role;
  }

  /** Resolves when the replay has been sent. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  /** Whether a prompt of this client is running. */
  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  /** Starts to send. */
  start(): void {
    void this.#run();
  }

  /** Sends a prompt, and resolves with the agent's answer after everything that came before it. */
  async prompt(id: string, prompt: readonly JsonObject[]): Promise<JsonObject> {
    const { fleet, owner } = this.#client;
    const ended = this.#prompts.get(id) ?? deferred<JsonObject>();
    void quiet(ended.promise);
    this.#prompts.set(id, ended);
    try {
      const isNew = await fleet.prompt(this.#followed.session, { id, by: owner, prompt });
      const earlier = isNew ? undefined : await this.#endOf(id);
      if (earlier) settle(ended, earlier);
      return await ended.promise;
    } finally {
      this.#prompts.delete(id);
    }
  }

  /** The end of a prompt that another connection sent, if it is in the log. */
  async #endOf(id: string): Promise<LoggedTurnEnd | undefined> {
    for await (const { entry } of this.#client.fleet.read(this.#followed.session)) {
      if (entry.type === "turn_ended" && entry.id === id) return entry;
    }
    return undefined;
  }

  close(): void {
    this.#end.abort();
    this.#live.resolve();
    for (const asked of this.#asked.values()) asked.abort();
    for (const ended of this.#prompts.values()) ended.reject(new Error("the session was left"));
  }

  async #run(): Promise<void> {
    const { session, after, last, failed } = this.#followed;
    const { signal } = this.#end;
    try {
      if (after >= last) this.#becomeLive();
      const entries = this.#client.fleet.read(session, { after, follow: true, signal });
      for await (const logged of entries) {
        if (signal.aborted) return;
        await this.#deliver(logged);
        if (logged.position >= last) this.#becomeLive();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.close();
      failed(toError(error));
    }
  }

  #becomeLive(): void {
    this.#live.resolve();
    for (const question of this.#unasked.values()) this.#ask(question);
    this.#unasked.clear();
  }

  async #deliver({ position, entry }: FollowedEntry): Promise<void> {
    switch (entry.type) {
      case "update":
        return this.#notify("session/update", entry.params, position);
      case "notification":
        return this.#notify(entry.method, entry.params, position);
      case "prompt":
        return this.#showPrompt(entry, position);
      case "turn_ended":
        return this.#turnEnded(entry, position);
      case "question":
        if (position <= this.#followed.last) this.#unasked.set(entry.id, entry);
        else this.#ask(entry);
        return undefined;
      case "question_closed":
        this.#unasked.delete(entry.id);
        this.#asked.get(entry.id)?.abort();
        return undefined;
      case "opened":
        this.opened = entry.result;
        return undefined;
      case "takeover":
      case "turn_started":
      case "unknown":
        return undefined;
    }
  }

  /** The client that sent a prompt knows it. */
  async #showPrompt(
    { id, prompt }: Extract<FleetEntry, { type: "prompt" }>,
    position: number,
  ): Promise<void> {
    if (this.#prompts.has(id)) return;
    for (const content of prompt) {
      const update = { sessionUpdate: "user_message_chunk", content };
      await this.#notify("session/update", { update }, position);
    }
  }

  async #turnEnded(end: LoggedTurnEnd, position: number): Promise<void> {
    const own = this.#prompts.get(end.id);
    if (own) return settle(own, end);
    const { result, error } = end;
    if (!this.#client.isExtended) return;
    const outcome = error ? { error } : { stopReason: result?.["stopReason"] };
    await this.#notify(ATTACH_METHODS.turnEnded, outcome, position);
  }

  async #notify(method: string, params: JsonObject, position: number): Promise<void> {
    const { peer, isExtended } = this.#client;
    const { session } = this.#followed;
    const _meta = { ...asObject(params["_meta"]), [SEQ_META]: position };
    await peer.notify(method, { sessionId: session, ...params, ...(isExtended ? { _meta } : {}) });
  }

  #ask({ id, method, params }: LoggedQuestion): void {
    if (this.role !== "controller" || this.#asked.has(id)) return;
    const { peer, fleet, owner } = this.#client;
    const { session } = this.#followed;
    const withdrawn = new AbortController();
    this.#asked.set(id, withdrawn);
    const answered = async (): Promise<void> => {
      try {
        const sent = { sessionId: session, ...params };
        const result = await peer
          .call(method, sent, { signal: withdrawn.signal })
          .catch((error: unknown) => noAnswer(method, error));
        await fleet.answer(session, { id, by: owner, result: asObject(result) });
      } catch {
        // Another client answered first, or the owner is gone and closes the question.
      } finally {
        this.#asked.delete(id);
      }
    };
    void answered();
  }
}

function settle(prompt: Deferred<JsonObject>, { result, error }: LoggedTurnEnd): void {
  if (error) prompt.reject(new RpcError(error.code, error.message, error.data));
  else prompt.resolve(result ?? {});
}

/** A client that cannot answer a question about permission does not give it. Throws any other error. */
function noAnswer(method: string, error: unknown): JsonObject {
  if (error instanceof RemoteError && method === "session/request_permission") {
    return { outcome: { outcome: "cancelled" } };
  }
  throw error;
}
