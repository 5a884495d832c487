import {
  CLIENT_METHODS,
  type ContentBlock,
  type ElicitationAnswer,
  type Meta,
  metaField,
  metaOf,
  type ParamsOf,
  type PlanEntry,
  type PromptResponse,
  readEmptyResult,
  readFileResult,
  type RequestOptions,
  type StopReason,
  type ToolCallUpdate,
  type TokenUsage,
} from "../../protocol/acp/index.ts";
import { deferred, definedFields, quietly, randomId } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import { TurnCancelledError } from "../errors.ts";
import { toContentBlock, type Deliver, type SendOptions, UpdateSender } from "../session/sender.ts";
import type { AgentSession } from "../session/session.ts";
import type { SessionWork } from "../v2/session-work.ts";
import { TurnScope } from "./turn-scope.ts";
import {
  type ReportedTerminal,
  type Terminal,
  type TerminalCommand,
  type TerminalReport,
  TurnTerminals,
} from "./terminals.ts";
import {
  type ToolCallHandle,
  type ToolCallStart,
  type TurnOutcome,
  TurnToolCalls,
} from "./tool-call.ts";
import type { AgentWork, ReadRange, ToolPermissionAnswer, ToolPermissionRequest } from "./work.ts";
import {
  elicitForm,
  elicitUrl,
  type FormQuestion,
  type PermissionAnswer,
  type PermissionQuestion,
  requestPermission,
  type UrlAnswer,
  type UrlQuestion,
} from "./questions.ts";

/** One prompt being answered, and everything the author can do while answering it. */
export interface Turn<S> extends AgentWork {
  /** The session that the prompt was sent to. */
  readonly session: AgentSession<S>;
  /** The content of the prompt. */
  readonly prompt: readonly ContentBlock[];
  /** The prompt's `_meta`; empty if the client sent none. */
  readonly meta: Meta;
  /**
   * The id of the user's message, which clients of v2 know. Replay the message under it, as the
   * `messageId` of its chunks.
   */
  readonly messageId: string;
  /** The text blocks of the prompt, joined by newlines. */
  readonly text: string;
}

/** How a turn ended: a stop reason, alone or with `_meta`. `undefined` means `end_turn`. */
export type TurnEnd =
  | StopReason
  | {
      /** Why the turn ended. */
      readonly stopReason: StopReason;
      /** The `_meta` of the answer. */
      readonly meta?: Meta | undefined;
      /** The tokens that the turn has used. Sent only with `unstable: true`. */
      readonly usage?: TokenUsage | undefined;
    }
  | undefined
  | void;

/** The params of a prompt that a turn needs. */
export type TurnParams = Pick<ParamsOf["session/prompt"], "prompt" | "_meta">;

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

class AuthorTurn<S> extends UpdateSender implements Turn<S> {
  readonly session: AgentSession<S>;
  readonly prompt: readonly ContentBlock[];
  readonly meta: Meta;
  readonly messageId = randomId();
  readonly signal: AbortSignal;
  readonly #scope: TurnScope;
  readonly #toolCalls: TurnToolCalls;
  readonly #terminals: TurnTerminals;
  readonly #withIds: boolean;
  #chunkKind: ChunkKind | undefined;
  #chunkId = "";

  constructor(
    session: AgentSession<S>,
    params: TurnParams,
    scope: TurnScope,
    toolCalls: TurnToolCalls,
    terminals: TurnTerminals,
  ) {
    super(scope.link, (update, meta) => scope.send(update, meta));
    this.session = session;
    this.prompt = params.prompt;
    this.meta = metaOf(params) ?? {};
    this.signal = scope.signal;
    this.#scope = scope;
    this.#toolCalls = toolCalls;
    this.#terminals = terminals;
    // Crow distinguishes messages by their kind alone.
    this.#withIds = scope.link.dialect === "canonical";
  }

  get text(): string {
    return this.prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }

  say(content: string | ContentBlock, options?: SendOptions): Promise<void> {
    return this.#chunk("agent_message_chunk", content, options);
  }

  think(content: string | ContentBlock, options?: SendOptions): Promise<void> {
    return this.#chunk("agent_thought_chunk", content, options);
  }

  plan(entries: readonly PlanEntry[], options?: SendOptions): Promise<void> {
    return this.#scope.stream({ sessionUpdate: "plan", entries: [...entries] }, options);
  }

