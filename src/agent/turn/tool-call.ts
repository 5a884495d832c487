import { randomUUID } from "node:crypto";
import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "../../acp/index.ts";
import { requestPermission, type PermissionAnswer, type PermissionQuestion } from "./permission.ts";
import type { TurnScope } from "./turn-scope.ts";

/** What can be said of a tool call. What is given replaces what was said before. */
export interface ToolCallDetails {
  readonly title?: string;
  /** The tool's own name, for programs. */
  readonly name?: string;
  readonly kind?: ToolKind;
  readonly status?: ToolCallStatus;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export interface ToolCallStart extends ToolCallDetails {
  readonly title: string;
  /** Its id; a new one is made unless given. */
  readonly toolCallId?: string;
}

/** One tool call of a turn. Its methods resolve and reject as those of the turn do. */
export class ToolCallHandle {
  readonly id: string;
  readonly #scope: TurnScope;
  #details: ToolCallDetails;

  constructor(scope: TurnScope, id: string, details: ToolCallDetails) {
    this.#scope = scope;
    this.id = id;
    this.#details = details;
  }

  /** Whether it has been completed or has failed. */
  get settled(): boolean {
    return this.#details.status === "completed" || this.#details.status === "failed";
  }

  /** Changes what is given and leaves the rest; lists are replaced as a whole. */
  update(details: ToolCallDetails): Promise<void> {
    this.#details = { ...this.#details, ...details };
    return this.#scope.send({
      sessionUpdate: "tool_call_update",
      toolCallId: this.id,
      ...mutable(details),
    });
  }

  /** Says that it runs now. */
  progress(details: ToolCallDetails = {}): Promise<void> {
    return this.update({ status: "in_progress", ...details });
  }

  complete(details: ToolCallDetails = {}): Promise<void> {
    return this.update({ status: "completed", ...details });
  }

  fail(details: ToolCallDetails = {}): Promise<void> {
    return this.update({ status: "failed", ...details });
  }

  /**
   * Asks for leave to run it; the client sees all that was said of it. Resolves with outcome
   * `cancelled` when the turn is cancelled. Rejects with RemoteError, ConnectionError, or
   * ProtocolViolation for an answer that is none.
   */
  askPermission(question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    const toolCall = { toolCallId: this.id, ...mutable(this.#details) };
    return requestPermission(this.#scope, toolCall, question);
  }
}

/** The tool calls of one turn that are not settled. */
export class TurnToolCalls {
  readonly #scope: TurnScope;
  readonly #open = new Set<ToolCallHandle>();
  /** Asked about by a question that stands alone, and allowed: done when the turn is. */
  readonly #allowed = new Set<ToolCallHandle>();

  constructor(scope: TurnScope) {
    this.#scope = scope;
  }

  /** Announces a tool call. */
  async start(start: ToolCallStart, status: ToolCallStatus): Promise<ToolCallHandle> {
    const { toolCallId = randomUUID(), ...given } = start;
    const { title } = given;
    const details = { status, ...given };
    const call = new ToolCallHandle(this.#scope, toolCallId, details);
    this.#forgetSettled();
    this.#open.add(call);
    await this.#scope.stream({
      sessionUpdate: "tool_call",
      toolCallId,
      ...mutable(details),
      title,
    });
    return call;
  }

  allow(call: ToolCallHandle): void {
    this.#allowed.add(call);
  }

  /** Leaves none hanging: a client would show it at work for ever, and v1 has no word for "cancelled". */
  settle(turnFailed: boolean): void {
    for (const call of this.#open) {
      if (call.settled) continue;
      if (turnFailed) void call.fail();
      else if (this.#allowed.has(call)) void call.complete();
    }
    this.#open.clear();
  }

  /** A turn may make thousands; only the open ones are kept. */
  #forgetSettled(): void {
    for (const call of this.#open) if (call.settled) this.#open.delete(call);
  }
}

/** The same details with lists the wire types take: they are written, never changed. */
function mutable(details: ToolCallDetails) {
  const { content, locations, ...rest } = details;
  return {
    ...rest,
    ...(content === undefined ? {} : { content: [...content] }),
    ...(locations === undefined ? {} : { locations: [...locations] }),
  };
}
