import {
  type Meta,
  metaField,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallStatus,
  type ToolKind,
} from "../../acp/index.ts";
import { definedFields, quietly, randomId } from "../../wire/index.ts";
import { requestPermission, type PermissionAnswer, type PermissionQuestion } from "./permission.ts";
import type { TurnScope } from "./turn-scope.ts";

/** The details of a tool call. In an update, each given field replaces the earlier value. */
export interface ToolCallDetails {
  /** The title for the user. */
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
  /** The title for the user. */
  readonly title: string;
  /** Default: a random UUID. */
  readonly toolCallId?: string | undefined;
}

/**
 * One tool call of a turn. Its methods resolve and reject like those of the turn.
 *
 * A call that is still open when the turn ends is settled: it fails if the turn was cancelled or
 * failed, if it was denied, or if it is still `pending` and was never allowed. Otherwise it completes.
 */
export interface ToolCallHandle {
  /** The id of the tool call. */
  readonly id: string;
  /** Whether it has completed or failed. */
  readonly settled: boolean;
  /** Changes the given fields and keeps the others. A list replaces the earlier list. */
  update(details: ToolCallDetails): Promise<void>;
  /** Reports that it is running. */
  progress(details?: ToolCallDetails): Promise<void>;
  /** Reports that it has completed. */
  complete(details?: ToolCallDetails): Promise<void>;
  /** Reports that it has failed. */
  fail(details?: ToolCallDetails): Promise<void>;
  /**
   * Asks for permission to run it; the client sees all its details. Resolves with outcome
   * `cancelled` if the turn is cancelled. Rejects with RemoteError, ConnectionError, or
   * ProtocolViolation for an invalid answer.
   */
  askPermission(question?: PermissionQuestion): Promise<PermissionAnswer>;
}

/** The class behind `ToolCallHandle`. */
export class AuthorToolCall implements ToolCallHandle {
  readonly id: string;
  readonly #scope: TurnScope;
  #details: ToolCallDetails;
  /** Whether the client allowed it; undefined if it was not asked since the last change of status. */
  #allowed: boolean | undefined;

  constructor(scope: TurnScope, id: string, details: ToolCallDetails) {
    this.#scope = scope;
    this.id = id;
    this.#details = details;
  }

  get settled(): boolean {
    return this.#details.status === "completed" || this.#details.status === "failed";
  }

  update(details: ToolCallDetails): Promise<void> {
    this.#details = { ...this.#details, ...definedFields(details) };
    if (details.status !== undefined) this.#allowed = undefined;
    return this.#scope.send({
      sessionUpdate: "tool_call_update",
      toolCallId: this.id,
      ...toWire(details),
    });
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

  askPermission(question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    return quietly(async () => {
      const toolCall = { toolCallId: this.id, ...toWire(this.#details) };
      const answer = await requestPermission(this.#scope, toolCall, question);
      this.#allowed = answer.allowed;
      return answer;
    });
  }

  /** Settles the call if it is open: the turn ends. */
  settle(turnFailed: boolean): void {
    if (this.settled) return;
    const hasRun = this.#allowed ?? this.#details.status !== "pending";
    void (hasRun && !turnFailed ? this.complete() : this.fail());
  }

  #change(status: ToolCallStatus, details: ToolCallDetails): Promise<void> {
    return this.update({ status, ...definedFields(details) });
  }
}

/** The unsettled tool calls of one turn. */
export class TurnToolCalls {
  readonly #scope: TurnScope;
  readonly #open = new Set<AuthorToolCall>();

  constructor(scope: TurnScope) {
    this.#scope = scope;
  }

  /** Reports a new tool call to the client. */
  async start(start: ToolCallStart, status: ToolCallStatus): Promise<ToolCallHandle> {
    const { toolCallId = randomId(), ...given } = start;
    const { title } = given;
    const details = { status, ...definedFields(given) };
    const call = new AuthorToolCall(this.#scope, toolCallId, details);
    this.#forgetSettled();
    this.#open.add(call);
    await this.#scope.stream({
      sessionUpdate: "tool_call",
      toolCallId,
      ...toWire(details),
      title,
    });
    return call;
  }

  /** Settles open calls: a client would show them running forever, and v1 has no status "cancelled". */
  settle(turnFailed: boolean): void {
    for (const call of this.#open) call.settle(turnFailed);
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
