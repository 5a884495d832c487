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

/** A permission question that brings its own tool call. */
export interface ToolPermissionRequest extends ToolCallStart, PermissionQuestion {}

/** The answer, with the tool call to go on with. */
export interface ToolPermissionAnswer extends PermissionAnswer {
  /**
   * Failed already when it was not allowed; completed with the turn when it was, unless the author
   * settles it before.
   */
  readonly toolCall: ToolCallHandle;
}

export interface ReadRange {
  /** The first line, counted from 1. */
  readonly line?: number;
  /** How many lines. */
  readonly limit?: number;
}

/** What a turn works with; the one who made it settles them when the turn is over. */
export interface TurnParts {
  readonly scope: TurnScope;
  readonly toolCalls: TurnToolCalls;
  readonly terminals: TurnTerminals;
}

type ChunkKind = "agent_message_chunk" | "agent_thought_chunk";

/**
 * One prompt being answered, and everything its author can do meanwhile.
 *
 * Sending resolves when the client can take more. After a cancel, `say`, `think`, `plan`, `toolCall`
 * and every question to the client reject with TurnCancelledError (permission and elicitation resolve
 * as cancelled instead); `update` and an open tool call's methods still work. After the turn's end
 * everything rejects with TurnEndedError. Questions that need a capability the client did not
 * advertise reject with UnsupportedByClientError; `client.can` tells beforehand. An error the client
 * answers with comes as RemoteError, its going away as ConnectionError.
 */
export class Turn<S> extends SessionSender {
  readonly session: AgentSession<S>;
  readonly prompt: readonly ContentBlock[];
  /** Aborted when the turn is cancelled or the client goes away. */
  readonly signal: AbortSignal;
  readonly #scope: TurnScope;
  readonly #toolCalls: TurnToolCalls;
  readonly #terminals: TurnTerminals;
  readonly #withIds: boolean;
  #chunkKind: ChunkKind | undefined;
  #messageId = "";

  /** Turns are made by the toolkit. */
  constructor(session: AgentSession<S>, prompt: readonly ContentBlock[], parts: TurnParts) {
    super();
    const { scope, toolCalls, terminals } = parts;
    this.session = session;
    this.prompt = prompt;
    this.signal = scope.signal;
    this.#scope = scope;
    this.#toolCalls = toolCalls;
    this.#terminals = terminals;
    // Crow tells messages apart by their kind alone.
    this.#withIds = scope.link.dialect === "canonical";
  }

  get client(): Client {
    return this.#scope.link;
  }

  /** The text of the prompt: its text blocks, one line after another. */
  get text(): string {
    return this.prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }

  /** Says the next part of the answer. After a thought or a tool call it begins a new message. */
  say(content: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_message_chunk", content);
  }

  /** Shows the next part of a thought. */
  think(content: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_thought_chunk", content);
  }

  /** Shows the plan, in place of any plan before it. */
  plan(entries: readonly PlanEntry[]): Promise<void> {
    return this.#scope.stream({ sessionUpdate: "plan", entries: [...entries] });
  }

  /** Announces a tool call, running unless `status` says otherwise, and gives the handle to it. */
  toolCall(start: ToolCallStart): Promise<ToolCallHandle> {
    this.#chunkKind = undefined;
    return this.#toolCalls.start(start, "in_progress");
  }

  /**
   * Announces a tool call and asks for leave to run it. Offers "Allow" and "Reject" unless told
   * otherwise; never resolves as allowed unless an offered option that allows was chosen.
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
   * Asks for leave about a tool call that was announced through {@link update}, showing it as given
   * here. Nothing else is sent about it. Resolves and rejects as {@link ToolCallHandle.askPermission}.
   */
  askAbout(toolCall: ToolCallUpdate, question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    return requestPermission(this.#scope, toolCall, question);
  }

  /** Reads a text file as the user sees it, unsaved changes included. Needs `fs.readTextFile`. */
  readFile(path: string, range: ReadRange = {}): Promise<string> {
    const { readTextFile } = CLIENT_METHODS;
    return this.#scope.ask(readTextFile, { path, ...range }, readFileResult, "fs.readTextFile");
  }

  /** Writes a text file, making it if need be. Needs `fs.writeTextFile`. */
  async writeFile(path: string, content: string): Promise<void> {
    const { writeTextFile } = CLIENT_METHODS;
    const accept = (result: unknown): void => void readEmptyResult(writeTextFile, result);
    await this.#scope.ask(writeTextFile, { path, content }, accept, "fs.writeTextFile");
  }

  /** Starts a command in a terminal of the client's. Needs `terminal`. */
  terminal(command: TerminalCommand): Promise<Terminal> {
    return this.#terminals.create(command);
  }

  /** Asks the user for the fields of a form. Needs `elicitation.form`. */
  elicit(question: FormQuestion): Promise<ElicitationAnswer> {
    return elicitForm(this.#scope, question);
  }

  /** Asks the user to go to an address. Needs `elicitation.url`. */
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
