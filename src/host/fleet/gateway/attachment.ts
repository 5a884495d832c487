import { ATTACH_METHODS } from "../../../client/index.ts";
import {
  Attachment,
  type ClientRole,
  memberSpan,
  notificationLine,
  outcomeOf,
  type QuestionEnd,
  Questions,
  requestLine,
  type ServedClient,
  unattendedAnswer,
  type Withdraw,
} from "../../hub/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  deferred,
  type Deferred,
  type JsonObject,
  quiet,
  toError,
} from "../../../base/index.ts";
import type { FleetClient, FollowedEntry } from "../client.ts";
import type { FleetEntry, LoggedTurnEnd } from "../session/entries.ts";

type LoggedQuestion = Extract<FleetEntry, { type: "question" }>;

export interface FollowedSession {
  readonly fleet: FleetClient;
  readonly session: string;
  readonly role: ClientRole;
  readonly after: number;
  /** The last position that is a replay. Questions before it are only asked if they are open still. */
  readonly last: number;
  readonly failed: (error: Error) => void;
}

/** A client of a fleet's session. It gets the log at its own pace, and its answers go to the owner. */
export class FleetAttachment {
  readonly role: ClientRole;
  readonly #client: ServedClient;
  readonly #followed: FollowedSession;
  readonly #lines: Attachment;
  readonly #end = new AbortController();
  readonly #live = deferred();
  /** The prompts of this client that have not ended. */
  readonly #prompts = new Map<string, Deferred<JsonObject>>();
  /** Questions of the replay, until the client is asked those of them that are open. */
  readonly #unasked = new Map<string, LoggedQuestion>();
  readonly #questions = new Questions();
  readonly #withdraw = new Map<string, Withdraw>();
  #isAsking = false;
  /** The agent's answer to the request that opened the session, as far as it was read. */
  opened: JsonObject | undefined;

  constructor(client: ServedClient, followed: FollowedSession) {
    const { role, after } = followed;
    const { isExtended } = client;
    this.role = role;
    this.#client = client;
    this.#followed = followed;
    this.#lines = new Attachment(client, role, { isExtended, log: undefined, next: after + 1 });
  }

  get isBusy(): boolean {
    return this.#prompts.size > 0;
  }

  /** Starts to send. Resolves when the replay has been sent. */
  start(): Promise<void> {
    void this.#run();
    return this.#live.promise;
  }

  /** Asks the client what is open, from the replay and from now on. */
  ask(): void {
    this.#isAsking = true;
    for (const question of this.#unasked.values()) this.#ask(question);
    this.#unasked.clear();
  }

  /** Sends a prompt, and resolves with the agent's answer after everything that came before it. */
  async prompt(id: string, prompt: readonly JsonObject[]): Promise<JsonObject> {
    const { fleet, session } = this.#followed;
    const ended = this.#prompts.get(id) ?? deferred<JsonObject>();
    void quiet(ended.promise);
    this.#prompts.set(id, ended);
    try {
      const isNew = await fleet.prompt(session, { id, by: this.#client.owner, prompt });
      const earlier = isNew ? undefined : await this.#endOf(id);
      if (earlier) settle(ended, earlier);
      return await ended.promise;
    } finally {
      this.#prompts.delete(id);
    }
  }

  /** The end of a prompt that another connection sent, if it is in the log. */
  async #endOf(id: string): Promise<LoggedTurnEnd | undefined> {
    const { fleet, session } = this.#followed;
    for await (const { entry } of fleet.read(session)) {
      if (entry.type === "turn_ended" && entry.id === id) return entry;
    }
    return undefined;
  }

  close(): void {
    this.#end.abort();
    this.#live.resolve();
    this.#questions.withdrawAll();
    for (const ended of this.#prompts.values()) ended.reject(new Error("the session was left"));
  }

  async #run(): Promise<void> {
    const { fleet, session, after, last, failed } = this.#followed;
    const { signal } = this.#end;
    try {
      if (after >= last) this.#live.resolve();
      for await (const logged of fleet.read(session, { after, follow: true, signal })) {
        if (signal.aborted) return;
        this.#deliver(logged);
        if (this.#client.isFull) await this.#client.drained;
        if (logged.position >= last) this.#live.resolve();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.close();
      failed(toError(error));
    }
  }

  #deliver({ position, entry }: FollowedEntry): void {
    switch (entry.type) {
      case "update":
        return this.#send(position, "session/update", entry.params);
      case "notification":
        return this.#send(position, entry.method, entry.params);
      case "prompt":
        return this.#showPrompt(entry, position);
      case "turn_ended":
        return this.#turnEnded(entry, position);
      case "question":
        if (this.#isAsking) this.#ask(entry);
        else this.#unasked.set(entry.id, entry);
        return undefined;
      case "question_closed":
        this.#unasked.delete(entry.id);
        this.#withdraw.get(entry.id)?.();
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
  #showPrompt({ id, prompt }: Extract<FleetEntry, { type: "prompt" }>, position: number): void {
    if (this.#prompts.has(id)) return;
    for (const content of prompt) {
      const update = { sessionUpdate: "user_message_chunk", content };
      this.#send(position, "session/update", { update });
    }
  }

  #turnEnded(end: LoggedTurnEnd, position: number): void {
    const own = this.#prompts.get(end.id);
    if (own) return settle(own, end);
    const { result, error } = end;
    const outcome = error ? { error } : { stopReason: result?.["stopReason"] };
    this.#send(position, ATTACH_METHODS.turnEnded, outcome, "extension");
  }

  #send(
    seq: number,
    method: string,
    params: JsonObject,
    audience: "all" | "extension" = "all",
  ): void {
    const line = notificationLine(method, { sessionId: this.#followed.session, ...params });
    this.#lines.deliver({ seq, line, audience, except: undefined });
  }

  #ask({ id, method, params }: LoggedQuestion): void {
    if (this.role !== "controller") return;
    const line = requestLine(0, method, { sessionId: this.#followed.session, ...params });
    const span = memberSpan(line, "id") ?? { start: 0, end: 0 };
    const question = {
      line,
      id: span,
      isForAll: true,
      end: (end: QuestionEnd): void => {
        this.#withdraw.delete(id);
        if (end.kind === "answered") this.#answered(id, method, end);
      },
    };
    this.#withdraw.set(id, this.#questions.ask(question, [this.#lines], false));
  }

  #answered(id: string, method: string, end: Extract<QuestionEnd, { kind: "answered" }>): void {
    const outcome = outcomeOf(end.line, end.by);
    const result = outcome.kind === "result" ? asObject(outcome.result) : unattendedAnswer(method);
    if (!result) return;
    const { fleet, session } = this.#followed;
    // Another client answered first, or the owner is gone and closes the question.
    fleet.answer(session, { id, by: end.by, result }).catch(() => {});
  }
}

function settle(prompt: Deferred<JsonObject>, { result, error }: LoggedTurnEnd): void {
  if (error) prompt.reject(new RpcError(error.code, error.message, error.data));
  else prompt.resolve(result ?? {});
}
