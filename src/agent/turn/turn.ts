import { randomUUID } from "node:crypto";
import {
  CLIENT_METHODS,
  type ContentBlock,
  type ElicitationAnswer,
  type PlanEntry,
  readEmptyResult,
  readFileResult,
  type SessionUpdate,
  type ToolCallUpdate,
} from "../../acp/index.ts";
import type { Client } from "../connection/client-link.ts";
import {
  elicitForm,
  elicitUrl,
  type FormQuestion,
  type UrlAnswer,
  type UrlQuestion,
} from "./elicitation.ts";
import { SessionSender } from "../session/session-sender.ts";
import { requestPermission, type PermissionAnswer, type PermissionQuestion } from "./permission.ts";
import type { AgentSession } from "../session/session.ts";
import type { TurnTerminals, Terminal, TerminalCommand } from "./terminal.ts";
import type { TurnToolCalls, ToolCallHandle, ToolCallStart } from "./tool-call.ts";
import type { TurnScope } from "./turn-scope.ts";

/** A permission question together with its tool call. */
export interface ToolPermissionRequest extends ToolCallStart, PermissionQuestion {}

/** The answer to a permission question, with the tool call to continue. */
export interface ToolPermissionAnswer extends PermissionAnswer {
  /**
   * Already failed if it was not allowed. If it was allowed, it completes with the turn, unless the
   * author settles it first.
   */
  readonly toolCall: ToolCallHandle;
}

export interface ReadRange {
  /** The first line to read, counted from 1. */
  readonly line?: number;
  /** The maximum number of lines. */
  readonly limit?: number;
}

/** The parts of a turn. Their creator cleans them up when the turn ends. */
export interface TurnParts {
  readonly scope: TurnScope;
  readonly toolCalls: TurnToolCalls;
  readonly terminals: TurnTerminals;
}

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

/**
 * One prompt being answered, and everything the author can do while answering it.
 *
 * Methods that send resolve when the client can take more. After a cancel, `say`, `think`, `plan`,
 * `toolCall` and every request to the client reject with TurnCancelledError (permission and
 * elicitation resolve as cancelled instead); `update` and the methods of open tool calls still work.
 * After the end of the turn, everything rejects with TurnEndedError. A request that needs a
 * capability the client did not advertise rejects with UnsupportedByClientError; check `client.can`
 * first. If the client answers with an error, a request rejects with RemoteError; if it disconnects,
 * with ConnectionError.
 */
export class Turn<S> extends SessionSender {
  readonly session: AgentSession<S>;
  readonly prompt: readonly ContentBlock[];
  /** Aborted when the turn is cancelled or the client disconnects. */
  readonly signal: AbortSignal;
  readonly #scope: TurnScope;
  readonly #toolCalls: TurnToolCalls;
  readonly #terminals: TurnTerminals;
  readonly #withIds: boolean;
  #chunkKind: ChunkKind | undefined;
  #messageId = "";

  /** Only the toolkit creates turns. */
  constructor(session: AgentSession<S>, prompt: readonly ContentBlock[], parts: TurnParts) {
    super();
    const { scope, toolCalls, terminals } = parts;
    this.session = session;
    this.prompt = prompt;
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

  /** The text blocks of the prompt, joined by newlines. */
  get text(): string {
    return this.prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }

  /** Sends the next part of the answer. After a thought or a tool call it starts a new message. */
  say(content: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_message_chunk", content);
  }

  /** Sends the next part of a thought. */
  think(content: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_thought_chunk", content);
  }

  /** Shows a plan, which replaces any earlier plan. */
  plan(entries: readonly PlanEntry[]): Promise<void> {
    return this.#scope.stream({ sessionUpdate: "plan", entries: [...entries] });
  }

  /** Reports a new tool call and returns a handle to it. Default status: `in_progress`. */
  toolCall(start: ToolCallStart): Promise<ToolCallHandle> {
    this.#chunkKind = undefined;
    return this.#toolCalls.start(start, "in_progress");
  }

  /**
   * Reports a new tool call and asks for permission to run it. Default options: "Allow" and "Reject".
   * Resolves as allowed only if the user chose an offered option that allows.
   */
  async askPermission(request: ToolPermissionRequest): Promise<ToolPermissionAnswer> {
    const { options, always, ...start } = request;
    this.#chunkKind = undefined;
    const toolCall = await this.#toolCalls.start(start, "pending");
    const answer = await toolCall.askPermission({
      ...(options === undefined ? {} : { options }),
      ...(always === undefined ? {} : { always }),
    });
    if (answer.allowed) this.#toolCalls.allow(toolCall);
    else await toolCall.fail();
    return { ...answer, toolCall };
  }

  /**
   * Asks for permission for a tool call that was reported through {@link update}, and shows it as
   * given here. It sends nothing else about the call. Resolves and rejects like
   * {@link ToolCallHandle.askPermission}.
   */
  askAbout(toolCall: ToolCallUpdate, question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    return requestPermission(this.#scope, toolCall, question);
  }

  /** Reads a text file as the user sees it, including unsaved changes. Needs `fs.readTextFile`. */
  readFile(path: string, range: ReadRange = {}): Promise<string> {
    const { readTextFile } = CLIENT_METHODS;
    return this.#scope.ask(readTextFile, { path, ...range }, readFileResult, "fs.readTextFile");
  }

  /** Writes a text file, and creates it if necessary. Needs `fs.writeTextFile`. */
  async writeFile(path: string, content: string): Promise<void> {
    const { writeTextFile } = CLIENT_METHODS;
    const accept = (result: unknown): void => void readEmptyResult(writeTextFile, result);
    await this.#scope.ask(writeTextFile, { path, content }, accept, "fs.writeTextFile");
  }

  /** Starts a command in a terminal of the client. Needs `terminal`. */
  terminal(command: TerminalCommand): Promise<Terminal> {
    return this.#terminals.create(command);
  }

  /** Asks the user to fill in a form. Needs `elicitation.form`. */
  elicit(question: FormQuestion): Promise<ElicitationAnswer> {
    return elicitForm(this.#scope, question);
  }

  /** Asks the user to open a URL. Needs `elicitation.url`. */
  elicitUrl(question: UrlQuestion): Promise<UrlAnswer> {
    return elicitUrl(this.#scope, question);
  }

  protected override send(update: SessionUpdate): Promise<void> {
    return this.#scope.send(update);
  }

  #chunk(kind: ChunkKind, given: string | ContentBlock): Promise<void> {
    const content: ContentBlock = typeof given === "string" ? { type: "text", text: given } : given;
    if (!this.#withIds) return this.#scope.stream({ sessionUpdate: kind, content });
    if (this.#chunkKind !== kind) {
      this.#chunkKind = kind;
      this.#messageId = randomUUID();
    }
    const messageId = this.#messageId;
    return this.#scope.stream({ sessionUpdate: kind, messageId, content });
  }
}
