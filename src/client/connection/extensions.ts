import {
  CLIENT_METHODS,
  type ExtensionMethod,
  isExtensionMethod,
  type Meta,
  metaOf,
} from "../../protocol/acp/index.ts";
import { type RequestContext, RpcError } from "../../transport/rpc/index.ts";
import { callSafely } from "../../base/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { SessionImpl } from "../session/session-impl.ts";
import type { ExtensionEvent, Session } from "../session/session.ts";

/** Passed to the handlers of extension methods. */
interface ExtensionScope {
  /** The open session that the params name in `sessionId`, if any. */
  readonly session: Session | undefined;
  /** The `_meta` of the params. */
  readonly meta: Meta | undefined;
}

/** Passed to the handlers of extension requests. */
interface ExtensionRequestScope extends ExtensionScope {
  /** Aborted when the agent cancels the request or the connection ends. */
  readonly signal: AbortSignal;
}

/** How a client handles messages outside the protocol. */
export interface ExtensionOptions {
  /**
   * Handlers for extension requests, by method name. The value that they return is the answer. An
   * RpcError that they throw is sent as it is, and any other error becomes -32603. `withParams` adds a
   * parser.
   */
  readonly requests?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: ExtensionRequestScope) => unknown>>
    | undefined;
  /** Handlers for extension notifications, by method name. Called in wire order. */
  readonly notifications?:
    | Readonly<Record<ExtensionMethod, (params: unknown, scope: ExtensionScope) => void>>
    | undefined;
  /**
   * Called with every request and notification that has no handler. Those that name an open session
   * are also events of its `updates()`. Requests are answered with -32601.
   */
  readonly onExtension?: ((event: ExtensionEvent) => void) | undefined;
}

/** Throws InvalidArgumentError for a method whose name does not mark it as an extension. */
export function assertExtension(method: string): void {
  if (isExtensionMethod(method)) return;
  throw new InvalidArgumentError(`"${method}" is not an extension method: it must start with "_"`);
}

const PROTOCOL_METHODS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ Object.values(CLIENT_METHODS),
);

/** Messages outside the protocol: those with a handler are handled, and the others become events. */
export class Extensions {
  readonly #options: ExtensionOptions;

  constructor(options: ExtensionOptions) {
    this.#options = options;
  }

  /** Whether a request is outside the protocol, so that `request` answers it. */
  answers(method: string): boolean {
    return !PROTOCOL_METHODS.has(method);
  }

  /** Answers a request, or throws -32601 if it has no handler. */
  request(
    method: string,
    params: unknown,
    context: RequestContext,
    session: SessionImpl | undefined,
  ): unknown {
    const handler = handlerOf(this.#options.requests, method);
    if (!handler) {
      this.#unhandled("request", method, params, session, context.bytes);
      throw RpcError.methodNotFound(method);
    }
    return handler(params, { session, meta: metaOf(params), signal: context.signal });
  }

  /** Handles a notification. Returns false if it has no handler. */
  notification(
    method: string,
    params: unknown,
    session: SessionImpl | undefined,
    size: number,
  ): boolean {
    const handler = handlerOf(this.#options.notifications, method);
    if (handler) handler(params, { session, meta: metaOf(params) });
    else this.#unhandled("notification", method, params, session, size);
    return handler !== undefined;
  }

  #unhandled(
    message: ExtensionEvent["message"],
    method: string,
    params: unknown,
    session: SessionImpl | undefined,
    size: number,
  ): void {
    const event: ExtensionEvent = { type: "extension", text: "", message, method, params };
    callSafely(() => this.#options.onExtension?.(event));
    session?.receiveExtension(event, size);
  }
}

function handlerOf<H>(
  handlers: Readonly<Record<ExtensionMethod, H>> | undefined,
  method: string,
): H | undefined {
  if (!handlers || !isExtensionMethod(method) || !Object.hasOwn(handlers, method)) return undefined;
  return handlers[method];
}
