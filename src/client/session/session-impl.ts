import {
  AGENT_METHODS,
  agentHas,
  applyCancel,
  applySetup,
  applyUpdate,
  type ContentBlock,
  createSessionState,
  ERROR_CODES,
  mergeToolCall,
  type Meta,
  metaField,
  readConfigOptionsResult,
  readEmptyResult,
  type RequestOptions,
  type SessionSetup,
  type SessionStatus,
  type ToolCallPatch,
  type ToolCallState,
  toUpdate,
  type Update,
  type BackgroundWork,
} from "../../protocol/acp/index.ts";
import { ConnectionError, RemoteError } from "../../transport/rpc/index.ts";
import type { OpenToolServer } from "../../tools/index.ts";
import {
  type AsyncStream,
  callSafely,
  deferred,
  type OptionNames,
  type QueuedItem,
  quiet,
  quietly,
  toError,
  unlessAborted,
} from "../../base/index.ts";
import type { LifecycleState } from "../../transport/wire/index.ts";
import { assertOptions } from "../assert-options.ts";
import { BusyError, CapabilityError, InvalidArgumentError, SessionError } from "../errors.ts";
import type {
  CancelOptions,
  ExtensionEvent,
  PromptOptions,
  PromptTurn,
  Session,
  SessionEvent,
  Subagent,
  TurnState,
  WhenBusy,
} from "./session.ts";
import { assertTimeout } from "../connection/timeouts.ts";
import type { ReadPressure } from "../connection/flow.ts";
import type { GateSession, SessionAccess } from "../gate/access.ts";
import { TurnImpl } from "../turn/turn-impl.ts";
import { type PromptContent, toPromptBlocks } from "../turn/prompt-content.ts";
import type { HostedSession, SessionHost } from "./session-host.ts";
import { TurnRunner } from "../turn/turn-runner.ts";
import { type BufferLimits, UpdateReader } from "../turn/update-stream.ts";
import { cancelOne, sessionStatus, setSessionTitle } from "../calls.ts";
import { assertValue } from "./config-options.ts";

/** The folders a session works in: its `cwd` first, then the additional directories. */
export type SessionRoots = readonly [cwd: string, ...additionalDirectories: string[]];

const PROMPT_OPTIONS: OptionNames<PromptOptions> = {
  whenBusy: true,
  timeoutMs: true,
  signal: true,
  meta: true,
};

/**
 * Owns a session's state: the result of its updates, its turns, and its readers. Applications see it as
 * a `Session`, the gate as a `GateSession`.
 */
export class SessionImpl implements Session, GateSession, HostedSession {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly roots: SessionRoots;
  readonly access: SessionAccess;
  /** Receives the updates that arrive before the application gets the session. */
  onReplay: ((update: Update) => void) | undefined;
  toolServers: readonly OpenToolServer[] = [];
  readonly #host: SessionHost;
  readonly #limits: BufferLimits;
  readonly #unstable: boolean;
  readonly #isV2: boolean;
  readonly #state = createSessionState();
  readonly #runner: TurnRunner;
  /** Collects events from the start, and becomes the first reader. */
  readonly #first: UpdateReader<SessionEvent>;
  #firstIsTaken = false;
  #readers: readonly UpdateReader<SessionEvent>[];
  #pressure: ReadPressure = "quiet";
  readonly #finished = deferred<Error>();
  #closedBy: Error | undefined;
  #closing: Promise<void> | undefined;
  #isFinished = false;
  readonly #ending = new AbortController();

