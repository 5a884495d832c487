import {
  type ElicitationContentValue,
  type ElicitationSchema,
  type Fault,
  type ParamsOf,
  stringOr,
} from "../../../acp/index.ts";
import { callSafely, isJsonObject, log, type Logger } from "../../../wire/index.ts";
import type { RequestId } from "../../../rpc/index.ts";
import type { GateSession } from "../contract.ts";
import { invalidParamsError, unknownModeError } from "../errors.ts";
import { untilAborted } from "../until-aborted.ts";
import { contentFaults, schemaFaults } from "./elicitation-schema.ts";

/** The owner of a question: a session, or a request made before there was one. */
export interface ElicitationScope {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly requestId: RequestId | undefined;
}

/** A form for a person to fill in or decline. */
export interface FormElicitation extends ElicitationScope {
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
export interface UrlElicitation extends ElicitationScope {
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
  readonly completed?: ((elicitationId: string) => void) | undefined;
}

type Params = ParamsOf["elicitation/create"];

/** URL schemes that may be shown. Others run code or reach files. */
const SCHEMES = new Set(["https:", "http:"]);

/** An agent may open URLs and never complete them. */
const MAX_OPEN = 1000;

/** Answers `elicitation/create`. Rejects with RpcError for a bad request. Later failures cancel. */
export class ElicitationService {
  readonly #provider: ElicitationProvider;
  readonly #logger: Logger | undefined;
  readonly #open = new Set<string>();

  constructor(provider: ElicitationProvider, logger: Logger | undefined) {
    this.#provider = provider;
    this.#logger = logger;
  }

  async create(
    params: Params,
    session: GateSession | undefined,
    signals: readonly AbortSignal[],
  ): Promise<ElicitationReply> {
    const ask = this.#prepare(params);
    if (signals.some((signal) => signal.aborted)) return { action: "cancel" };
    const asking = async (): Promise<ElicitationReply> => {
      try {
        const outcome = await untilAborted(signals, ask);
        return outcome.aborted ? { action: "cancel" } : outcome.value;
      } catch (error) {
        log(this.#logger, "error", "the elicitation provider failed", { error });
        return { action: "cancel" };
      }
    };
    return session ? session.asking(asking) : asking();
  }

  /** Returns false if the id is not open: the protocol says to ignore it then. */
  complete(elicitationId: string): boolean {
    if (!this.#open.delete(elicitationId)) return false;
    callSafely(() => this.#provider.completed?.(elicitationId));
    return true;
  }

  /** Checks everything that does not need a person, so that a bad request gets an error. */
  #prepare(params: Params): (signal: AbortSignal) => Promise<ElicitationReply> {
    const scope = scopeOf(params);
    const { message, mode } = params;
    const schema: unknown = "requestedSchema" in params ? params.requestedSchema : undefined;
    if (mode === "form" && isSchema(schema)) {
      const form = this.#provider.form?.bind(this.#provider);
      if (!form) throw unknownModeError(mode);
      const faults = schemaFaults(schema);
      if (faults.length > 0) throw invalidParamsError("elicitation/create", faults);
      const check = (content: unknown): readonly Fault[] => contentFaults(schema, content);
      return async (signal) =>
        this.#checked(await form({ ...scope, message, schema, check, signal }), check);
    }
    const address: unknown = "url" in params ? params.url : undefined;
    const elicitationId: unknown = "elicitationId" in params ? params.elicitationId : undefined;
    if (mode !== "url" || typeof address !== "string" || typeof elicitationId !== "string") {
      throw unknownModeError(mode);
    }
    const open = this.#provider.url?.bind(this.#provider);
    if (!open) throw unknownModeError(mode);
    const url = readUrl(address);
    return async (signal) => {
      this.#trackOpen(elicitationId);
      const reply = await open({ ...scope, message, url, elicitationId, signal });
      if (reply.action === "accept") return { action: "accept" };
      this.#open.delete(elicitationId);
      return { action: reply.action };
    };
  }

  /** An answer that does not fit the form is a mistake of the host and is not sent to the agent. */
  #checked(
    reply: ElicitationReply,
    check: (content: unknown) => readonly Fault[],
  ): ElicitationReply {
    if (reply.action !== "accept") return { action: reply.action };
    const content = reply.content ?? {};
    const faults = check(content);
    if (faults.length === 0) return { action: "accept", content };
    log(this.#logger, "error", "the answer from the elicitation provider does not fit the form", {
      faults,
    });
    return { action: "cancel" };
  }

  #trackOpen(elicitationId: string): void {
    this.#open.add(elicitationId);
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }
}

function scopeOf(params: Params): ElicitationScope {
  return {
    sessionId: "sessionId" in params ? stringOr(params.sessionId) : undefined,
    toolCallId: "toolCallId" in params ? stringOr(params.toolCallId) : undefined,
    requestId: "requestId" in params ? readRequestId(params.requestId) : undefined,
  };
}

function readRequestId(id: unknown): RequestId {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Checks the type only. `schemaFaults` reports everything else that is wrong. */
function isSchema(value: unknown): value is ElicitationSchema & Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && SCHEMES.has(url.protocol)) return url;
  const fault = { path: "url", message: "must be an http or https address" };
  throw invalidParamsError("elicitation/create", [fault]);
}
