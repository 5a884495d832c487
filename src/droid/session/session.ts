import { randomUUID } from "node:crypto";
import {
  type AsyncStream,
  callSafely,
  type JsonObject,
  log,
  objectField,
  toError,
  unlessAborted,
} from "../../base/index.ts";
import {
  Inbox,
  type RemoteError,
  type RequestContext,
  RpcError,
} from "../../transport/rpc/index.ts";
import {
  DroidBusyError,
  DroidError,
  DroidExitedError,
  DroidRequestError,
  UnsupportedByDroidError,
} from "../errors.ts";
import { ObservedTurn } from "../hooks.ts";
import type { SessionHandlers } from "../options.ts";
import type { DroidConnection } from "../process/connection.ts";
import { type DroidPrompt, type DroidPromptOptions, promptParams } from "../protocol/prompt.ts";
import type { TokenUsage } from "../../protocol/acp/index.ts";
import {
  askUserResult,
  CANCEL,
  DECLINED,
  entersNewSession,
  permissionResult,
  readAskUser,
  readDroidPermissionRequest,
} from "../protocol/requests.ts";
import { type DroidSessionInfo, readSessionInfo } from "../protocol/session.ts";
import { type DroidSettings, mergeSettings } from "../protocol/settings.ts";
import type { DroidEvent } from "../turn/events.ts";
import { Translator } from "../turn/translate.ts";
import {
  newTurn,
  step,
  type TrackerOutcome,
  type TrackerSignal,
  type TrackerState,
} from "../turn/turn-tracker.ts";
import { type DroidTurn, TurnStream } from "../turn/turn.ts";
import { SessionTools } from "./session-tools.ts";

/** A turn that has not ended. */
interface ActiveTurn {
  readonly stream: TurnStream;
  readonly options: DroidPromptOptions;
  /** Aborted when the turn is over, because open requests no longer need an answer. */
  readonly over: AbortController;
  state: TrackerState;
  /** The id of the request with the prompt, once it is sent. */
  requestId: string | undefined;
  cancelled: boolean;
  /** Set once the time limit has expired. The turn fails with it, however it ends. */
  timeout: DroidError | undefined;
  structuredOutput: unknown;
  /** Set once the prompt is sent, if there are hooks. */
  observed: ObservedTurn | undefined;
}

/** Gets every event, inside and outside turns; `turnId` names the turn that the event belongs to. */
export type DroidEventListener = (event: DroidEvent, turnId: string | undefined) => void;

const INTERRUPT = "droid.interrupt_session";
/** Last resort: an interrupt that Droid ignores must hold up neither `close` nor a time limit. */
export const INTERRUPT_MS = 1000;
/** Timers can run for at most this long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Harmless, small, and supported by every known version. An error in response would work too. */
const BARRIER = "droid.list_mcp_servers";

/**
 * The state of one Droid session: the running turn, the settings in effect, and its other data.
 *
 * All of it changes in the order of the frames, inside the handlers of the connection. Droid gets one
 * prompt at a time; the others wait until it is idle.
 */
export class DroidSession {
  /** The tools in this process that Droid can call. */
  readonly tools: SessionTools;
  readonly connection: DroidConnection;
  /** What Droid reported when the session was opened, under its current id. */
  info: DroidSessionInfo = readSessionInfo({});
  settings: DroidSettings = this.info.settings;
  title: string | undefined;
  usage: TokenUsage | undefined;
  credits: number | undefined;
  workingState = "idle";
  readonly #handlers: SessionHandlers;
  readonly #translator: Translator;
  readonly #listeners = new Set<DroidEventListener>();
  readonly #readers = new Set<Inbox<DroidEvent>>();
  /** The turn Droid works on. `#turns` contains it and the turns whose prompts wait, in order. */
  #active: ActiveTurn | undefined;
  readonly #turns: ActiveTurn[] = [];
  #prompts: Promise<void> = Promise.resolve();
  #idleWaiters: (() => void)[] = [];
  #frameSize = 0;
  /** A plan was approved into a new session, so the next new session id on a frame is its id. */
  #expectsNewSession = false;
  /** The last turn was cancelled before Droid started it, and may still start. */
  #mayStartLate = false;
  #closing = false;

