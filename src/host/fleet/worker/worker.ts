import {
  createHub,
  type Hub,
  type OpenRequest,
  type PolicySession,
  rootChecker,
  type SessionPolicy,
} from "../../hub/index.ts";
import {
  callSafely,
  definedFields,
  deferred,
  type JsonObject,
  pause,
  quietly,
  toError,
  within,
} from "../../../base/index.ts";
import type { CallServer, WorkItem } from "../engine.ts";
import { FleetError } from "../errors.ts";
import type { FleetHost } from "../hosts.ts";
import { AgentDescriptions } from "./agent-link.ts";
import { jobSession } from "../jobs/job.ts";
import { JobRunner } from "../jobs/run.ts";
import { findSession } from "../session/record.ts";
import { OwnedSession, type SessionEnd, type OwnerDeps } from "./owned-session.ts";
import {
  DEFAULT_WORKER_SETTINGS,
  type FleetWorker,
  type WorkerEvent,
  type WorkerOptions,
  type WorkerSettings,
} from "./options.ts";
import { type OwnerRequest, readRequest, writeErrorAnswer } from "./protocol.ts";
import { startRecovery, takeOver } from "./takeover.ts";

/** How long a worker waits for work before it asks again. */
const TAKE_MS = 5000;
/** The time before a worker that has no room looks again. */
const FULL_MS = 250;
const REPORTS = 3;

/**
 * Starts a worker: it reports itself to the fleet, takes work, and runs sessions in a hub of its own. The
 * caller must `close` or `drain` it. Rejects with FleetError if the engine does not answer.
 */
export function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  return quietly(async () => {
    const worker = new PoolWorker(options);
    await worker.start();
    return worker;
  });
}

