import {
  type ContentBlock,
  type Meta,
  CLIENT_METHODS,
  type ElicitationAnswer,
  type PlanEntry,
  readEmptyResult,
  readFileResult,
  type RequestOptions,
  type SessionUpdate,
  type ToolCallUpdate,
} from "../../protocol/acp/index.ts";
import type { AgentSession } from "../session/session.ts";
import type { AgentWork, ReadRange, ToolPermissionAnswer, ToolPermissionRequest } from "./work.ts";
import { definedFields, quietly, randomId } from "../../base/index.ts";
import type { Client } from "../connection/client.ts";
import {
  elicitForm,
  elicitUrl,
  type FormQuestion,
  type UrlAnswer,
  type UrlQuestion,
} from "./elicitation.ts";
import { type SendOptions, UpdateSender } from "../session/sender.ts";
import { requestPermission, type PermissionAnswer, type PermissionQuestion } from "./permission.ts";
import type { ReportedTerminal, TerminalReport } from "../v2/reported-terminal.ts";
import type { Terminal, TerminalCommand } from "./terminal.ts";
import type { TurnTerminals } from "./turn-terminals.ts";
import type { TurnToolCalls, ToolCallHandle, ToolCallStart } from "./tool-call.ts";
import type { TurnScope } from "./turn-scope.ts";

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

/** The parts of a turn. Their creator cleans them up when the turn ends. */
interface TurnParts {
  readonly scope: TurnScope;
  readonly toolCalls: TurnToolCalls;
  readonly terminals: TurnTerminals;
}

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

/** The class behind `Turn`. */
export class AuthorTurn<S> extends UpdateSender implements Turn<S> {
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
    prompt: readonly ContentBlock[],
    meta: Meta,
    parts: TurnParts,
  ) {
    super();
    const { scope, toolCalls, terminals } = parts;
    this.session = session;
    this.prompt = prompt;
    this.meta = meta;
    this.signal = scope.signal;
    this.#scope = scope;
    this.#toolCalls = toolCalls;
    this.#terminals = terminals;
    // Crow distinguishes messages by their kind alone.
    this.#withIds = scope.link.dialect === "canonical";
  }

  get client(): Client {
    return this.#scope.link;
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

  protected override send(update: SessionUpdate, notificationMeta?: Meta): Promise<void> {
    return this.#scope.send(update, notificationMeta);
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
    const content: ContentBlock = typeof given === "string" ? { type: "text", text: given } : given;
    if (!this.#withIds) return this.#scope.stream({ sessionUpdate: kind, content }, options);
    if (this.#chunkKind !== kind) {
      this.#chunkKind = kind;
      this.#chunkId = randomId();
    }
    const messageId = this.#chunkId;
    return this.#scope.stream({ sessionUpdate: kind, messageId, content }, options);
  }
}