  toolCall(start: ToolCallStart): Promise<ToolCallHandle> {
    this.#chunkKind = undefined;
    return quietly(() => this.#toolCalls.start(start, "in_progress"));
  }

  askPermission(request: ToolPermissionRequest): Promise<ToolPermissionAnswer> {
    return quietly(() => this.#askPermission(request));
  }

  askAbout(toolCall: ToolCallUpdate, question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    return requestPermission(this.#scope, toolCall, question);
  }

  readFile(path: string, { line, limit, ...options }: ReadRange = {}): Promise<string> {
    const { readTextFile } = CLIENT_METHODS;
    const params = { path, ...definedFields({ line, limit }) };
    return this.#scope.ask(readTextFile, params, readFileResult, "fs.readTextFile", options);
  }

  writeFile(path: string, content: string, options?: RequestOptions): Promise<void> {
    const { writeTextFile } = CLIENT_METHODS;
    const accept = (result: unknown): void => void readEmptyResult(writeTextFile, result);
    return this.#scope.ask(writeTextFile, { path, content }, accept, "fs.writeTextFile", options);
  }

  terminal(command: TerminalCommand): Promise<Terminal> {
    return quietly(() => this.#terminals.create(command));
  }

  reportTerminal(start: TerminalReport): Promise<ReportedTerminal> {
    return quietly(() => this.#terminals.report(start));
  }

  elicit(question: FormQuestion): Promise<ElicitationAnswer> {
    return quietly(() => elicitForm(this.#scope, question));
  }

  elicitUrl(question: UrlQuestion): Promise<UrlAnswer> {
    return quietly(() => elicitUrl(this.#scope, question));
  }

  async #askPermission(request: ToolPermissionRequest): Promise<ToolPermissionAnswer> {
    const { options, always, signal, requestMeta, ...start } = request;
    this.#chunkKind = undefined;
    const toolCall = await this.#toolCalls.start(start, "pending");
    const answer = await toolCall.askPermission({ options, always, signal, requestMeta });
    if (!answer.allowed) await toolCall.fail();
    return { ...answer, toolCall };
  }

  #chunk(kind: ChunkKind, given: string | ContentBlock, options?: SendOptions): Promise<void> {
    const content = toContentBlock(given);
    if (!this.#withIds) return this.#scope.stream({ sessionUpdate: kind, content }, options);
    if (this.#chunkKind !== kind) {
      this.#chunkKind = kind;
      this.#chunkId = randomId();
    }
    const messageId = this.#chunkId;
    return this.#scope.stream({ sessionUpdate: kind, messageId, content }, options);
  }
}

/** Runs one turn, from its prompt to its answer, and cleans up after the author's code. */
export class TurnExecution<S> {
  readonly turn: Turn<S>;
  readonly #controller = new AbortController();
  readonly #scope: TurnScope;
  readonly #toolCalls: TurnToolCalls;
  readonly #terminals: TurnTerminals;
  readonly #ended = deferred();

  constructor(
    session: AgentSession<S>,
    params: TurnParams,
    link: Link,
    deliver: Deliver,
    work: SessionWork,
  ) {
    const scope = new TurnScope(session.id, link, this.#controller.signal, deliver);
    this.#scope = scope;
    const { cwd } = session;
    this.#toolCalls = new TurnToolCalls({ scope, work, cwd });
    this.#terminals = new TurnTerminals(scope, work, cwd);
    this.turn = new AuthorTurn(session, params, scope, this.#toolCalls, this.#terminals);
  }

  /** Resolves when the author's code has ended. Never rejects. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isCancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Cancels the turn. Does nothing if it was cancelled before or has ended. */
  cancel(reason: Error = new TurnCancelledError()): void {
    this.#controller.abort(reason);
  }

  /**
   * Runs the author's code and rejects if it throws. A cancelled turn always resolves as cancelled,
   * even if the code throws or returns another stop reason.
   */
  async run(prompt: (turn: Turn<S>) => Promise<TurnEnd>): Promise<PromptResponse> {
    let ended: TurnOutcome = "failed";
    try {
      const response = toResponse(await prompt(this.turn));
      ended = response.stopReason === "cancelled" ? "cancelled" : "completed";
      return this.isCancelled ? CANCELLED : response;
    } catch (error) {
      if (this.isCancelled) return CANCELLED;
      throw error;
    } finally {
      this.#toolCalls.settle(this.isCancelled ? "cancelled" : ended);
      const released = this.#terminals.releaseAll();
      if (released) await released;
      this.#scope.end();
      this.#ended.resolve();
    }
  }
}

const CANCELLED: PromptResponse = { stopReason: "cancelled" };

function toResponse(result: TurnEnd): PromptResponse & { usage?: TokenUsage } {
  if (result === undefined) return { stopReason: "end_turn" };
  if (typeof result === "string") return { stopReason: result };
  const { stopReason, usage, meta } = result;
  return { stopReason, ...(usage && { usage }), ...metaField(meta) };
}
