import type { SessionRole } from "../../../transport/remote/index.ts";
import {
  type JsonObject,
  RestartableTimer,
  objectField,
  stringField,
  stringsField,
  messageOf,
} from "../../../base/index.ts";
import type { AgentLink, AgentNotification, AgentRequestMessage } from "../agent/link.ts";
import type { ServedClient } from "../client/served-client.ts";
import type { HubEvent, AgentEndCause } from "../events.ts";
import { type CancelRequest, notificationLine, resultLine, errorLine } from "../json/rpc-lines.ts";
import type { HubSessionInfo, SessionPolicy, HubLimits } from "../options.ts";
import { AgentRequests, Questions } from "./agent-requests.ts";
import { Attachment } from "./attachment.ts";
import type { SessionLog } from "./log.ts";
import { reopenMethod, Replay, SessionRecord } from "./reopen.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";

/** One session of an agent, with its clients. */
export class HubSession {
  readonly id: string;
  readonly agent: SessionAgent;
  readonly params: JsonObject;
  readonly prompts: PromptQueue;
  readonly record = new SessionRecord();
  readonly #log: SessionLog | undefined;
  readonly #policy: SessionPolicy | undefined;
  readonly #attachments = new Map<ServedClient, Attachment>();
  readonly #questions = new Questions();
  readonly #requests: AgentRequests;
  usedAt = Date.now();
  /** The process that has the session open. */
  #connection: AgentLink | undefined;
  #reopening: Promise<AgentLink> | undefined;
  /** Set while a replay is not shown. */
  #replay: Replay | undefined;
  /** How many clients may still come back. */
  #awaited = 0;
  /** Whether the agent waits for its clients. */
  #isHeld = false;
  #cancelTimer: ReturnType<typeof setTimeout> | undefined;
  #idle: RestartableTimer | undefined;
  /** Runs while a turn does. */
  #silence: RestartableTimer | undefined;

