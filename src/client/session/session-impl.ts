import {
  AGENT_METHODS,
  agentHas,
  applyCancel,
  applySetup,
  applyUpdate,
  type AvailableCommand,
  type ContentBlock,
  createSessionState,
  ERROR_CODES,
  mergeToolCall,
  type PlanEntry,
  readConfigOptionsResult,
  readEmptyResult,
  type SessionConfigOption,
  type SessionModeState,
  type SessionSetup,
  type ToolCallPatch,
  type ToolCallState,
  toUpdate,
  type Update,
  type Usage,
} from "../../acp/index.ts";
import { RemoteError } from "../../rpc/index.ts";
import { type AsyncStream, callSafely, quiet, quietly, type QueuedItem } from "../../wire/index.ts";
import { BusyError, CapabilityError, InvalidArgumentError, SessionError } from "../errors.ts";
import type { SessionEvent } from "./events.ts";
import type { ReadPressure } from "../connection/flow.ts";
import type { GateSession } from "../gate/contract.ts";
import { TurnImpl } from "../turn/turn-impl.ts";
import { toPromptBlocks, type PromptContent } from "../turn/prompt-content.ts";
import type { SessionHost } from "./session-host.ts";
import type { PromptOptions, Session } from "./session.ts";
import { TurnRunner } from "../turn/turn-runner.ts";
import type { TurnState } from "../turn/turn-state.ts";
import type { PromptTurn } from "../turn/turn.ts";
import { UpdateReader } from "../turn/update-stream.ts";

/** The folders a session works in: its `cwd` first, then the additional directories. */
export type SessionRoots = readonly [cwd: string, ...additionalDirectories: string[]];

/**
 * Owns a session's state: the result of its updates, its turns, and its readers. Applications see it as
 * a `Session`, the gate as a `GateSession`.
 */