  constructor(connection: DroidConnection, handlers: SessionHandlers) {
    this.connection = connection;
    this.tools = new SessionTools(connection);
    this.#handlers = handlers;
    this.#translator = new Translator((event) => this.#emit(event));
    connection.handlers = {
      notification: (notification, sessionId, size) =>
        this.#onNotification(notification, sessionId, size),
      request: (method, params, context) => this.#onRequest(method, params, context),
      lateError: (requestId, error) => this.#lateError(requestId, error),
    };
    void connection.closed.then((reason) => {
      this.#closing = true;
      // Including those that are still waiting.
      for (const turn of this.#turns.slice())
        this.#finish(turn, new DroidExitedError(reason, "turn"));
      this.#releaseIdleWaiters();
    });
  }

  /** Takes over a started or loaded session. Must be called in the order of the frames. */
  adopt(info: DroidSessionInfo): DroidSessionInfo {
    this.info = info;
    this.settings = info.settings;
    this.title = info.title;
    this.usage = info.usage;
    this.credits = info.credits;
    return info;
  }

  onEvent(listener: DroidEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  updates(): AsyncStream<DroidEvent> {
    const inbox = new Inbox<DroidEvent>(
      () => this.connection.hold(),
      {},
      () => this.#readers.delete(inbox),
    );
    this.#readers.add(inbox);
    void this.connection.closed.then((reason) => {
      this.#readers.delete(inbox);
      inbox.end(reason.kind === "closed" ? undefined : new DroidExitedError(reason, "updates"));
    });
    return inbox;
  }

  prompt(input: DroidPrompt, options: DroidPromptOptions): DroidTurn {
    const id = options.messageId ?? randomUUID();
    const stream = new TurnStream(
      id,
      () => this.connection.hold(),
      () => this.#cancel(turn),
    );
    const turn: ActiveTurn = {
      stream,
      options,
      over: new AbortController(),
      state: newTurn(id, undefined),
      requestId: undefined,
      cancelled: false,
      timeout: undefined,
      structuredOutput: undefined,
      observed: undefined,
    };
    if (this.#turns.length > 0 && options.whenBusy !== "wait") {
      stream.fail(new DroidBusyError(this.info.sessionId));
      return stream;
    }
    this.#turns.push(turn);
    const { signal } = options;
    if (signal) {
      const cancel = (): void => this.#cancel(turn);
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true, signal: turn.over.signal });
    }
    this.#limit(turn);
    this.#prompts = this.#prompts.then(() => this.#run(turn, input));
    return stream;
  }

