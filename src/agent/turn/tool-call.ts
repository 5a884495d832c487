import {
  type Meta,
  metaField,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallStatus,
  type ToolKind,
} from "../../protocol/acp/index.ts";
import { definedFields, quietly, randomId } from "../../base/index.ts";
import { TurnCancelledError } from "../errors.ts";
import { AuthorReport, type ReportedTerminal, type TerminalReport } from "./terminals.ts";
import type { SessionWork } from "../v2/session-work.ts";
import type { TurnScope } from "./turn-scope.ts";
import { type PermissionAnswer, type PermissionQuestion, requestPermission } from "./questions.ts";

/** The details of a tool call. In an update, each given field replaces the earlier value. */
export interface ToolCallDetails {
  readonly title?: string | undefined;
  /** The tool's programmatic name. */
  readonly name?: string | undefined;
  /** The kind of tool, which clients choose an icon and permissions by. */
  readonly kind?: ToolKind | undefined;
  /** How far the call is. */
  readonly status?: ToolCallStatus | undefined;
  /** The content that the tool produced: text, diffs and terminals. */
  readonly content?: readonly ToolCallContent[] | undefined;
  /** The files that the tool works on. */
  readonly locations?: readonly ToolCallLocation[] | undefined;
  /** The input of the tool. */
  readonly rawInput?: unknown;
  /** The output of the tool. */
  readonly rawOutput?: unknown;
  /** Sent as the `_meta` of the update. */
  readonly meta?: Meta | undefined;
}

/** A new tool call. */
export interface ToolCallStart extends ToolCallDetails {
  readonly title: string;
  /** Default: a random UUID. */
  readonly toolCallId?: string | undefined;
  /**
   * Whether it goes on after the turn, until the author settles it or the session closes. A cancelled
   * turn does not end it. Clients of v2 see it in the list of background work. Default: false.
   */
  readonly background?: boolean | undefined;
  /**
   * Whether the client may cancel this call alone; its `signal` is then aborted. Clients of v1 cannot.
   * Default: false.
   */
  readonly canCancel?: boolean | undefined;
}

/**
 * One tool call of a turn. Its methods resolve and reject like those of the turn.
 *
 * A call that is still open when the turn ends is settled: it is cancelled if the turn or the call was,
 * and fails if the turn failed, if it was denied, or if it is still `pending` and was never allowed.
 * Otherwise it completes. Background work is not settled by the turn.
 */
export interface ToolCallHandle {
  readonly id: string;
  /** Whether it has completed, failed or was cancelled. */
  readonly settled: boolean;
  /** Aborted when the client cancels the call, when the turn is cancelled or the session closes. */
  readonly signal: AbortSignal;
  /** Changes the given fields and keeps the others. A list replaces the earlier list. */
  update(details: ToolCallDetails): Promise<void>;
  /** Reports that it is running. */
  progress(details?: ToolCallDetails): Promise<void>;
  /** Reports that it has completed. */
  complete(details?: ToolCallDetails): Promise<void>;
  /** Reports that it has failed. */
  fail(details?: ToolCallDetails): Promise<void>;
  /** Reports that it was cancelled. v1 has no such status; its clients see that it has failed. */
  cancel(details?: ToolCallDetails): Promise<void>;
  /** Reports a terminal and shows it in this call, after its other content. */
  reportTerminal(start: TerminalReport): Promise<ReportedTerminal>;
  /**
   * Asks for permission to run it; the client sees all its details. Resolves with outcome
   * `cancelled` if the turn is cancelled. Rejects with RemoteError, ConnectionError, or
   * ProtocolViolation for an invalid answer.
   */
  askPermission(question?: PermissionQuestion): Promise<PermissionAnswer>;
}

interface CallHost {
  readonly scope: TurnScope;
  readonly work: SessionWork;
  readonly cwd: string;
}

class AuthorToolCall implements ToolCallHandle {
  readonly id: string;
  readonly #host: CallHost;
  readonly #scope: TurnScope;
  readonly #canCancel: boolean;
  readonly #controller = new AbortController();
  #signal: AbortSignal | undefined;
  #details: ToolCallDetails;
  #wasCancelled = false;
  readonly #reports: AuthorReport[] = [];
  /** Whether the client allowed it; undefined if it was not asked since the last change of status. */
  #allowed: boolean | undefined;

