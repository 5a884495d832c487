import type { Hub, HubAgent } from "../../hub/index.ts";
import {
  deferred,
  type JsonObject,
  quiet,
  quietly,
  RestartableTimer,
  toError,
} from "../../../base/index.ts";
import type { FleetEngine, Lease } from "../engine.ts";
import { closedError } from "../errors.ts";
import { changeSession, type FleetSession } from "../session/record.ts";
import { type FleetEntry, takeoverEntries } from "../session/entries.ts";
import { SessionWriter } from "../session/writer.ts";
import { SessionAgentLink } from "./agent-link.ts";
import { LeaseKeeper, type TakenSession } from "./takeover.ts";
import type { WorkerSettings } from "./options.ts";
import type { SessionRequest } from "./protocol.ts";
import { LoggedQuestions } from "./questions.ts";
import { type AcceptedPrompt, SessionTurns } from "./turns.ts";

/** The most notifications of an agent that has not named its session. */
const MAX_EARLY = 1000;

/** Why a session ended on its host. */
export type SessionEnd =
  /** It was closed, or was idle, or its worker ended. */
  | { readonly kind: "closed" }
  /** Its lease or its log has another owner, or the engine is gone. */
  | { readonly kind: "lost"; readonly message: string };

export interface OwnerDeps {
  readonly engine: FleetEngine;
  readonly host: string;
  readonly volume: string;
  readonly hub: Hub;
  readonly limits: WorkerSettings;
  /** Called when a session has no more prompts to run. */
  settled(): void;
  /** Called once for each session that was opened. */
  ended(session: OwnedSession, end: SessionEnd): void;
}

export class OwnedSession {
  readonly id: string;
  readonly tenant: string;
  readonly #deps: OwnerDeps;
  readonly #mayStartOver: boolean;
  readonly #lease: Lease;
  readonly #keeper: LeaseKeeper;
  readonly #writer: SessionWriter;
  readonly #turns: SessionTurns;
  readonly #questions: LoggedQuestions;
  readonly #link: SessionAgentLink;
  /** Runs once the session is open. */
  #idle: RestartableTimer | undefined;
  #agentSessionId: string | undefined;
  /** The agent's answer to the request that opened the session. */
  #opened: JsonObject = {};
  /** Notifications that came before the agent named its session. */
  #early: (() => void)[] = [];
  #end: SessionEnd | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = deferred<never>();

