import type {
  ElicitationContentValue,
  ElicitationSchema,
  Fault,
  Meta,
} from "../../../acp/index.ts";
import type { RequestId } from "../../../rpc/index.ts";
import type { RequestMeta } from "../request-meta.ts";

/** The owner of a question: a session, or a request made before there was one. */
export interface ElicitationScope {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly requestId: RequestId | undefined;
}

/** A form for a person to fill in or decline. */
export interface FormElicitation extends ElicitationScope, RequestMeta {
  /** Text from the agent. */
  readonly message: string;
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
  readonly elicitationId: string;
  readonly signal: AbortSignal;
}

export type ElicitationReply =
  | {
      readonly action: "accept";
      readonly content?: Readonly<Record<string, ElicitationContentValue>> | undefined;
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Asks a person on behalf of an agent. A mode is advertised if its method exists. */
export interface ElicitationProvider {
  readonly form?:
    | ((request: FormElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  readonly url?:
    | ((request: UrlElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  /** The agent reports that the interaction at a URL is complete. */
  readonly completed?:
    | ((elicitationId: string, notification: { readonly meta: Meta | undefined }) => void)
    | undefined;
}