class PoolWorker implements FleetWorker {
  readonly #options: WorkerOptions;
  readonly #limits: WorkerSettings;
  readonly #hub: Hub;
  readonly #sessions = new Map<string, OwnedSession>();
  readonly #opening = new Map<string, Promise<OwnedSession>>();
  readonly #jobs = new Map<string, Promise<void>>();
  readonly #jobRunner: JobRunner;
  readonly #end = new AbortController();
  readonly #descriptions: AgentDescriptions;
  readonly #ownerDeps: OwnerDeps;
  #server: CallServer | undefined;
  #isDraining = false;
  #closing: Promise<void> | undefined;
  /** Called when a turn or a session may have ended, while the worker drains. */
  #settled: (() => void) | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_WORKER_SETTINGS, ...definedFields(options.limits) };
    this.#jobRunner = new JobRunner(options, (session) => this.#open(session, 0));
    this.#hub = createHub({
      ...options.hub,
      policy: (session) => this.#policyOf(session),
      checkOpen: (request) => this.#checkOpen(request),
    });
    this.#descriptions = new AgentDescriptions(this.#hub, options.agents);
    const { engine, host, volume = host } = options;
    this.#ownerDeps = {
      engine,
      host,
      volume,
      hub: this.#hub,
      limits: this.#limits,
      settled: () => this.#settled?.(),
      ended: (session, end) => this.#ended(session, end),
    };
  }

  get sessions(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  get status(): FleetHost {
    const { host, pool, agents, roots, volume = host } = this.#options;
    const sessions = [...this.#sessions.values()];
    return {
      host,
      pool,
      agents: agents.map(({ name }) => name),
      roots: roots?.list.map(({ name }) => name) ?? [],
      volume,
      sessions: sessions.length + this.#opening.size,
      maxSessions: this.#limits.maxSessions,
      turns: sessions.filter(({ isBusy }) => isBusy).length,
      jobs: this.#jobs.size,
      unacknowledged: sessions.reduce((sum, { unacknowledged }) => sum + unacknowledged, 0),
      isDraining: this.#isDraining,
      reportedAt: Date.now(),
    };
  }

  async start(): Promise<void> {
    const { engine, host, pool } = this.#options;
    try {
      this.#server = await engine.calls.answer(host, (text) => this.#answer(text));
      await this.#report();
    } catch (error) {
      await this.close();
      throw error;
    }
    void this.#reportAgain();
    void this.#takeWork();
    startRecovery(
      {
        engine,
        host,
        pool,
        owns: (session) => this.#sessions.has(session) || this.#opening.has(session),
        recovered: (session, unknown) =>
          this.#emit({ type: "session_recovered", session, unknown }),
        failed: (error) => this.#failed("recover sessions", error),
      },
      this.#end.signal,
    );
  }

  drain(ms: number): Promise<void> {
    return quietly(async () => {
      this.#isDraining = true;
      await this.#report().catch(() => {});
      const idle = deferred();
      this.#settled = () => {
        const isBusy = [...this.#sessions.values()].some((session) => session.isBusy);
        if (!isBusy && this.#jobs.size === 0) idle.resolve();
      };
      this.#settled();
      await within(idle.promise, ms);
      await this.close();
    });
  }

  close(): Promise<void> {
    return (this.#closing ??= quietly(() => this.#close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { engine, host } = this.#options;
    this.#isDraining = true;
    this.#end.abort();
    await this.#server?.close();
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    await Promise.all(this.#jobs.values());
    await this.#hub.close();
    await engine.hosts.delete(host).catch(() => {});
  }

  /** Sessions work inside the roots. A job works in its own folder. */
  #checkOpen(request: OpenRequest): JsonObject | Promise<JsonObject> {
    const { hub, roots } = this.#options;
    const checkOpen = hub?.checkOpen ?? (roots && rootChecker(roots));
    return this.#jobRunner.checkOpen(request, checkOpen ?? (({ params }) => params));
  }

  async #answer(text: string): Promise<string> {
    try {
      return JSON.stringify({ result: await this.#handle(readRequest(text)) });
    } catch (error) {
      return writeErrorAnswer(error);
    }
  }

  async #handle(request: OwnerRequest): Promise<JsonObject> {
    if (request.type === "describe") return this.#descriptions.of(request.agent);
    const { session: id, type } = request;
    if (this.#isDraining && (type === "open" || type === "prompt")) {
      throw new FleetError("try_later", "the worker is about to end: try again later");
    }
    const session = type === "open" ? await this.#open(id) : this.#sessions.get(id);
    if (!session) throw new FleetError("no_owner", `this worker does not have the session ${id}`);
    return session.handle(request);
  }

  /** A session that the worker owns; it takes it over if it does not. Rejects with FleetError or RpcError. */
  #open(id: string, questionMs = this.#limits.questionMs): Promise<OwnedSession> {
    const known = this.#sessions.get(id);
    if (known) return Promise.resolve(known);
    const opening =
      this.#opening.get(id) ??
      this.#takeSession(id, questionMs).finally(() => {
        this.#opening.delete(id);
      });
    this.#opening.set(id, opening);
    return opening;
  }

  async #takeSession(id: string, questionMs: number): Promise<OwnedSession> {
    const { engine, host, agents } = this.#options;
    // A job has its place already.
    if (this.#isFull && !this.#jobs.has(id)) {
      throw new FleetError(
        "try_later",
        "the worker has no room for another session: try again later",
      );
    }
    const record = await findSession(engine.sessions, id);
    const agent = agents.find(({ name }) => name === record.agent);
    if (!agent) {
      throw new FleetError("invalid_argument", `the worker ${host} has no agent ${record.agent}`);
    }
    const owned = await takeOver({ engine, host }, id);
    if (!owned) throw new FleetError("no_owner", `the session ${id} has another owner`);
    const session = new OwnedSession(this.#ownerDeps, agent, record, owned, questionMs);
    await session.open(record);
    this.#sessions.set(id, session);
    this.#emit({ type: "session_opened", session: id });
    return session;
  }

  #ended(session: OwnedSession, end: SessionEnd): void {
    const { id } = session;
    if (this.#sessions.get(id) === session) this.#sessions.delete(id);
    this.#settled?.();
    this.#emit(
      end.kind === "lost"
        ? { type: "session_lost", session: id, message: end.message }
        : { type: "session_closed", session: id },
    );
  }

  async #report(): Promise<void> {
    const { engine, host } = this.#options;
    await engine.hosts.put(host, JSON.stringify(this.status));
  }

  async #reportAgain(): Promise<void> {
    const { engine } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      await pause(engine.limits.hostMs / REPORTS, signal);
      if (signal.aborted) return;
      await this.#report().catch((error: unknown) => this.#failed("report the load", error));
    }
  }

  async #takeWork(): Promise<void> {
    const { engine, pool } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted && !this.#isDraining) {
      if (this.#isFull) {
        await pause(FULL_MS, signal);
        continue;
      }
      try {
        const item = await engine.work.take(pool, { waitMs: TAKE_MS, signal });
        if (item && this.#isDraining) await item.giveBack(0);
        else if (item) await this.#startJob(item);
      } catch (error) {
        this.#failed("take work", error);
        await pause(FULL_MS, signal);
      }
    }
  }

  async #startJob(item: WorkItem): Promise<void> {
    const job = item.text;
    const session = jobSession(job);
    // A worker that was stalled gets work again that it is doing.
    if (this.#jobs.has(session)) return item.extend();
    this.#emit({ type: "job_started", job });
    const running = this.#jobRunner
      .run(item)
      .catch((error: unknown) => this.#failed(`run the job ${job}`, error))
      .finally(() => {
        this.#jobs.delete(session);
        this.#emit({ type: "job_ended", job });
        this.#settled?.();
      });
    this.#jobs.set(session, running);
  }

  /** A job may have rules of its own, which count in its folder. */
  #policyOf(session: PolicySession): SessionPolicy | undefined {
    const { hub } = this.#options;
    return (this.#jobRunner.policyOf(session) ?? hub?.policy)?.(session);
  }

  /** Whether the worker has no room for another session or job. */
  get #isFull(): boolean {
    const ids = new Set([...this.#sessions.keys(), ...this.#opening.keys(), ...this.#jobs.keys()]);
    return ids.size >= this.#limits.maxSessions;
  }

  #failed(what: string, error: unknown): void {
    this.#emit({ type: "failed", what, error: toError(error) });
  }

  #emit(event: WorkerEvent): void {
    const { onEvent } = this.#options;
    if (onEvent) callSafely(() => onEvent(event));
  }
}