export class SessionImpl implements Session, GateSession {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly roots: SessionRoots;
  /** Receives the updates that arrive before the application gets the session. */
  onReplay: ((update: Update) => void) | undefined;
  readonly #host: SessionHost;
  readonly #state = createSessionState();
  readonly #runner: TurnRunner;
  /** Collects events from the start, and becomes the first reader. */
  readonly #first: UpdateReader<SessionEvent>;
  #firstIsTaken = false;
  #readers: readonly UpdateReader<SessionEvent>[];
  #pressure: ReadPressure = "quiet";
  #closedBy: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(host: SessionHost, id: string, roots: SessionRoots) {
    this.id = id;
    [this.cwd, ...this.additionalDirectories] = roots;
    this.roots = roots;
    this.#host = host;
    this.#runner = new TurnRunner(host, this, {
      emit: (event) => this.#emit({ done: false, value: event, size: 0 }),
      changed: () => this.#updatePressure(),
      cancelled: () => applyCancel(this.#state),
      cancelIgnored: (error) => this.#abandon(error),
    });
    this.#first = this.#newReader();
    this.#readers = [this.#first];
  }

  get closed(): boolean {
    return this.#closedBy !== undefined;
  }

  get modes(): SessionModeState | undefined {
    const { modes, currentModeId } = this.#state;
    if (currentModeId === undefined) return undefined;
    return { availableModes: [...modes], currentModeId };
  }

  get configOptions(): readonly SessionConfigOption[] | undefined {
    return this.#state.configOptions;
  }

  get commands(): readonly AvailableCommand[] {
    return this.#state.commands;
  }

  get plan(): readonly PlanEntry[] {
    return this.#state.plan;
  }

  get toolCalls(): ReadonlyMap<string, ToolCallState> {
    return this.#state.toolCalls;
  }

  get usage(): Usage | undefined {
    return this.#state.usage;
  }

  get title(): string | undefined {
    return this.#state.title;
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

  prompt(content: PromptContent, options: PromptOptions = {}): PromptTurn {
    this.#assertOpen();
    const blocks: ContentBlock[] = toPromptBlocks(content, this.#host.capabilities);
    const whenBusy = options.whenBusy ?? this.#host.whenBusy;
    if (this.#runner.busy && whenBusy === "throw") throw new BusyError(this.id);
    const turn = new TurnImpl(this.#runner, blocks, this.#host.limits, options.meta);
    this.#runner.add(turn, options.signal);
    return turn;
  }

  cancel(): Promise<void> {
    return this.#runner.cancelAll();
  }

  setMode(modeId: string): Promise<void> {
    return quietly(async () => {
      this.#assertOpen();
      const { modes, currentModeId } = this.#state;
      if (currentModeId === undefined) throw new CapabilityError(AGENT_METHODS.setMode, "modes");
      assertKnown("mode", modeId, modes);
      const method = AGENT_METHODS.setMode;
      await this.#host.call(method, { sessionId: this.id, modeId }, (result) => {
        readEmptyResult(method, result);
        this.#state.currentModeId = modeId;
      });
    });
  }

  setConfigOption(configId: string, value: string | boolean): Promise<void> {
    return quietly(async () => {
      this.#assertOpen();
      const method = AGENT_METHODS.setConfigOption;
      const options = this.#state.configOptions;
      if (options === undefined) throw new CapabilityError(method, "configOptions");
      const option = assertKnown("config option", configId, options);
      if ((option.type === "boolean") !== (typeof value === "boolean")) {
        throw new InvalidArgumentError(`the config option "${configId}" is of type ${option.type}`);
      }
      const params =
        typeof value === "boolean"
          ? { sessionId: this.id, configId, type: "boolean", value }
          : { sessionId: this.id, configId, value };
      await this.#host.call(method, params, (result) => {
        this.#state.configOptions = readConfigOptionsResult(result).configOptions;
      });
    });
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

  close(): Promise<void> {
    this.#closing ??= quiet(this.#close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Called by the connection.

  /** Takes one update, in wire order. */
  receive(raw: unknown, size: number): void {
    const update = toUpdate(raw);
    applyUpdate(this.#state, update);
    const item: QueuedItem<Update> = { done: false, value: update, size };
    this.#runner.receive(item);
    this.#emit(item);
    const { onReplay } = this;
    if (onReplay) callSafely(() => onReplay(update));
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
    this.#runner.endAll(error);
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) reader.end(streams === "throw" ? error : undefined);
    this.#updatePressure();
  }

  // Called by the gate.

  get turnSignal(): AbortSignal {
    return this.#runner.signal;
  }

  toolCall(id: string): ToolCallState | undefined {
    return this.#state.toolCalls.get(id);
  }

  noteToolCall(patch: ToolCallPatch): void {
    const { toolCalls } = this.#state;
    toolCalls.set(patch.toolCallId, mergeToolCall(toolCalls.get(patch.toolCallId), patch));
  }

  asking<T>(work: () => Promise<T>): Promise<T> {
    return this.#runner.asking(work);
  }

  #newReader(): UpdateReader<SessionEvent> {
    const reader: UpdateReader<SessionEvent> = new UpdateReader(
      this.#host.limits,
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
      throw new SessionError("session_closed", this.id, { cause: this.#closedBy });
    }
  }

  async #close(): Promise<void> {
    if (this.#closedBy) return;
    await this.#runner.cancelAll();
    if (this.closed) return;
    try {
      if (agentHas(this.#host.capabilities, "sessionCapabilities.close")) await this.#closeRemote();
    } finally {
      this.end(new SessionError("session_closed", this.id), "end");
      await this.#host.forget(this);
    }
  }

  async #closeRemote(): Promise<void> {
    const method = AGENT_METHODS.closeSession;
    try {
      await this.#host.call(method, { sessionId: this.id }, (result) => {
        readEmptyResult(method, result);
      });
    } catch (error) {
      // A session that the agent no longer knows counts as closed.
      if (error instanceof RemoteError && error.code === ERROR_CODES.resourceNotFound) return;
      throw error;
    }
  }

  /** The agent keeps running a cancelled turn, so its updates can no longer be assigned to a turn. */
  #abandon(error: Error): void {
    if (this.#host.closeUnlessShared(this)) return;
    this.end(error, "throw");
    void this.#host.forget(this);
  }
}

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