  constructor(
    agent: SessionAgent,
    { sessionId, params }: OpenedSession,
    connection: AgentLink,
    parts: { readonly log: SessionLog | undefined; readonly policy: SessionPolicy | undefined },
  ) {
    this.id = sessionId;
    this.agent = agent;
    this.params = params;
    this.prompts = new PromptQueue(agent.limits.maxQueuedPrompts);
    this.#connection = connection;
    this.#log = parts.log;
    this.#policy = parts.policy;
    this.#requests = new AgentRequests(this.#questions, parts.policy, {
      controllers: () => this.#controllers(),
      mayWait: () => this.#awaited > 0,
      limit: agent.limits.maxAgentRequests,
      flooded: () => agent.end("flooded"),
      settled: () => this.#silence?.restart(),
      answered: (method, by, result) => this.#emit({ type: "answered", method, by, result }),
    });
  }

  get info(): HubSessionInfo {
    const roles = [...this.#attachments.values()].map(({ role }) => role);
    return {
      sessionId: this.id,
      agent: this.agent.name,
      owner: this.agent.owner,
      cwd: stringField(this.params, "cwd") ?? "",
      additionalDirectories: stringsField(this.params, "additionalDirectories"),
      title: this.record.title,
      isBusy: this.isBusy,
      queued: this.prompts.waiting,
      controllers: roles.filter((role) => role === "controller").length,
      observers: roles.filter((role) => role === "observer").length,
      usedAt: this.usedAt,
    };
  }

  get isBusy(): boolean {
    return this.prompts.isBusy || this.record.isRunning;
  }

  /** Whether no client uses the session or may come back to it. */
  get isAlone(): boolean {
    return this.#attachments.size === 0 && this.#awaited === 0;
  }

  /** Whether another client is attached. */
  isShared(client: ServedClient): boolean {
    return this.#attachments.size > (this.#attachments.has(client) ? 1 : 0);
  }

  get hasLog(): boolean {
    return this.#log !== undefined;
  }

  /** The positions of the oldest and the newest entry of the log. */
  get positions(): { readonly first: number; readonly last: number } {
    return { first: this.#log?.first ?? 1, last: this.#log?.last ?? 0 };
  }

  attachment(client: ServedClient): Attachment | undefined {
    return this.#attachments.get(client);
  }

  /** Adds a client, which gets everything after the position `after`. Default: only what comes. */
  attach(
    client: ServedClient,
    role: SessionRole,
    options: { readonly isExtended: boolean; readonly after?: number | undefined },
  ): Attachment {
    const last = this.#log?.last ?? 0;
    const next = Math.max(this.positions.first, (options.after ?? last) + 1);
    const { isExtended } = options;
    const attachment = new Attachment(client, role, { isExtended, log: this.#log, next });
    this.#attachments.set(client, attachment);
    this.#idle?.stop();
    this.usedAt = Date.now();
    this.agent.usageChanged();
    return attachment;
  }

  /** Asks a client that was attached what the others have not answered yet. */
  ask(attachment: Attachment): void {
    if (attachment.role === "controller") this.#questions.attached(attachment);
  }

  /** Removes a client. Its turns and questions wait `graceMs` for another controller. */
  detach(client: ServedClient, graceMs: number): void {
    if (!this.#attachments.delete(client)) return;
    this.prompts.drop(client.number);
    const isAwaited = graceMs > 0 && (this.isBusy || this.#questions.count > 0);
    if (isAwaited) {
      this.#awaited++;
      setTimeout(() => {
        this.#awaited--;
        this.#deserted();
      }, graceMs);
    }
    this.#questions.left(client, this.#awaited > 0);
    if (!isAwaited) this.#deserted();
    this.agent.usageChanged();
  }

  /** The process that has the session open; opens it again if it is another one. Rejects with RpcError. */
  ready(): AgentLink | Promise<AgentLink> {
    const connection = this.agent.ready();
    if (connection === this.#connection) return connection;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  /** Whether the running process of the agent has the session open. */
  get isOpen(): boolean {
    return this.#connection !== undefined && this.#connection === this.agent.current;
  }

  /** A client opens the session by itself, and the agent may replay everything. */
  opening(connection: AgentLink): void {
    this.#connection = connection;
    this.#log?.clear();
  }

  openedWith(connection: AgentLink, result: JsonObject): void {
    this.#connection = connection;
    this.record.opened = result;
  }

  async #reopen(): Promise<AgentLink> {
    const connection = await this.agent.ready();
    if (connection === this.#connection) return connection;
    const method = reopenMethod(this.agent.version, this.agent.capabilities);
    const replay = new Replay(connection);
    this.#replay = replay;
    try {
      await this.record.reopen(connection, method, this.id, this.params);
      if (method === "session/load") await replay.silence();
    } catch (error) {
      const message = messageOf(error);
      this.#emit({ type: "session_lost", message });
      throw error;
    } finally {
      this.#replay = undefined;
    }
    this.#connection = connection;
    this.#emit({ type: "session_reopened", method: method ?? "" });
    return connection;
  }

  notification(message: AgentNotification, connection: AgentLink): void {
    if (this.#replay?.connection === connection && message.method === "session/update") {
      this.#replay.arrived();
      return;
    }
    this.#silence?.restart();
    this.#observe(message);
    this.publish(message.line);
  }

  /** A turn has started: the agent must not be silent for too long. */
  turnStarted(): void {
    this.usedAt = Date.now();
    if (!this.#silence) this.#watchSilence();
    this.agent.usageChanged();
  }

  /** The agent may be silent while it waits for an answer, which a person may think about. */
  #watchSilence(): void {
    const { turnIdleMs } = this.agent.limits;
    if (!Number.isFinite(turnIdleMs)) return;
    this.#silence = new RestartableTimer(turnIdleMs, () => {
      if (this.#requests.count > 0) this.#watchSilence();
      else this.agent.end("unresponsive");
    });
  }

  request(message: AgentRequestMessage, connection: AgentLink): void {
    this.#requests.add(message, connection);
  }

  /** The agent withdrew a request. Returns false if the session does not know it. */
  withdraw(cancel: CancelRequest, connection: AgentLink): boolean {
    return this.#requests.withdraw(cancel, connection);
  }

  /** Sends a line to the clients, by way of the log if there is one. */
  publish(line: string, audience: "all" | "extension" = "all", except?: number): void {
    const entry = this.#log?.append(line, audience, except) ?? { seq: 0, line, audience, except };
    for (const attachment of this.#attachments.values()) attachment.deliver(entry);
    this.#holdAgent();
  }

  /** The agent's turn was cancelled by a client: the agent has to end it in time. */
  cancelling(): void {
    const { cancelMs } = this.agent.limits;
    this.#requests.turnCancelled();
    if (!this.isBusy || this.#cancelTimer !== undefined || !Number.isFinite(cancelMs)) return;
    this.#cancelTimer = setTimeout(() => this.agent.end("ignored_cancel"), cancelMs);
  }

  get isCancelling(): boolean {
    return this.#cancelTimer !== undefined;
  }

  turnEnded(): void {
    if (this.isBusy) return;
    clearTimeout(this.#cancelTimer);
    this.#cancelTimer = undefined;
    this.#silence?.stop();
    this.#silence = undefined;
    this.usedAt = Date.now();
    this.agent.usageChanged();
  }

  agentEnded(error: JsonObject): void {
    this.#connection = undefined;
    this.#requests.connectionEnded();
    this.#policy?.agentEnded?.();
    if (!this.record.isRunning) return;
    // In version 2, a turn ends with an update.
    const update = { sessionUpdate: "state_update", state: "idle", stopReason: "error", error };
    this.record.isRunning = false;
    this.publish(notificationLine("session/update", { sessionId: this.id, update }));
    this.turnEnded();
  }

  /** Starts the time after which an unused session is forgotten. */
  whenUnused(ms: number, expire: () => void): void {
    this.#idle?.stop();
    this.#idle = Number.isFinite(ms) ? new RestartableTimer(ms, expire) : undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#cancelTimer);
    this.#silence?.stop();
    this.#idle?.stop();
    this.#questions.withdrawAll();
    this.#log?.clear();
    await this.#policy?.close();
  }

  #controllers(): readonly Attachment[] {
    return [...this.#attachments.values()].filter(({ role }) => role === "controller");
  }

  /** Cancels the running turn if no controller is there or may come back. */
  #deserted(): void {
    if (this.#awaited > 0 || this.#controllers().length > 0) return;
    this.#questions.stopWaiting();
    if (!this.isBusy || !this.#connection) return;
    this.#connection.send(notificationLine("session/cancel", { sessionId: this.id }));
    this.cancelling();
    this.agent.usageChanged();
  }

  /** The agent waits for the fastest of its clients. Slower ones read from the log, if there is one. */
  #holdAgent(): void {
    if (this.#isHeld || this.#attachments.size === 0 || !this.#connection) return;
    // A pause stops all sessions of the agent, so one client would hold up all others.
    if (this.#log && this.agent.isShared) return;
    for (const { isFull } of this.#attachments.keys()) if (!isFull) return;
    this.#isHeld = true;
    const resume = this.#connection.pause();
    const clients = [...this.#attachments.keys()];
    void Promise.race(clients.map(({ drained }) => drained)).then(() => {
      this.#isHeld = false;
      resume();
    });
  }

  #observe({ method, params }: AgentNotification): void {
    if (method !== "session/update" || !params) return;
    this.#policy?.update?.(params);
    const wasRunning = this.record.isRunning;
    this.record.observe(objectField(params, "update") ?? {});
    if (this.record.isRunning === wasRunning) return;
    if (wasRunning) {
      this.#emit({ type: "turn_ended", outcome: "idle", ms: Date.now() - this.usedAt });
      this.turnEnded();
    } else {
      this.#emit({ type: "turn_started", by: this.agent.owner });
      this.turnStarted();
    }
  }

  #emit(
    event: DistributiveOmit<
      Extract<HubEvent, { sessionId: string }>,
      "agent" | "owner" | "sessionId"
    >,
  ): void {
    const { name: agent, owner } = this.agent;
    this.agent.emit({ ...event, agent, owner, sessionId: this.id });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The agent of a session, as the session sees it. */
export interface SessionAgent {
  readonly name: string;
  readonly owner: string;
  readonly limits: HubLimits;
  readonly version: number;
  readonly capabilities: JsonObject;
  readonly isShared: boolean;
  readonly current: AgentLink | undefined;
  /** The running process, or the one that is being started. Rejects with RpcError. */
  ready(): AgentLink | Promise<AgentLink>;
  end(cause: AgentEndCause): void;
  emit(event: HubEvent): void;
  /** Closes a session that is not used, where the agent can, and forgets it. */
  discard(sessionId: string): void;
  /** Called when a turn, or the last client of a session, came or went. */
  usageChanged(): void;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** The folders that the parameters of a session name: `cwd` first, then the additional ones. */
export function sessionFolders(params: JsonObject): readonly string[] {
  const cwd = stringField(params, "cwd");
  return [...(cwd === undefined ? [] : [cwd]), ...stringsField(params, "additionalDirectories")];
}

export interface Prompt {
  readonly client: number;
  readonly start: () => void | Promise<void>;
  /** Answers the client. `id` is filled in by the client. */
  readonly reply: (line: (id: string) => string) => void;
}

/** The order of prompts. Those of one client pass as sent: the agent decides. Others wait their turn. */
export class PromptQueue {
  readonly #limit: number;
  /** The prompts that the agent works on. */
  readonly #running = new Set<Pick<Prompt, "client">>();
  #waiting: Prompt[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Starts a prompt, now or later. Answers with an error if too many wait. */
  add(prompt: Prompt): void | Promise<void> {
    const isOwn = [...this.#running].every(({ client }) => client === prompt.client);
    if (isOwn && this.#waiting.length === 0) return prompt.start();
    if (this.#waiting.length >= this.#limit) {
      const error = new RpcError(RpcCode.invalidRequest, "Too many prompts wait for this session");
      return prompt.reply((id) => errorLine(id, error));
    }
    this.#waiting.push(prompt);
  }

  started(prompt: Pick<Prompt, "client">): void {
    this.#running.add(prompt);
  }

  /** Starts the next prompt if the last running one has ended. */
  ended(prompt: Pick<Prompt, "client">): void {
    this.#running.delete(prompt);
    if (this.#running.size === 0) void this.#waiting.shift()?.start();
  }

  /** Answers the waiting prompts of a client as cancelled. Returns whether there were any. */
  cancel(client: number): boolean {
    const own = this.#waiting.filter((prompt) => prompt.client === client);
    this.#waiting = this.#waiting.filter((prompt) => prompt.client !== client);
    for (const { reply } of own) reply((id) => resultLine(id, { stopReason: "cancelled" }));
    return own.length > 0;
  }

  /** Drops the waiting prompts of a client that is gone. */
  drop(client: number): void {
    this.#waiting = this.#waiting.filter((prompt) => prompt.client !== client);
  }
}