  constructor(host: CallHost, id: string, details: ToolCallDetails, canCancel: boolean) {
    this.#host = host;
    this.#scope = host.scope;
    this.id = id;
    this.#details = details;
    this.#canCancel = canCancel;
    if (canCancel) host.work.allowCancel(this.item, () => this.#controller.abort());
  }

  get item(): { readonly type: "tool_call"; readonly toolCallId: string } {
    return { type: "tool_call", toolCallId: this.id };
  }

  get settled(): boolean {
    const { status } = this.#details;
    return this.#wasCancelled || status === "completed" || status === "failed";
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#scope.signal, this.#controller.signal]);
    return this.#signal;
  }

  announce(title: string): Promise<void> {
    const controls = this.#canCancel && this.#isV2 ? { capabilities: { cancel: {} } } : {};
    const details = { ...toWire(this.#details), ...controls };
    return this.#scope.stream({
      sessionUpdate: "tool_call",
      toolCallId: this.id,
      ...details,
      title,
    });
  }

  update(details: ToolCallDetails): Promise<void> {
    this.#details = { ...this.#details, ...definedFields(details) };
    if (details.status !== undefined) this.#allowed = undefined;
    const sent = this.#scope.send({
      sessionUpdate: "tool_call_update",
      toolCallId: this.id,
      ...this.#toSend(details),
    });
    if (this.settled) this.#host.work.ended(this.item);
    return sent;
  }

  progress(details: ToolCallDetails = {}): Promise<void> {
    return this.#change("in_progress", details);
  }

  complete(details: ToolCallDetails = {}): Promise<void> {
    return this.#change("completed", details);
  }

  fail(details: ToolCallDetails = {}): Promise<void> {
    return this.#change("failed", details);
  }

  cancel(details: ToolCallDetails = {}): Promise<void> {
    if (!this.#isV2) return this.fail(details);
    this.#wasCancelled = true;
    const { status: _, ...rest } = { ...this.#toSend(details) };
    const sent = this.#scope.send({
      sessionUpdate: "tool_call_update",
      toolCallId: this.id,
      ...rest,
      status: "cancelled",
    });
    this.#host.work.ended(this.item);
    return sent;
  }

  reportTerminal(start: TerminalReport): Promise<ReportedTerminal> {
    return quietly(async () => {
      const { scope, work, cwd } = this.#host;
      const lifetime = start.background === true ? scope.lasting(work.signal) : scope;
      const refresh = (): Promise<void> => this.update({ content: this.#details.content ?? [] });
      const terminal = new AuthorReport(lifetime, work, start.terminalId, refresh);
      await terminal.open(start, start.cwd ?? cwd);
      this.#reports.push(terminal);
      await refresh();
      return terminal;
    });
  }

  askPermission(question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    return quietly(async () => {
      const toolCall = { toolCallId: this.id, ...toWire(this.#details) };
      const answer = await requestPermission(this.#scope, toolCall, question);
      this.#allowed = answer.allowed;
      return answer;
    });
  }

  /** Settles the call if it is open: the turn ends. */
  settle(ended: TurnOutcome): void {
    for (const terminal of this.#reports) void terminal.exit();
    if (this.settled) return;
    if (ended === "cancelled" || this.#controller.signal.aborted) return void this.cancel();
    const hasRun = this.#allowed ?? this.#details.status !== "pending";
    void (hasRun && ended !== "failed" ? this.complete() : this.fail());
  }

  get #isV2(): boolean {
    return this.#scope.link.protocolVersion === 2;
  }

  #change(status: ToolCallStatus, details: ToolCallDetails): Promise<void> {
    return this.update({ status, ...definedFields(details) });
  }

  /** The given details, with the terminals after the content. A settled call has no controls anymore. */
  #toSend(details: ToolCallDetails) {
    const { content } = details;
    const all = content && [...content, ...this.#reports.map((terminal) => terminal.content)];
    const controls = this.settled && this.#canCancel && this.#isV2 ? { capabilities: null } : {};
    return { ...toWire({ ...details, content: all }), ...controls };
  }
}

/** How a turn ended, as far as its open tool calls are concerned. */
export type TurnOutcome = "completed" | "failed" | "cancelled";

export class TurnToolCalls {
  readonly #host: CallHost;
  readonly #open = new Set<AuthorToolCall>();

  constructor(host: CallHost) {
    this.#host = host;
  }

  async start(start: ToolCallStart, status: ToolCallStatus): Promise<ToolCallHandle> {
    const { toolCallId = randomId(), background = false, canCancel = false, ...given } = start;
    const { work, scope } = this.#host;
    // Otherwise the client would see the end of a call that was never announced to it.
    if (!background && scope.signal.aborted) throw new TurnCancelledError();
    const host = background ? { ...this.#host, scope: scope.lasting(work.signal) } : this.#host;
    const details = { status, ...definedFields(given) };
    const call = new AuthorToolCall(host, toolCallId, details, canCancel);
    this.#forgetSettled();
    if (!background) this.#open.add(call);
    await call.announce(given.title);
    if (background) await work.addBackground(call.item, async () => call.settle("cancelled"));
    return call;
  }

  /** Settles open calls: a client would show them running forever. */
  settle(ended: TurnOutcome): void {
    for (const call of this.#open) call.settle(ended);
    this.#open.clear();
  }

  /** A turn may make thousands of calls, so only the open ones are kept. */
  #forgetSettled(): void {
    for (const call of this.#open) if (call.settled) this.#open.delete(call);
  }
}

/** The given details. Copies the lists, because the wire types do not accept readonly ones. */
function toWire(details: ToolCallDetails) {
  const { content, locations, meta, ...rest } = definedFields(details);
  return {
    ...rest,
    ...metaField(meta),
    ...(content === undefined ? {} : { content: [...content] }),
    ...(locations === undefined ? {} : { locations: [...locations] }),
  };
}
