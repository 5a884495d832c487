import type { CancelRequest, Span } from "../json/lines.ts";
import type { ServedClient } from "../client/served-client.ts";
import type { Attachment } from "./attachment.ts";

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

  /**
   * Asks. With `mayWait`, a question for all waits until a controller comes; otherwise it ends
   * unanswered if there is none. Returns a function that withdraws it; the agent's own notification, if
   * it sent one, is passed on.
   */
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