  /** `questionMs` is how long a question waits for an answer; 0 to answer it as cancelled at once. */
  constructor(
    deps: OwnerDeps,
    agent: HubAgent,
    session: FleetSession,
    owned: TakenSession,
    questionMs: number,
  ) {
    const { engine, hub, limits } = deps;
    const { lease, summary } = owned;
    this.id = session.id;
    this.tenant = session.tenant;
    this.#deps = deps;
    this.#lease = lease;
    // Many agents keep a session only from its first prompt on. Until then, nothing in it can be lost.
    this.#mayStartOver = !summary.hasTurns;
    const lost = (message: string): void => void this.#finish({ kind: "lost", message });
    this.#keeper = new LeaseKeeper(lease, engine.limits.leaseMs, lost);
    const { fence } = lease;
    this.#writer = new SessionWriter(
      engine.log,
      { session: session.id, fence, after: summary.position, lost: (error) => lost(error.message) },
      limits,
    );
    this.#questions = new LoggedQuestions(this.#writer, questionMs);
    this.#link = new SessionAgentLink(hub, agent, session, {
      notification: (method, params) => this.#notified(method, params),
      request: (method, params, { signal }) =>
        this.#questions.ask(method, this.#ownParams(params), signal),
      closed: () => void this.#finish({ kind: "closed" }),
    });
    this.#turns = new SessionTurns({
      writer: this.#writer,
      known: new Set(summary.prompts),
      maxQueued: limits.maxQueuedPrompts,
      send: (prompt) =>
        this.#link.peer.call("session/prompt", { sessionId: this.#agentSessionId, prompt }),
      cancel: () => this.#notify("session/cancel"),
      storeBusy: () => this.#storeBusy(),
    });
    for (const entry of takeoverEntries(summary, deps.host)) this.#writer.add(entry);
    void quiet(this.#closed.promise);
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  get unacknowledged(): number {
    return this.#writer.unacknowledged;
  }

  /** Opens the session in the agent. On failure, the session ends. Rejects with FleetError or RpcError. */
  async open(session: FleetSession): Promise<void> {
    try {
      // The old owner must not be able to append before the agent is started again.
      await this.#writer.flush();
      const { agentSessionId, method, result } = await this.#link.open(session, this.#mayStartOver);
      this.#agentSessionId = agentSessionId;
      const { sessionId: _own, ...rest } = result;
      this.#opened = rest;
      this.#writer.add({ type: "opened", method, result: rest });
      for (const deliver of this.#early.splice(0)) deliver();
      const { host, volume, engine } = this.#deps;
      await changeSession(engine.sessions, this.id, (record) => ({
        ...record,
        host,
        volume,
        fence: this.#lease.fence,
        agentSessionId,
        isBusy: false,
      }));
      await this.#writer.flush();
      if (!this.#end) this.#idle = this.#watchIdle();
    } catch (error) {
      await this.#finish({ kind: "lost", message: toError(error).message });
      throw error;
    }
  }

  /** Answers a call about the session. Rejects with FleetError or RpcError. */
  async handle(request: SessionRequest): Promise<JsonObject> {
    if (this.#end) throw closedError("the session");
    this.#idle?.restart();
    switch (request.type) {
      case "open":
        return { opened: this.#opened };
      case "prompt": {
        const { id, by, prompt } = request;
        const isNew = await this.#turns.accept({ id, by, prompt });
        return { position: this.#writer.position, isNew };
      }
      case "cancel":
        this.#turns.cancel();
        this.#questions.cancel();
        await this.#writer.flush();
        return {};
      case "answer":
        this.#questions.answer(request.id, request.by, request.result);
        await this.#writer.flush();
        return {};
      case "request": {
        const params = { ...request.params, sessionId: this.#agentSessionId };
        const result = await this.#link.peer.call(request.method, params);
        return { result };
      }
      case "close":
        await this.close();
        return {};
    }
  }

  /**
   * Runs a prompt, while `watch` sees every entry, and resolves with the position of the last one. Rejects
   * with FleetError if the session ends before the turn.
   */
  async run(prompt: AcceptedPrompt, watch: (entry: FleetEntry) => void): Promise<number> {
    const ended = deferred();
    this.#writer.watch = (entry) => {
      watch(entry);
      if (entry.type === "turn_ended" && entry.id === prompt.id) ended.resolve();
    };
    await this.#turns.accept(prompt);
    await Promise.race([ended.promise, this.#closed.promise]);
    return this.#writer.flush().catch(() => this.#writer.position);
  }

  /** Stores everything, ends the agent and gives the lease back. Never rejects. */
  close(): Promise<void> {
    return this.#finish({ kind: "closed" });
  }

  #finish(end: SessionEnd): Promise<void> {
    this.#end ??= end;
    return (this.#closing ??= quietly(() => this.#tearDown(end)));
  }

  async #tearDown(end: SessionEnd): Promise<void> {
    this.#idle?.stop();
    this.#turns.end();
    if (end.kind === "closed") {
      await this.#link.close();
      await this.#turns.settled;
      await this.#writer.flush().catch(() => {});
    }
    this.#keeper.stop();
    this.#writer.close();
    if (end.kind === "lost") await this.#link.close();
    await this.#lease.release();
    this.#closed.reject(closedError("the session"));
    this.#deps.ended(this, end);
  }

  #watchIdle(): RestartableTimer {
    return new RestartableTimer(this.#deps.limits.idleMs, () => {
      if (this.isBusy) this.#idle = this.#watchIdle();
      else void this.close();
    });
  }

  #notified(method: string, params: JsonObject): void {
    if (this.#agentSessionId === undefined) {
      // Which session is its own is known with the answer that opens it.
      if (this.#early.length < MAX_EARLY) this.#early.push(() => this.#notified(method, params));
      return;
    }
    const own = this.#ownParams(params);
    const isUpdate = method === "session/update";
    this.#writer.add(
      isUpdate ? { type: "update", params: own } : { type: "notification", method, params: own },
    );
    if (!this.#writer.isFull) return;
    const release = this.#link.peer.hold();
    void this.#writer.drained.then(release);
  }

  /** Readers know the session by its id in the fleet. */
  #ownParams(params: JsonObject): JsonObject {
    const { sessionId, ...rest } = params;
    return sessionId === this.#agentSessionId ? rest : params;
  }

  #notify(method: string): void {
    void this.#link.peer.notify(method, { sessionId: this.#agentSessionId });
  }

  async #storeBusy(): Promise<void> {
    const { engine } = this.#deps;
    const { fence } = this.#lease;
    // A later owner has its own turns. Two changes may overtake each other, so each stores the state of its moment.
    await changeSession(engine.sessions, this.id, (record) =>
      record.fence === fence ? { ...record, isBusy: this.isBusy, usedAt: Date.now() } : record,
    );
    this.#deps.settled();
  }
}