  constructor(
    host: SessionHost,
    id: string,
    roots: SessionRoots,
    access: SessionAccess,
    limits: BufferLimits = host.limits,
  ) {
    this.id = id;
    [this.cwd, ...this.additionalDirectories] = roots;
    this.roots = roots;
    this.access = access;
    this.#host = host;
    this.#limits = limits;
    this.#unstable = host.unstable;
    this.#isV2 = host.protocolVersion === 2;
    this.#runner = new TurnRunner(host, this, {
      emit: (event) => this.#emit({ done: false, value: event, size: 0 }),
      changed: () => this.#updatePressure(),
      cancelled: () => {
        applyCancel(this.#state);
        const ended = this.#runner.running?.ended;
        for (const server of this.toolServers) server.cancelCalls(ended);
      },
      cancelIgnored: (error) => this.#abandon(error),
    });
    this.#first = this.#newReader();
    this.#readers = [this.#first];
  }

  get state(): LifecycleState {
    if (this.#isFinished) return "closed";
    return this.ended || this.#closing || this.#host.state !== "open" ? "closing" : "open";
  }

  get closed(): Promise<Error> {
    return this.#finished.promise;
  }

  /** True once the session takes part in nothing anymore. */
  get ended(): boolean {
    return this.#closedBy !== undefined;
  }

  get turnState(): TurnState {
    return this.#runner.state;
  }

  get turn(): PromptTurn | undefined {
    return this.#runner.running;
  }

  get dropped(): number {
    return this.#first.dropped;
  }

  get modes(): Session["modes"] {
    const { modes, currentModeId, modesMeta } = this.#state;
    if (currentModeId === undefined) return undefined;
    return { ...metaField(modesMeta), availableModes: [...modes], currentModeId };
  }

  get meta(): Session["meta"] {
    return this.#state.meta;
  }

  get configOptions(): Session["configOptions"] {
    return this.#state.configOptions;
  }

  get commands(): Session["commands"] {
    return this.#state.commands;
  }

  get plan(): Session["plan"] {
    return this.#state.plan;
  }

  get toolCalls(): Session["toolCalls"] {
    return this.#state.toolCalls;
  }

  get contextUsage(): Session["contextUsage"] {
    return this.#state.contextUsage;
  }

  get cost(): Session["cost"] {
    return this.#state.cost;
  }

  get title(): Session["title"] {
    return this.#state.title;
  }

  get plans(): Session["plans"] {
    return this.#state.plans;
  }

  get subagents(): Session["subagents"] {
    return this.#state.subagents;
  }

  get sessionMessages(): Session["sessionMessages"] {
    return this.#state.sessionMessages;
  }

  get activity(): Session["activity"] {
    return this.#state.activity;
  }

  get background(): Session["background"] {
    return this.#state.background;
  }

  get terminals(): Session["terminals"] {
    return this.#state.terminals;
  }

  prompt(content: PromptContent, options: PromptOptions = {}): PromptTurn {
    const newTurn = (blocks: ContentBlock[], given: PromptOptions): TurnImpl =>
      new TurnImpl(this.#runner, blocks, this.#host.limits, given);
    try {
      this.assertPrompt(options);
      const turn = newTurn(toPromptBlocks(content, this.#host.capabilities), options);
      this.#runner.add(turn, options.signal, this.#whenBusy(options));
      return turn;
    } catch (error) {
      const turn = newTurn([], {});
      turn.fail(toError(error));
      return turn;
    }
  }

  /** Throws the error that a prompt rejects with when nothing can be sent. */
  protected assertPrompt(options: PromptOptions): void {
    assertOptions(options, PROMPT_OPTIONS, "prompt");
    this.#assertOpen();
    const whenBusy = this.#whenBusy(options);
    if (this.#runner.busy && whenBusy === "reject") throw new BusyError(this.id);
    if (whenBusy === "send" && !this.#isV2) {
      throw new CapabilityError("whenBusy: send", "session", "the agent speaks version 1");
    }
    assertTimeout("timeoutMs", options.timeoutMs);
  }

  #whenBusy({ whenBusy }: PromptOptions): WhenBusy {
    return whenBusy ?? this.#host.whenBusy;
  }

  async cancel({ signal, meta }: CancelOptions = {}): Promise<void> {
    const { activity = "idle" } = this.#state;
    const ended = this.#runner.cancelAll(meta, activity !== "idle");
    await (signal ? unlessAborted(ended, signal).catch(() => {}) : ended);
  }

  setMode(modeId: string, options: RequestOptions = {}): Promise<void> {
    return quietly(async () => {
      this.#assertOpen();
      const { modes, currentModeId } = this.#state;
      if (currentModeId === undefined) throw new CapabilityError(AGENT_METHODS.setMode, "modes");
      assertKnown("mode", modeId, modes);
      const method = AGENT_METHODS.setMode;
      const accept = (result: unknown): void => {
        readEmptyResult(method, result);
        this.#state.currentModeId = modeId;
      };
      await this.#host.call(method, { sessionId: this.id, modeId }, accept, options);
    });
  }

  setConfigOption(
    configId: string,
    value: string | boolean,
    options: RequestOptions = {},
  ): Promise<void> {
    return quietly(async () => {
      this.#assertOpen();
      const method = AGENT_METHODS.setConfigOption;
      const known = this.#state.configOptions;
      if (known === undefined) throw new CapabilityError(method, "configOptions");
      assertValue(assertKnown("config option", configId, known), value);
      const params =
        typeof value === "boolean"
          ? { sessionId: this.id, configId, type: "boolean", value }
          : { sessionId: this.id, configId, value };
      const accept = (result: unknown): void => {
        this.#state.configOptions = readConfigOptionsResult(result).configOptions;
      };
      await this.#host.call(method, params, accept, options);
    });
  }

  cancelToolCall(toolCallId: string, options: RequestOptions = {}): Promise<void> {
    const ids = { sessionId: this.id, toolCallId };
    const known = this.toolCall(toolCallId);
    return quietly(() => cancelOne(this.#host, "tool_call/cancel", ids, known, options));
  }

  cancelTerminal(terminalId: string, options: RequestOptions = {}): Promise<void> {
    const ids = { sessionId: this.id, terminalId };
    const known = this.terminals.get(terminalId);
    return quietly(() => cancelOne(this.#host, "terminal/cancel", ids, known, options));
  }

  setTitle(title: string, options: RequestOptions = {}): Promise<string> {
    return quietly(async () => {
      this.#assertOpen();
      const accepted = (stored: string): void => {
        this.#state.title = stored;
      };
      return await setSessionTitle(this.#host, this.id, title, accepted, options);
    });
  }

  status(options: RequestOptions = {}): Promise<SessionStatus> {
    return quietly(async () => {
      this.#assertOpen();
      return await sessionStatus(this.#host, this.id, options);
    });
  }

  subagent(id: string): Subagent {
    return this.#host.subagents.find(this.id, id);
  }

  updates(): AsyncStream<SessionEvent> {
    this.#assertOpen();
    if (!this.#firstIsTaken) {
      this.#firstIsTaken = true;
      return this.#first;
    }
    const reader = this.#newReader();
    this.#readers = [...this.#readers, reader];
    return reader;
  }

  close(options: RequestOptions = {}): Promise<void> {
    this.#closing ??= quiet(this.#close(options));
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Called by the connection.

  /** Takes one update, in wire order. */
  receive(raw: unknown, size: number, meta: Meta | undefined): void {
    const update = toUpdate(raw, meta, this.#unstable, this.#isV2);
    applyUpdate(this.#state, update);
    if (update.type === "subagent_update") this.#host.subagents.announce(this.id, update.sessionId);
    const item: QueuedItem<Update> = { done: false, value: update, size };
    this.#runner.receive(item);
    this.#emit(item);
    const { onReplay } = this;
    if (onReplay) callSafely(() => onReplay(update));
  }

  /** Takes a message outside the protocol that nothing handled, in wire order. */
  receiveExtension(event: ExtensionEvent, size: number): void {
    this.#emit({ done: false, value: event, size });
  }

  /** Takes the answer that created or opened the session, in wire order. */
  setUp(setup: SessionSetup): void {
    applySetup(this.#state, setup);
  }

  /** Records that a request from the agent for this session is being served, or no longer is. */
  serving(active: boolean): void {
    this.#runner.serving(active);
  }

  /** Called when reading resumes after a hold. This side caused the silence, so it does not count. */
  readingResumed(): void {
    this.#runner.touch();
  }

  get hasTurn(): boolean {
    return this.#runner.running !== undefined;
  }

  /** Ends the session. Turns fail with `error`; streams throw it, or just end. */
  end(error: Error, streams: "throw" | "end"): void {
    if (this.#closedBy) return;
    this.#closedBy = error;
    this.#ending.abort(error);
    this.#runner.endAll(error);
    for (const server of this.toolServers) void server.close();
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) reader.end(streams === "throw" ? error : undefined);
    this.#updatePressure();
  }

  finish(): void {
    this.#isFinished = true;
    this.#finished.resolve(this.#closedBy ?? new SessionError("closed", this.id));
  }

  // Called by the gate.

  toolCall(id: string): ToolCallState | undefined {
    return this.#state.toolCalls.get(id);
  }

  noteToolCall(patch: ToolCallPatch): void {
    const { toolCalls } = this.#state;
    toolCalls.set(patch.toolCallId, mergeToolCall(toolCalls.get(patch.toolCallId), patch));
  }

  get turnSignal(): AbortSignal {
    return this.#runner.signal;
  }

  signalFor(ids: readonly unknown[]): AbortSignal {
    return isInBackground(this.#state.background, ids) ? this.#ending.signal : this.turnSignal;
  }

  asking<T>(work: () => Promise<T>): Promise<T> {
    return this.#runner.asking(work);
  }

  #newReader(): UpdateReader<SessionEvent> {
    const reader: UpdateReader<SessionEvent> = new UpdateReader(
      this.#limits,
      () => this.#updatePressure(),
      () => {
        this.#readers = this.#readers.filter((other) => other !== reader);
        this.#updatePressure();
      },
    );
    return reader;
  }

  #emit(item: QueuedItem<SessionEvent>): void {
    for (const reader of this.#readers) reader.push(item);
  }

  #updatePressure(): void {
    const pressure = this.#currentPressure();
    this.#host.flow.move(this.#pressure, pressure);
    this.#pressure = pressure;
  }

  #currentPressure(): ReadPressure {
    const turn = this.#runner.running;
    if (turn?.mustFlow) return "waiting";
    if (turn?.reader.behind || this.#readers.some((reader) => reader.behind)) return "behind";
    return turn ? "waiting" : "quiet";
  }

  #assertOpen(): void {
    if (this.#closedBy) {
      throw new SessionError("closed", this.id, { cause: this.#closedBy });
    }
  }

  async #close(options: RequestOptions): Promise<void> {
    if (this.#closedBy) return;
    await this.cancel({ signal: options.signal });
    if (this.ended) return;
    try {
      if (agentHas(this.#host.capabilities, "sessionCapabilities.close")) {
        await this.#closeRemote(options);
      }
    } finally {
      this.end(new SessionError("closed", this.id), "end");
      await this.#host.forget(this);
    }
  }

  async #closeRemote(options: RequestOptions): Promise<void> {
    const method = AGENT_METHODS.closeSession;
    const accept = (result: unknown): void => void readEmptyResult(method, result);
    try {
      await this.#host.call(method, { sessionId: this.id }, accept, options);
    } catch (error) {
      // A session that the agent no longer knows counts as closed, and so does that of an agent that is
      // gone.
      if (error instanceof ConnectionError) return;
      if (error instanceof RemoteError && error.rpcCode === ERROR_CODES.resourceNotFound) return;
      throw error;
    }
  }

  /** The agent keeps running a cancelled turn, so its updates can no longer be assigned to a turn. */
  #abandon(error: Error): void {
    if (this.#host.cancelIgnored(this)) return;
    this.end(error, "throw");
    void this.#host.forget(this);
  }
}

/** The entry with this id. Throws InvalidArgumentError with the ids that the agent offers. */
function assertKnown<T extends { readonly id: string }>(
  what: string,
  id: string,
  known: readonly T[],
): T {
  const found = known.find((candidate) => candidate.id === id);
  if (found) return found;
  const ids = known.map((candidate) => candidate.id).join(", ");
  throw new InvalidArgumentError(`unknown ${what} "${id}"; the agent offers: ${ids}`);
}

/** Pure: whether one of the ids names background work. */
function isInBackground(
  background: readonly BackgroundWork[] | undefined,
  ids: readonly unknown[],
): boolean {
  return (background ?? []).some((work) => {
    if (work.type === "unknown") return false;
    return ids.includes(work.type === "terminal" ? work.terminalId : work.toolCallId);
  });
}
