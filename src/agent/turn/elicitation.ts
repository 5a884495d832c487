import { randomId } from "../../base/index.ts";
import {
  CLIENT_METHODS,
  type ElicitationAnswer,
  type ElicitationSchema,
  type Meta,
  metaField,
  readElicitationResult,
  type RequestOptions,
} from "../../protocol/acp/index.ts";
import { TurnCancelledError } from "../errors.ts";
import type { TurnScope } from "./turn-scope.ts";

/** A form for the user. */
export interface FormQuestion extends RequestOptions {
  /** The text that explains to the user why it is needed. */
  readonly message: string;
  /** The fields, as a JSON schema with flat properties. Never ask for secrets in a form. */
  readonly schema: ElicitationSchema;
  /** The tool call that asks, if one does. */
  readonly toolCallId?: string | undefined;
}

/** A URL for the user to open. */
export interface UrlQuestion extends RequestOptions {
  /** The text that explains to the user why it is needed. */
  readonly message: string;
  readonly url: string;
  /** The tool call that asks, if one does. */
  readonly toolCallId?: string | undefined;
}

/** The answer of the user to a URL. */
export interface UrlAnswer {
  /** `accept` means that the user agreed to open the URL, not that they finished there. */
  readonly action: ElicitationAnswer["action"];
  /** The `_meta` of the answer. */
  readonly meta: Meta | undefined;
  /** Tells the client that the user has finished at the URL. */
  complete(options?: { readonly meta?: Meta | undefined }): Promise<void>;
}

/** Asks the user to fill in a form. */
export async function elicitForm(
  scope: TurnScope,
  question: FormQuestion,
): Promise<ElicitationAnswer> {
  const { schema, signal, meta, onMeta, ...rest } = question;
  const requestedSchema = { type: "object", ...schema };
  const params = { mode: "form", ...rest, requestedSchema };
  return await elicit(scope, params, "elicitation.form", { signal, meta, onMeta });
}

/** Asks the user to open a URL. */
export async function elicitUrl(scope: TurnScope, question: UrlQuestion): Promise<UrlAnswer> {
  const elicitationId = randomId();
  const { signal, meta, onMeta, ...rest } = question;
  const params = { mode: "url", ...rest, elicitationId };
  const answer = await elicit(scope, params, "elicitation.url", { signal, meta, onMeta });
  const complete: UrlAnswer["complete"] = (options) =>
    scope.link.sendNotification(CLIENT_METHODS.completeElicitation, {
      elicitationId,
      ...metaField(options?.meta),
    });
  return { action: answer.action, meta: answer.meta, complete };
}

async function elicit(
  scope: TurnScope,
  params: object,
  needed: "elicitation.form" | "elicitation.url",
  options: RequestOptions,
): Promise<ElicitationAnswer> {
  try {
    const method = CLIENT_METHODS.createElicitation;
    return await scope.ask(method, params, readElicitationResult, needed, options);
  } catch (error) {
    if (error instanceof TurnCancelledError) return { action: "cancel" };
    throw error;
  }
}
