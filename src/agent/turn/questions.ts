import type { TurnScope } from "./turn-scope.ts";
import {
  CLIENT_METHODS,
  type ElicitationAnswer,
  type ElicitationSchema,
  type Meta,
  metaField,
  type PermissionOption,
  type PermissionOutcome,
  readElicitationResult,
  readPermissionResult,
  type RequestOptions,
  type ToolCallUpdate,
} from "../../protocol/acp/index.ts";
import type { CallOptions } from "../../transport/rpc/index.ts";
import { quietly, randomId } from "../../base/index.ts";
import { TurnCancelledError } from "../errors.ts";

/** The options of a permission question. */
export interface PermissionQuestion extends CallOptions {
  /** The options to offer. Default: "Allow" and "Reject", both for this one time. */
  readonly options?: readonly PermissionOption[] | undefined;
  /** Adds "Always allow" and "Always reject" to the default options. */
  readonly always?: boolean | undefined;
  /** Sent as the `_meta` of the request. */
  readonly requestMeta?: Meta | undefined;
}

/** The answer to a permission question. */
export interface PermissionAnswer {
  /** True only if the user chose an offered option that allows. */
  readonly allowed: boolean;
  /** `cancelled` if the turn was cancelled or the client dismissed the question. */
  readonly outcome: "selected" | "cancelled";
  /** The chosen option; undefined if cancelled. */
  readonly optionId: string | undefined;
  /** Whether the choice also covers later questions of the same kind. */
  readonly always: boolean;
  /** The `_meta` of the answer and of its outcome, the latter first. */
  readonly meta: Meta | undefined;
}

const ONCE: readonly PermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];

const ALWAYS: readonly PermissionOption[] = [
  { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject_always", name: "Always reject", kind: "reject_always" },
];

export function permissionOptionsFor(question: PermissionQuestion): PermissionOption[] {
  if (question.options) return [...question.options];
  return question.always === true ? [...ONCE, ...ALWAYS] : [...ONCE];
}

/** Checks an outcome against the offered options. An option that was not offered allows nothing. Pure. */
export function toPermissionAnswer(
  outcome: PermissionOutcome,
  options: readonly PermissionOption[],
): PermissionAnswer {
  const { meta } = outcome;
  if (outcome.outcome === "cancelled") return { ...CANCELLED, meta };
  const { optionId } = outcome;
  const kind = options.find((option) => option.optionId === optionId)?.kind;
  return {
    allowed: kind === "allow_once" || kind === "allow_always",
    outcome: "selected",
    optionId,
    always: kind === "allow_always" || kind === "reject_always",
    meta,
  };
}

const CANCELLED: PermissionAnswer = {
  allowed: false,
  outcome: "cancelled",
  optionId: undefined,
  always: false,
  meta: undefined,
};

/** Asks the user through the client. A cancelled turn resolves as cancelled; it does not reject. */
export function requestPermission(
  scope: TurnScope,
  toolCall: ToolCallUpdate,
  question: PermissionQuestion,
): Promise<PermissionAnswer> {
  return quietly(async () => {
    const options = permissionOptionsFor(question);
    try {
      const outcome = await scope.ask(
        CLIENT_METHODS.requestPermission,
        { toolCall, options },
        readPermissionResult,
        undefined,
        { signal: question.signal, meta: question.requestMeta },
      );
      return toPermissionAnswer(outcome, options);
    } catch (error) {
      if (error instanceof TurnCancelledError) return CANCELLED;
      throw error;
    }
  });
}

/** A form for the user. */
export interface FormQuestion extends RequestOptions {
  /** The text that explains to the user why it is needed. */
  readonly message: string;
  /** The fields, as a JSON schema with flat properties. Never ask for secrets in a form. */
  readonly schema: ElicitationSchema;
  readonly toolCallId?: string | undefined;
}

/** A URL for the user to open. */
export interface UrlQuestion extends RequestOptions {
  /** The text that explains to the user why it is needed. */
  readonly message: string;
  readonly url: string;
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

export async function elicitForm(
  scope: TurnScope,
  question: FormQuestion,
): Promise<ElicitationAnswer> {
  const { schema, signal, meta, onMeta, ...rest } = question;
  const requestedSchema = { type: "object", ...schema };
  const params = { mode: "form", ...rest, requestedSchema };
  return await elicit(scope, params, "elicitation.form", { signal, meta, onMeta });
}

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
