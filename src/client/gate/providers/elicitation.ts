import type {
  ElicitationContentValue,
  ElicitationSchema,
  Fault,
  Meta,
} from "../../../protocol/acp/index.ts";
import type { RequestId } from "../../../transport/rpc/index.ts";
import type { RequestMeta } from "../request-meta.ts";

/** The owner of a question: a session, or a request made before there was one. */
export interface ElicitationScope {
  /** The session that asks, if there is one. */
  readonly sessionId: string | undefined;
  /** The tool call that asks, if the agent names it. */
  readonly toolCallId: string | undefined;
  /** The request of this client that the agent asks about, if there is no session. */
  readonly requestId: RequestId | undefined;
}

/** A form for a person to fill in or decline. */
export interface FormElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  /** The fields of the form, as a JSON schema with flat properties. */
  readonly schema: ElicitationSchema;
  /** The faults in an answer. Empty if the answer is valid. */
  check(content: unknown): readonly Fault[];
  /** Aborted when an answer is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * A URL that a person is asked to open. Show it in full, including its host. Open it only with their
 * consent and outside this program; never fetch it. `accept` means only that they agreed to open it.
 */
export interface UrlElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  readonly url: URL;
  /** The agent's id for this question, which `completed` gets later. */
  readonly elicitationId: string;
  /** Aborted when an answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The answer of the user. */
export type ElicitationReply =
  | {
      readonly action: "accept";
      /** The values that the user entered, by the names of the fields. */
      readonly content?: Readonly<Record<string, ElicitationContentValue>> | undefined;
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Asks a person on behalf of an agent. A mode is advertised if its method exists. */
export interface ElicitationProvider {
  /** Shows a form to the user. If it throws, the answer is `cancel`. */
  readonly form?:
    | ((request: FormElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  /** Asks the user to open a page. If it throws, the answer is `cancel`. */
  readonly url?:
    | ((request: UrlElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  /** The agent reports that the interaction at a URL is complete. */
  readonly completed?:
    | ((elicitationId: string, notification: { readonly meta: Meta | undefined }) => void)
    | undefined;
}
