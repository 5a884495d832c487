import { CLIENT_METHODS } from "../../../protocol/acp/index.ts";
import { RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import { isThenable, type JsonObject, quiet } from "../../../base/index.ts";
import { type AgentLink, type AgentRequestMessage, replyError } from "../agent/link.ts";
import { notAllowed } from "../errors.ts";
import {
  answerInLine,
  type CancelRequest,
  errorLine,
  requestLine,
  resultLine,
} from "../json/rpc-lines.ts";
import type {
  PolicyAnswer,
  PolicyOutcome,
  PolicyReply,
  PolicyRequest,
  SessionPolicy,
} from "../options.ts";
import type { Attachment } from "./attachment.ts";
import type { ServedClient } from "../client/served-client.ts";
import { memberSpan, type Span, spliceText } from "../json/json-text.ts";

export type QuestionEnd =
  /** A client answered with this line. */
  | { readonly kind: "answered"; readonly line: string; readonly id: Span; readonly by: string }
  /** No client can answer it. */
  | { readonly kind: "unanswered" }
  /** The one who asked does not need an answer anymore. */
  | { readonly kind: "withdrawn" };

export interface Question {
  readonly line: string;
  /** Where its id stands in the line. */
  readonly id: Span;
  /** Whether it goes to all controllers, and the first answer counts. Otherwise one client gets it. */
  readonly isForAll: boolean;
  readonly end: (end: QuestionEnd) => void;
}

interface OpenQuestion {
  readonly question: Question;
  readonly asked: Map<ServedClient, { readonly attachment: Attachment; readonly id: number }>;
}

export type Withdraw = (cancel?: CancelRequest) => void;

/** The questions of a session that its clients have not answered yet. */
export class Questions {
  readonly #open = new Set<OpenQuestion>();

  get count(): number {
    return this.#open.size;
  }

  /** Asks, and returns how to withdraw it. Without controllers, it ends unanswered unless it `mayWait`. */
  ask(question: Question, controllers: readonly Attachment[], mayWait: boolean): Withdraw {
    const open: OpenQuestion = { question, asked: new Map() };
    this.#open.add(open);
    const recipients = question.isForAll ? controllers : controllers.slice(0, 1);
    for (const attachment of recipients) this.#send(open, attachment);
    if (recipients.length === 0 && !(mayWait && question.isForAll)) {
      this.#finish(open, { kind: "unanswered" });
    }
    return (cancel) => this.#finish(open, { kind: "withdrawn" }, cancel);
  }

  /** Asks a controller that has just been attached. */
  attached(attachment: Attachment): void {
    for (const open of this.#open) {
      if (open.question.isForAll && !open.asked.has(attachment.client))
        this.#send(open, attachment);
    }
  }

  /** A client is gone. With `mayWait`, questions for all wait for another controller. */
  left(client: ServedClient, mayWait: boolean): void {
    for (const open of this.#open) {
      if (!open.asked.delete(client) || open.asked.size > 0) continue;
      if (!(mayWait && open.question.isForAll)) this.#finish(open, { kind: "unanswered" });
    }
  }

  /** Ends the questions that no client has. */
  stopWaiting(): void {
    for (const open of this.#open) {
      if (open.asked.size === 0) this.#finish(open, { kind: "unanswered" });
    }
  }

  withdrawAll(): void {
    for (const open of this.#open) this.#finish(open, { kind: "withdrawn" });
  }

  #send(open: OpenQuestion, attachment: Attachment): void {
    const { client } = attachment;
    const { line, id } = open.question;
    const sent = client.expect(line, id, (answer, at) => {
      open.asked.delete(client);
      this.#finish(open, { kind: "answered", line: answer, id: at, by: client.owner });
    });
    open.asked.set(client, { attachment, id: sent.id });
    attachment.send(sent.line);
  }

  /** The first end counts. The clients that have not answered get a notification. */
  #finish(open: OpenQuestion, end: QuestionEnd, cancel?: CancelRequest): void {
    if (!this.#open.delete(open)) return;
    for (const { attachment, id } of open.asked.values()) {
      attachment.send(attachment.client.withdraw(id, cancel));
    }
    open.question.end(end);
  }
}

interface RequestsSession {
  controllers(): readonly Attachment[];
  /** Whether a client that is gone may still come back. */
  mayWait(): boolean;
  readonly limit: number;
  flooded(): void;
  answered(method: string, by: string, result: unknown): void;
  settled(): void;
}

/** The requests that a person answers: every controller may. */
const FOR_ALL: ReadonlySet<string> = new Set([
  CLIENT_METHODS.requestPermission,
  CLIENT_METHODS.createElicitation,
]);

interface OpenAgentRequest {
  readonly id: string;
  readonly message: AgentRequestMessage;
  readonly connection: AgentLink;
  readonly abort: AbortController;
  readonly request: PolicyRequest;
  /** Withdraws the questions to clients. */
  readonly withdraw: Withdraw[];
}

/** The requests of an agent in one session, until they are answered by the policy or by a client. */
export class AgentRequests {
  readonly #questions: Questions;
  readonly #policy: SessionPolicy | undefined;
  readonly #session: RequestsSession;
  readonly #open = new Map<string, OpenAgentRequest>();

  constructor(questions: Questions, policy: SessionPolicy | undefined, session: RequestsSession) {
    this.#questions = questions;
    this.#policy = policy;
    this.#session = session;
  }

  get count(): number {
    return this.#open.size;
  }

  add(message: AgentRequestMessage, connection: AgentLink): void {
    if (this.#open.size >= this.#session.limit) return this.#session.flooded();
    const open = this.#opened(message, connection);
    // Two would count as one, and only one of them could be answered.
    if (this.#open.has(open.id)) {
      const error = new RpcError(RpcCode.invalidRequest, "The id is in use");
      return replyError(message, connection, error);
    }
    this.#open.set(open.id, open);
    if (!this.#policy) return this.#forward(open);
    try {
      const decision = this.#policy.request(open.request);
      if (!isThenable(decision)) return this.#decided(open, decision);
      decision.then(
        (answer) => this.#decided(open, answer),
        (error: unknown) => this.#reply(open, errorLine(open.id, error)),
      );
    } catch (error) {
      this.#reply(open, errorLine(open.id, error));
    }
  }

  /** The agent withdrew a request. Returns false if there is no such request. */
  withdraw(cancel: CancelRequest, connection: AgentLink): boolean {
    const open = this.#open.get(cancel.requestId);
    if (open?.connection !== connection) return false;
    const error = new RpcError(RpcCode.requestCancelled, "Request cancelled");
    this.#stop(open, cancel);
    this.#reply(open, errorLine(open.id, error));
    return true;
  }

  /** The turn was cancelled. The clients answer what they were asked; the policy ends its own work. */
  turnCancelled(): void {
    for (const { abort } of this.#open.values()) abort.abort();
  }

  /** The agent is gone, so its requests need no answer. */
  connectionEnded(): void {
    for (const [id, open] of this.#open) {
      this.#open.delete(id);
      this.#stop(open);
    }
  }

  #opened(message: AgentRequestMessage, connection: AgentLink): OpenAgentRequest {
    const abort = new AbortController();
    const { method, params, line } = message;
    const withdraw: Withdraw[] = [];
    const ask = (asked: string, about: JsonObject): Promise<PolicyReply> =>
      this.#ask(asked, about, withdraw);
    return {
      id: line.slice(message.id.start, message.id.end),
      message,
      connection,
      abort,
      request: { method, params, signal: abort.signal, ask },
      withdraw,
    };
  }

  #decided(open: OpenAgentRequest, answer: PolicyAnswer): void {
    if (this.#open.get(open.id) !== open) return;
    switch (answer.kind) {
      case "forward":
        return this.#forward(open);
      case "result":
        return this.#reply(open, resultLine(open.id, answer.result));
      case "error": {
        const { code, message, data } = answer;
        return this.#reply(open, errorLine(open.id, new RpcError(code, message, data)));
      }
    }
  }

  #forward(open: OpenAgentRequest): void {
    const { line, id, method } = open.message;
    const isForAll = FOR_ALL.has(method);
    const question = { line, id, isForAll, end: (end: QuestionEnd) => this.#ended(open, end) };
    const controllers = this.#session.controllers();
    open.withdraw.push(this.#questions.ask(question, controllers, this.#session.mayWait()));
  }

  #ended(open: OpenAgentRequest, end: QuestionEnd): void {
    switch (end.kind) {
      case "answered": {
        this.#reply(open, spliceText(end.line, end.id, open.id));
        const outcome = agentRequestOutcome(end.line, end.by);
        this.#policy?.answered?.(open.request, outcome);
        const result = outcome.kind === "result" ? outcome.result : undefined;
        this.#session.answered(open.message.method, end.by, result);
        return;
      }
      case "unanswered":
        this.#reply(open, unattendedLine(open.id, open.message.method));
        this.#policy?.answered?.(open.request, { kind: "unattended" });
        return;
      case "withdrawn":
        this.#policy?.answered?.(open.request, { kind: "cancelled" });
    }
  }

  #reply(open: OpenAgentRequest, line: string): void {
    if (this.#open.get(open.id) !== open) return;
    this.#open.delete(open.id);
    open.connection.send(line);
    // A question of the policy's own may still be open.
    for (const withdraw of open.withdraw) withdraw();
    this.#session.settled();
  }

  #stop(open: OpenAgentRequest, cancel?: CancelRequest): void {
    open.abort.abort();
    for (const withdraw of open.withdraw) withdraw(cancel);
  }

  /** Asks the controllers with a request of the hub's own. */
  #ask(method: string, params: JsonObject, withdraw: Withdraw[]): Promise<PolicyReply> {
    const line = requestLine(0, method, params);
    const id = memberSpan(line, "id") ?? { start: 0, end: 0 };
    const answered = new Promise<PolicyReply>((resolve, reject) => {
      const end = (ended: QuestionEnd): void => {
        if (ended.kind !== "answered") {
          reject(notAllowed("No client is attached that can answer"));
          return;
        }
        const outcome = agentRequestOutcome(ended.line, ended.by);
        if (outcome.kind === "result") resolve({ result: outcome.result, by: ended.by });
        else reject(new RpcError(outcome.code, outcome.message));
      };
      const question = { line, id, isForAll: true, end };
      const controllers = this.#session.controllers();
      withdraw.push(this.#questions.ask(question, controllers, this.#session.mayWait()));
    });
    return quiet(answered);
  }
}

/** The answer of a client, from the line of its response. */
export function agentRequestOutcome(
  line: string,
  by: string,
): Extract<PolicyOutcome, { kind: "result" | "error" }> {
  const { result, error } = answerInLine(line);
  if (!error) return { kind: "result", result, by };
  return { kind: "error", code: error.code, message: error.message, by };
}

/** The answer to a question that no person answers; undefined for other requests, which fail. */
export function unattendedAnswer(method: string): JsonObject | undefined {
  switch (method) {
    case CLIENT_METHODS.requestPermission:
      return { outcome: { outcome: "cancelled" } };
    case CLIENT_METHODS.createElicitation:
      return { action: "cancel" };
    default:
      return undefined;
  }
}

function unattendedLine(id: string, method: string): string {
  const answer = unattendedAnswer(method);
  if (answer) return resultLine(id, answer);
  return errorLine(id, new RpcError(RpcCode.internalError, "No client is attached"));
}
