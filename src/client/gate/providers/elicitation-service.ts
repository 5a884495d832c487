import {
  type ElicitationSchema,
  type Fault,
  type Meta,
  type ParamsOf,
  stringOr,
} from "../../../protocol/acp/index.ts";
import { callSafely, isJsonObject, log, type Logger } from "../../../base/index.ts";
import type { RequestId } from "../../../transport/rpc/index.ts";
import type { GateSession } from "../contract.ts";
import { invalidParamsError, unknownModeError } from "../errors.ts";
import type { RequestMeta } from "../request-meta.ts";
import { untilAborted } from "../until-aborted.ts";
import type { ElicitationProvider, ElicitationReply, ElicitationScope } from "./elicitation.ts";
import { contentFaults, schemaFaults } from "./elicitation-schema.ts";

type Params = ParamsOf["elicitation/create"];

/** URL schemes that may be shown. Others run code or reach files. */
const SCHEMES = new Set(["https:", "http:"]);

/** An agent may open URLs and never complete them. */
const MAX_OPEN = 1000;

/** Answers `elicitation/create`. Rejects with RpcError for a bad request. Later failures cancel. */
export class ElicitationService {
  readonly #logger: Logger | undefined;
  /** The providers of open URLs, by the id of the elicitation. */
  readonly #open = new Map<string, ElicitationProvider>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  async create(
    provider: ElicitationProvider,
    params: Params,
    request: RequestMeta,
    session: GateSession | undefined,
    signals: readonly AbortSignal[],
  ): Promise<ElicitationReply> {
    const ask = this.#prepare(provider, params, request);
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
  complete(elicitationId: string, meta: Meta | undefined): boolean {
    const provider = this.#open.get(elicitationId);
    if (!provider) return false;
    this.#open.delete(elicitationId);
    callSafely(() => provider.completed?.(elicitationId, { meta }));
    return true;
  }

  /** Checks everything that does not need a person, so that a bad request gets an error. */
  #prepare(
    provider: ElicitationProvider,
    params: Params,
    request: RequestMeta,
  ): (signal: AbortSignal) => Promise<ElicitationReply> {
    const scope = { ...scopeOf(params), ...request };
    const { message, mode } = params;
    const schema: unknown = "requestedSchema" in params ? params.requestedSchema : undefined;
    if (mode === "form" && isSchema(schema)) {
      const form = provider.form?.bind(provider);
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
    const open = provider.url?.bind(provider);
    if (!open) throw unknownModeError(mode);
    const url = readUrl(address);
    return async (signal) => {
      this.#trackOpen(elicitationId, provider);
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

  #trackOpen(elicitationId: string, provider: ElicitationProvider): void {
    this.#open.set(elicitationId, provider);
    const [oldest] = this.#open.keys();
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
