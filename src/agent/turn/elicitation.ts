import { randomUUID } from "node:crypto";
import {
  CLIENT_METHODS,
  type ElicitationAnswer,
  type ElicitationSchema,
  readElicitationResult,
} from "../../acp/index.ts";
import { TurnCancelledError } from "../errors.ts";
import type { TurnScope } from "./turn-scope.ts";

export interface FormQuestion {
  readonly message: string;
  /** The fields, as a JSON schema with flat properties. Never ask for secrets in a form. */
  readonly schema: ElicitationSchema;
  readonly toolCallId?: string | undefined;
}

export interface UrlQuestion {
  readonly message: string;
  readonly url: string;
  readonly toolCallId?: string | undefined;
}

export interface UrlAnswer {
  /** `accept` means that the user agreed to open the URL, not that they finished there. */
  readonly action: ElicitationAnswer["action"];
  /** Tells the client that the user has finished at the URL. */
  complete(): Promise<void>;
}

/** Asks the user to fill in a form. */
export async function elicitForm(
  scope: TurnScope,
  question: FormQuestion,
): Promise<ElicitationAnswer> {
  const { schema, ...rest } = question;
  const requestedSchema = { type: "object", ...schema };
  return await elicit(scope, { mode: "form", ...rest, requestedSchema }, "elicitation.form");
}

/** Asks the user to open a URL. */
export async function elicitUrl(scope: TurnScope, question: UrlQuestion): Promise<UrlAnswer> {
  const elicitationId = randomUUID();
  const params = { mode: "url", ...question, elicitationId };
  const { action } = await elicit(scope, params, "elicitation.url");
  const complete = (): Promise<void> =>
    scope.link.sendNotification(CLIENT_METHODS.completeElicitation, { elicitationId });
  return { action, complete };
}

async function elicit(
  scope: TurnScope,
  params: object,
  needed: "elicitation.form" | "elicitation.url",
): Promise<ElicitationAnswer> {
  try {
    const method = CLIENT_METHODS.createElicitation;
    return await scope.ask(method, params, readElicitationResult, needed);
  } catch (error) {
    if (error instanceof TurnCancelledError) return { action: "cancel" };
    throw error;
  }
}
