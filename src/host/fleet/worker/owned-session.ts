import { type Hub, type HubAgent, unattendedAnswer } from "../../hub/index.ts";
import {
  asObject,
  deferred,
  type Deferred,
  type JsonObject,
  quiet,
  quietly,
  randomId,
  RestartableTimer,
  toError,
  unlessAborted,
} from "../../../base/index.ts";
import type { FleetEngine, Lease } from "../engine.ts";
import { closedError, FleetError } from "../errors.ts";
import { changeSession, type FleetSession } from "../session/record.ts";
import {
  type FleetEntry,
  type LoggedTurnEnd,
  NOT_RUN,
  OUTCOME_UNKNOWN,
  remember,
  TURN_CODES,
  type TurnFailure,
} from "../session/entries.ts";
import { SessionWriter } from "../session/writer.ts";
import { SessionAgentLink } from "./agent-link.ts";
import { LeaseKeeper } from "./lease.ts";
import { takeoverEntries, type TakenSession } from "./takeover.ts";
import type { WorkerSettings } from "./options.ts";
import type { SessionRequest } from "./protocol.ts";
import { RemoteError, RpcCode, RpcError } from "../../../transport/rpc/index.ts";

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
   * Runs a prompt, while `watch` sees all entries. Resolves with the last position that is stored, or rejects
   * when the session ends first.
   */
  async run(prompt: AcceptedPrompt, watch: (entry: FleetEntry) => void): Promise<number> {
    if (this.#end) throw closedError("the session");
    this.#idle?.restart();
    const ended = deferred();
    this.#writer.watch = (entry) => {
      watch(entry);
      if (entry.type !== "turn_ended" || entry.id !== prompt.id) return;
      this.#writer.watch = () => {};
      ended.resolve();
    };
    await this.#turns.accept(prompt);
    await Promise.race([ended.promise, this.#closed.promise]);
    try {
      return await this.#writer.flush();
    } catch {
      // The log may not have the end, and the next owner reports it so.
      watch({ type: "turn_ended", id: prompt.id, error: OUTCOME_UNKNOWN });
      return this.#writer.position;
    }
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

interface AcceptedPrompt {
  readonly id: string;
  readonly by: string;
  readonly prompt: readonly JsonObject[];
}

interface TurnsSession {
  readonly writer: SessionWriter;
  /** The ids of all prompts that the session knows. */
  readonly known: Set<string>;
  readonly maxQueued: number;
  send(prompt: readonly JsonObject[]): Promise<unknown>;
  cancel(): void;
  /** Stores whether a prompt is open. Called before the first one is in the log, and after the last one ended. */
  storeBusy(): Promise<void>;
}

const CANCELLED = { result: { stopReason: "cancelled" } };

/** Runs the prompts of a session in order. Each is in the log before the agent sees it, so none runs twice. */
class SessionTurns {
  readonly #session: TurnsSession;
  /** The prompts that are not in the log yet. */
  readonly #accepting = new Map<string, Promise<void>>();
  /** Those of them that were cancelled. */
  readonly #cancelled = new Set<string>();
  #waiting: AcceptedPrompt[] = [];
  #running: AcceptedPrompt | undefined;
  #isEnded = false;
  /** Resolves when no turn is running anymore. */
  settled: Promise<void> = Promise.resolve();

  constructor(session: TurnsSession) {
    this.#session = session;
  }

  /** Whether a prompt runs, waits or is about to be accepted. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#waiting.length + this.#accepting.size > 0;
  }

  /** Accepts a prompt. Resolves once the log has it, with whether it is new. Rejects with FleetError. */
  async accept(prompt: AcceptedPrompt): Promise<boolean> {
    const { writer, known, maxQueued } = this.#session;
    if (prompt.id === "") throw new FleetError("invalid_argument", "a prompt needs an id");
    if (known.has(prompt.id)) {
      await this.#accepting.get(prompt.id);
      await writer.flush();
      return false;
    }
    if (this.#waiting.length + this.#accepting.size >= maxQueued) {
      throw new FleetError("try_later", "too many prompts wait for this session: try again later");
    }
    remember(known, prompt.id);
    const accepting = this.#store(prompt);
    this.#accepting.set(prompt.id, accepting);
    try {
      await accepting;
    } catch (error) {
      known.delete(prompt.id);
      this.#cancelled.delete(prompt.id);
      throw error;
    } finally {
      this.#accepting.delete(prompt.id);
    }
    if (this.#cancelled.delete(prompt.id)) this.#ended(prompt, CANCELLED);
    else if (this.#isEnded) this.#ended(prompt, { error: NOT_RUN });
    else this.#waiting.push(prompt);
    if (!this.#running) this.settled = this.#run();
    return true;
  }

  async #store(prompt: AcceptedPrompt): Promise<void> {
    // Before the log: if this worker dies, others look only at the logs of busy sessions.
    await this.#session.storeBusy();
    await this.#session.writer.append({ type: "prompt", ...prompt });
  }

  /** Cancels the running turn and the prompts that wait. */
  cancel(): void {
    for (const id of this.#accepting.keys()) this.#cancelled.add(id);
    for (const prompt of this.#waiting.splice(0)) this.#ended(prompt, CANCELLED);
    if (this.#running) this.#session.cancel();
  }

  /** Starts no more turns, and reports the prompts that wait as not run. */
  end(): void {
    this.#isEnded = true;
    for (const prompt of this.#waiting.splice(0)) this.#ended(prompt, { error: NOT_RUN });
  }

  /** Reports the end of a prompt that the agent did not get. */
  #ended({ id }: AcceptedPrompt, end: Pick<LoggedTurnEnd, "result" | "error">): void {
    this.#session.writer.add({ type: "turn_ended", id, ...end });
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        this.#running = next;
        if (!next) break;
        await this.#turn(next);
      }
      // A prompt that arrives meanwhile starts another run.
      await this.#session.storeBusy();
    } catch {
      // The session is lost, and its next owner reports the turn.
      this.#running = undefined;
    }
  }

  async #turn({ id, prompt }: AcceptedPrompt): Promise<void> {
    const { writer } = this.#session;
    await writer.append({ type: "turn_started", id });
    await writer.append(await this.#outcome(id, prompt));
  }

  async #outcome(id: string, prompt: readonly JsonObject[]): Promise<FleetEntry> {
    try {
      const result = asObject(await this.#session.send(prompt));
      return { type: "turn_ended", id, result };
    } catch (error) {
      return { type: "turn_ended", id, error: failureOf(error) };
    }
  }
}

/** Pure: an error of the agent as the log has it. Any other means that the connection was lost. */
function failureOf(error: unknown): TurnFailure {
  if (error instanceof RemoteError || error instanceof RpcError) {
    const { rpcCode: code, message, data } = error;
    return { code, message, data };
  }
  return { code: TURN_CODES.outcomeUnknown, message: toError(error).message };
}

const MAX_QUESTIONS = 1000;

interface OpenQuestion {
  readonly method: string;
  readonly answer: Deferred<JsonObject>;
  by: string | undefined;
}

/** The questions of an agent to the clients of its session, by way of the log. */
class LoggedQuestions {
  readonly #writer: SessionWriter;
  readonly #timeoutMs: number;
  readonly #open = new Map<string, OpenQuestion>();

  /** Questions that no client answers within `timeoutMs` are answered as cancelled. */
  constructor(writer: SessionWriter, timeoutMs: number) {
    this.#writer = writer;
    this.#timeoutMs = timeoutMs;
  }

  /** Asks, and resolves with the first answer. Rejects with RpcError if there is none. */
  async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#timeoutMs === 0 || this.#open.size >= MAX_QUESTIONS) return unanswered(method);
    const id = randomId();
    const question: OpenQuestion = { method, answer: deferred(), by: undefined };
    this.#open.set(id, question);
    this.#writer.add({ type: "question", id, method, params });
    const late = AbortSignal.timeout(this.#timeoutMs);
    const end = AbortSignal.any([signal, late]);
    let result: JsonObject | undefined;
    try {
      result = await unlessAborted(question.answer.promise, end);
      return result;
    } catch (error) {
      if (!late.aborted) throw error;
      result = unanswered(method);
      return result;
    } finally {
      this.#open.delete(id);
      this.#writer.add({ type: "question_closed", id, by: question.by, result });
    }
  }

  /** Answers all questions as cancelled, because their turn was. */
  cancel(): void {
    for (const { method, answer } of this.#open.values()) {
      try {
        answer.resolve(unanswered(method));
      } catch (error) {
        answer.reject(error);
      }
    }
    this.#open.clear();
  }

  /** Answers a question. Throws FleetError `invalid` if it is not open. */
  answer(id: string, by: string, result: JsonObject): void {
    const question = this.#open.get(id);
    if (!question) {
      throw new FleetError("invalid_argument", "the question was answered or withdrawn before");
    }
    question.by = by;
    this.#open.delete(id);
    question.answer.resolve(result);
  }
}

/** The answer to a question that no person answers. Throws RpcError if only a person could. */
function unanswered(method: string): JsonObject {
  const answer = unattendedAnswer(method);
  if (answer) return answer;
  throw new RpcError(RpcCode.internalError, "No client answers for this session");
}