  /**
   * Cancels the running turn and those that wait. Resolves when they are over; without a turn, when
   * Droid has confirmed the interrupt. Never rejects.
   */
  async cancel(): Promise<void> {
    if (this.#turns.length > 0)
      await Promise.all(this.#turns.slice().map(({ stream }) => stream.cancel()));
    else await this.#interrupt().catch(() => {});
  }

  /** Accepts no more prompts and interrupts the running turn. Resolves when Droid is idle. */
  async stop(): Promise<void> {
    this.#closing = true;
    if (this.#active || this.workingState !== "idle") {
      await this.cancel();
      await this.#untilIdle();
    }
  }

  #interrupt(): Promise<void> {
    return this.connection.call(INTERRUPT, {}, { accept: () => {}, atOnce: true });
  }

  /** Starts the time limit of a turn, if it has one. */
  #limit(turn: ActiveTurn): void {
    const { timeoutMs = 0 } = turn.options;
    if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) return;
    const expire = (): void => {
      const message = `the turn took longer than ${timeoutMs} ms`;
      const timeout = new DroidError("timeout", message);
      turn.timeout = timeout;
      timer = setTimeout(() => turn.stream.fail(timeout), INTERRUPT_MS);
      this.#cancel(turn);
    };
    let timer = setTimeout(expire, timeoutMs);
    turn.over.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  }

  /** Never rejects: the turn reports every error. */
  async #run(turn: ActiveTurn, input: DroidPrompt): Promise<void> {
    const { stream, options } = turn;
    await this.#untilIdle();
    // The turn was cancelled while it waited.
    if (!this.#turns.includes(turn)) return;
    if (this.#closing)
      return this.#finish(turn, new DroidError("closed", "the Droid client is closed"));
    const { capabilities, version } = this.connection;
    if (options.outputSchema && !capabilities.structuredOutput)
      return this.#finish(turn, new UnsupportedByDroidError("structured output", version));
    turn.state = newTurn(stream.id, capabilities.completesTurns);
    this.#active = turn;
    this.#translator.startTurn();
    turn.observed = this.#observe(stream.id);
    const params = promptParams(input, stream.id, options.outputSchema);
    try {
      await this.connection.call("droid.add_user_message", params, {
        onSent: (requestId) => {
          turn.requestId = requestId;
        },
        accept: () => {
          this.#signal(turn, { type: "accepted" });
          if (turn.cancelled) this.#sendInterrupt(turn);
        },
      });
    } catch (error) {
      this.#finish(turn, toError(error));
    }
    await stream.result.catch(() => {});
  }

  /**
   * Resolves when Droid can take a prompt: when it is idle, or when it has answered a request. Its
   * state may never return to idle, but after that answer nothing more follows for the last turn.
   */
  async #untilIdle(): Promise<void> {
    if (this.workingState === "idle" || this.#closing) return;
    await new Promise<void>((resolve) => {
      this.#idleWaiters.push(resolve);
      this.connection.call(BARRIER, {}, { accept: () => resolve() }).catch(() => resolve());
    });
  }

  #cancel(turn: ActiveTurn): void {
    if (turn.cancelled) return;
    turn.cancelled = true;
    turn.stream.flow();
    if (turn === this.#active) this.tools.cancelCalls(turn.stream.result);
    if (turn !== this.#active)
      return this.#finish(turn, { stopReason: "cancelled", failure: undefined, spent: undefined });
    // An interrupt before Droid has accepted the prompt would not reach it, so it is sent afterwards.
    if (turn.state.accepted) this.#sendInterrupt(turn);
  }

  #sendInterrupt(turn: ActiveTurn): void {
    this.#signal(turn, { type: "interrupting" });
    this.connection
      .call(
        INTERRUPT,
        {},
        {
          atOnce: true,
          accept: () => this.#signal(turn, { type: "interrupted" }),
        },
      )
      .catch((error: unknown) => {
        log(this.#handlers.logger, "warn", "could not interrupt Droid", { error });
      });
  }

  #signal(turn: ActiveTurn, signal: TrackerSignal): void {
    const { state, action } = step(turn.state, signal);
    turn.state = state;
    switch (action) {
      case "none":
        return;
      case "end":
        if (state.outcome) this.#finish(turn, state.outcome);
        return;
      case "send-barrier": {
        const passed = (): void => this.#signal(turn, { type: "barrier" });
        this.connection.call(BARRIER, {}, { accept: passed }).catch(passed);
        return;
      }
      case "interrupt-again":
        this.#sendInterrupt(turn);
    }
  }

  #finish(turn: ActiveTurn, end: TrackerOutcome | Error): void {
    const outcome = turn.timeout ?? end;
    const index = this.#turns.indexOf(turn);
    if (index === -1) return;
    this.#turns.splice(index, 1);
    if (this.#active === turn) {
      this.#active = undefined;
      this.#mayStartLate = turn.cancelled && !turn.state.started;
    }
    turn.over.abort();
    if (outcome instanceof Error) {
      turn.observed?.end(outcome);
      return turn.stream.fail(outcome);
    }
    const { stopReason, failure, spent } = outcome;
    const result = {
      stopReason,
      failure,
      usage: spent?.usage,
      credits: spent?.credits,
      messageId: turn.state.turnIds.at(-1) ?? turn.stream.id,
      sessionUsage: this.usage,
      sessionId: this.info.sessionId,
    };
    turn.observed?.end(result);
    turn.stream.end({ ...result, structuredOutput: turn.structuredOutput });
  }

  #observe(turnId: string): ObservedTurn | undefined {
    const { hooks } = this.#handlers;
    if (!hooks) return undefined;
    const { sessionId } = this.info;
    const { model } = this.settings;
    return new ObservedTurn(hooks, { turnId, sessionId, model, version: this.connection.version });
  }

  #lateError(requestId: string, error: RemoteError): void {
    const turn = this.#active;
    if (!turn?.state.accepted || turn.requestId !== requestId) return;
    this.#finish(turn, new DroidRequestError("droid.add_user_message", error));
  }

  #onNotification(notification: JsonObject, sessionId: string | undefined, size: number): void {
    this.#frameSize = size;
    if (this.#expectsNewSession && sessionId !== undefined) this.#enterSession(sessionId);
    if (notification["type"] === "settings_updated") return this.#settingsUpdated(notification);
    const turn = this.#active;
    const signal = this.#translator.translate(notification, turn?.requestId);
    if (!signal) return;
    if (signal.type === "state") {
      this.workingState = signal.state;
      if (signal.state === "idle") this.#releaseIdleWaiters();
    }
    if (turn) this.#signal(turn, signal);
    else if (signal.type === "state" && signal.state !== "idle") this.#onUnexpectedWork();
  }

  #releaseIdleWaiters(): void {
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Interrupts a turn that was cancelled before Droid started it but starts nevertheless. */
  #onUnexpectedWork(): void {
    if (!this.#mayStartLate) return;
    this.#mayStartLate = false;
    this.#interrupt().catch(() => {});
  }

  #settingsUpdated(notification: JsonObject): void {
    this.settings = mergeSettings(this.settings, objectField(notification, "settings") ?? {});
    this.#emit({ type: "settings", settings: this.settings });
  }

  #enterSession(sessionId: string): void {
    if (sessionId === this.info.sessionId) return;
    this.#expectsNewSession = false;
    this.info = { ...this.info, sessionId };
    this.#emit({ type: "notice", kind: "session", sessionId });
  }

  #emit(event: DroidEvent): void {
    if (event.type !== "text" && event.type !== "thinking") this.#remember(event);
    const turn = this.#active;
    turn?.observed?.event(event);
    turn?.stream.push(event, this.#frameSize);
    for (const reader of this.#readers) reader.push(event, this.#frameSize);
    for (const listener of this.#listeners) callSafely(() => listener(event, turn?.stream.id));
  }

  #remember(event: DroidEvent): void {
    if (event.type === "usage") {
      this.usage = event.usage;
      this.credits = event.credits;
    } else if (event.type === "title") this.title = event.title;
    else if (event.type === "structured_output" && this.#active)
      this.#active.structuredOutput = event.value;
  }

  /**
   * Always returns a valid answer: if there is no handler, or it fails, or its answer is not valid, the
   * answer is a denial. Without one, Droid would wait forever. Rejects with an RpcError for an unknown
   * method.
   */
  async #onRequest(method: string, params: unknown, context: RequestContext): Promise<JsonObject> {
    const turn = this.#active;
    const signal = turn ? AbortSignal.any([context.signal, turn.over.signal]) : context.signal;
    const id = String(context.id);
    switch (method) {
      case "droid.request_permission": {
        const request = readDroidPermissionRequest(id, params);
        const handler = turn?.options.onPermission ?? this.#handlers.onPermission;
        const ask =
          handler && (async () => permissionResult(request, await handler(request, { signal })));
        const result = await this.#answerOrDeny(method, CANCEL, signal, ask);
        // Only later frames contain the id of the new session.
        if (entersNewSession(result)) this.#expectsNewSession = true;
        return result;
      }
      case "droid.ask_user": {
        const request = readAskUser(id, params);
        const handler = turn?.options.onAskUser ?? this.#handlers.onAskUser;
        const ask =
          handler && (async () => askUserResult(request, await handler(request, { signal })));
        return this.#answerOrDeny(method, DECLINED, signal, ask);
      }
      default:
        throw RpcError.methodNotFound(method);
    }
  }

  async #answerOrDeny(
    method: string,
    denial: JsonObject,
    signal: AbortSignal,
    ask: (() => Promise<JsonObject | undefined>) | undefined,
  ): Promise<JsonObject> {
    const deny = (why: string, error?: unknown): JsonObject => {
      log(this.#handlers.logger, "warn", `denied ${method}: ${why}`, { error });
      return denial;
    };
    if (!ask) return deny("no handler is set");
    try {
      const result = await unlessAborted(ask(), signal);
      return result ?? deny("the handler's answer is not valid");
    } catch (error) {
      return deny(signal.aborted ? "the answer is no longer needed" : "the handler failed", error);
    }
  }
}
