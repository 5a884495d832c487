import {
  checkParams,
  CLIENT_METHODS,
  type ClientCapabilities,
  clientCapabilityFor,
  clientHas,
  type ClientMethod,
  elicitationCapability,
  type Meta,
  metaField,
  metaOf,
  type ParamsOf,
} from "../../protocol/acp/index.ts";
import { type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { isJsonObject, log, type Logger } from "../../base/index.ts";
import {
  createAccess,
  type FindSession,
  type GateOptions,
  type GateSession,
  type SessionAccess,
  type SessionGateOptions,
} from "./access.ts";
import { invalidParamsError, elicitationModeError, unknownSessionError } from "./rpc-errors.ts";
import { type GateScope, PermissionJudge } from "./permissions/judge.ts";
import type { RequestMeta } from "./providers/provider.ts";
import { ElicitationService } from "./providers/elicitation-service.ts";
import { FileService } from "./providers/file-service.ts";
import { TerminalService } from "./providers/terminal-service.ts";
import { HAS_DISK } from "./workspace/disk-workspace.ts";
import { isVirtual } from "./workspace/virtual-workspace.ts";

/**
 * The gate between an agent and everything it can reach on this side: files, commands and the person.
 * It answers the agent's requests. Everything is closed unless the options open it.
 */
export class AgentGate {
  /** The capabilities that `initialize` advertises: exactly the methods this gate answers. */
  readonly capabilities: ClientCapabilities;
  readonly #options: GateOptions;
  readonly #logger: Logger | undefined;
  readonly #judge: PermissionJudge;
  readonly #files: FileService;
  readonly #terminals: TerminalService;
  readonly #elicitation: ElicitationService;
  readonly #closing = new AbortController();

  /** Throws InvalidArgumentError if the options contradict each other. */
  constructor(options: GateOptions = {}) {
    const { logger, onTerminal } = options;
    this.capabilities = gateCapabilities(options);
    this.#options = options;
    this.#logger = logger;
    this.#judge = new PermissionJudge(options.sticky ?? "session", logger);
    this.#files = new FileService(this.#judge, logger);
    this.#terminals = new TerminalService(this.#judge, { onTerminal, logger });
    this.#elicitation = new ElicitationService(logger);
    // Finds mistakes in the options now, instead of when the first session starts.
    this.access([], {});
  }

  /**
   * The access of a session with these roots and options. Throws InvalidArgumentError for options that
   * this connection cannot honor. Pin its workspace before the agent learns the roots.
   */
  access(roots: readonly string[], options: SessionGateOptions = {}): SessionAccess {
    return createAccess(this.#options, this.capabilities, roots, options);
  }

  /**
   * Answers a request, or rejects with RpcError. Calls come in wire order and may overlap. It awaits
   * nothing before the steps that must happen in wire order: a permission request is merged into its
   * tool call synchronously.
   */
  async request(
    method: string,
    params: unknown,
    context: RequestContext,
    find: FindSession,
  ): Promise<unknown> {
    if (this.#closing.signal.aborted) throw RpcError.methodNotFound(method);
    const needed = clientCapabilityFor(method);
    if (needed && !clientHas(this.capabilities, needed)) throw RpcError.methodNotFound(method);
    return withAnswerMeta(params, (meta) => this.#answer(method, params, { context, meta, find }));
  }

  async #answer(method: string, params: unknown, asked: Asked): Promise<unknown> {
    const { context, meta } = asked;
    const { signal } = context;
    const terminals = this.#terminals;
    const scoped = <M extends ScopedMethod>(known: M): [GateScope, ParamsOf[M]] => {
      const checked = check(known, params);
      return [this.#scope(checked, asked), checked];
    };
    switch (method) {
      case CLIENT_METHODS.requestPermission: {
        const { meta: own, ...outcome } = await this.#judge.answer(...scoped(method));
        return { outcome: { ...outcome, ...metaField(own) } };
      }
      case CLIENT_METHODS.readTextFile:
        return this.#files.read(...scoped(method), signal);
      case CLIENT_METHODS.writeTextFile:
        return this.#files.write(...scoped(method), signal);
      case CLIENT_METHODS.createElicitation:
        return this.#elicit(params, asked);
      case CLIENT_METHODS.createTerminal:
        return terminals.create(...scoped(method));
      case CLIENT_METHODS.terminalOutput:
        return terminals.output(check(method, params), meta);
      case CLIENT_METHODS.waitForTerminalExit:
        return terminals.waitForExit(check(method, params), meta, signal);
      case CLIENT_METHODS.killTerminal:
        return terminals.kill(check(method, params), meta);
      case CLIENT_METHODS.releaseTerminal:
        return terminals.release(check(method, params), meta);
      default:
        throw RpcError.methodNotFound(method);
    }
  }

  /** Handles a notification other than `session/update`. Returns false if the method is unknown. */
  notification(method: string, params: unknown): boolean {
    if (method !== CLIENT_METHODS.completeElicitation) return false;
    if (!this.capabilities.elicitation) return false;
    const checked = checkParams(method, params);
    const isKnown =
      checked.ok && this.#elicitation.complete(checked.params.elicitationId, metaOf(params));
    if (!isKnown) log(this.#logger, "debug", "ignored the completion of an unknown elicitation");
    return true;
  }

  /** Ends everything the session still has open, above all its terminals. */
  async closeSession(id: string): Promise<void> {
    this.#judge.forget(id);
    await this.#terminals.closeSession(id);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#terminals.close();
  }

  async #elicit(params: unknown, { context, meta, find }: Asked): Promise<unknown> {
    const method = CLIENT_METHODS.createElicitation;
    if (!this.capabilities.elicitation) throw RpcError.methodNotFound(method);
    const checked = check(method, params);
    const mode = elicitationCapability(checked.mode);
    if (!mode || !clientHas(this.capabilities, mode)) throw elicitationModeError(checked.mode);
    const signals = [context.signal, this.#closing.signal];
    const id: unknown = "sessionId" in checked ? checked.sessionId : undefined;
    const session = typeof id === "string" ? sessionOf(id, find) : undefined;
    const provider = session ? session.access.elicitation : this.#options.elicitation;
    if (!provider) throw RpcError.methodNotFound(method);
    if (session) signals.unshift(session.turnSignal);
    return this.#elicitation.create(provider, checked, meta, session, signals);
  }

  #scope(params: { readonly sessionId: string }, { context, meta, find }: Asked): GateScope {
    const session = sessionOf(params.sessionId, find);
    const turn = session.signalFor(subjectIds(params));
    return { session, signals: [turn, context.signal, this.#closing.signal], meta };
  }
}

/** The methods that are judged for a session. */
type ScopedMethod =
  | "session/request_permission"
  | "fs/read_text_file"
  | "fs/write_text_file"
  | "terminal/create";

interface Asked {
  readonly context: RequestContext;
  readonly meta: RequestMeta;
  readonly find: FindSession;
}

/** The ids of the tool call and terminal that a permission request of v2 is about. */
function subjectIds(params: object): readonly unknown[] {
  const subject = "subject" in params ? params.subject : undefined;
  const toolCall = "toolCall" in params ? params.toolCall : undefined;
  return [subject, toolCall].flatMap((named) =>
    isJsonObject(named) ? [named["toolCallId"], named["terminalId"]] : [],
  );
}

function sessionOf(id: string, find: FindSession): GateSession {
  const session = find(id);
  if (!session) throw unknownSessionError(id);
  return session;
}

/** The params of a method. Throws an error that lists every fault in them. */
function check<M extends ClientMethod>(method: M, params: unknown): ParamsOf[M] {
  const checked = checkParams(method, params);
  if (!checked.ok) throw invalidParamsError(method, checked.faults);
  return checked.params;
}

/** Answers a request: `work` gets its `_meta`, and the result gets the `_meta` that was set. */
async function withAnswerMeta(
  params: unknown,
  work: (request: RequestMeta) => Promise<unknown>,
): Promise<unknown> {
  let answer: Meta | undefined;
  const result = await work({
    meta: metaOf(params),
    answerMeta: (meta) => {
      answer = meta;
    },
  });
  return isJsonObject(result) ? { ...result, ...metaField(answer) } : result;
}

/**
 * Pure: the advertised capabilities, which are exactly the methods that are answered. The policy does
 * not matter here: if client files were not advertised, an agent would use its own tools on the disk,
 * where no policy sees it.
 */
export function gateCapabilities(options: GateOptions): ClientCapabilities {
  const { fs, terminal, elicitation, ...others } = options.capabilities ?? {};
  const asks = elicitation === null ? undefined : options.elicitation;
  const modes = {
    ...(isOn(elicitation?.form, asks?.form) ? { form: { ...elicitation?.form } } : {}),
    ...(isOn(elicitation?.url, asks?.url) ? { url: { ...elicitation?.url } } : {}),
  };
  const provider = options.fs?.provider;
  const reads = isVirtual(provider) ? provider.readTextFile !== undefined : HAS_DISK;
  return {
    ...others,
    fs: {
      ...metaField(metaOf(fs)),
      readTextFile: fs?.readTextFile ?? reads,
      writeTextFile: fs?.writeTextFile === true,
    },
    terminal: terminal ?? options.terminal !== undefined,
    ...(Object.keys(modes).length > 0
      ? { elicitation: { ...metaField(metaOf(elicitation)), ...modes } }
      : {}),
  };
}

/** The value of the switch if it is set; otherwise, whether there is a provider. */
function isOn(mode: object | null | undefined, provider: unknown): boolean {
  return mode === undefined ? provider !== undefined : mode !== null;
}
