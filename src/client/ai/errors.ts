import {
  AuthRequiredError,
  CapabilityError,
  InvalidArgumentError,
  SessionError,
  StartError,
  TimeoutError,
} from "../index.ts";
import { ConnectionError, RemoteError } from "../../transport/rpc/index.ts";
import { DragomanError, type ErrorCode, toError } from "../../base/index.ts";

/**
 * A call to an agent failed. `code` identifies the failure, and `cause` is the error of the client.
 * `AISDKError.isInstance` recognizes it. The AI SDK never repeats a call that failed with it, because
 * the agent may already have changed files.
 */
export class AcpProviderError extends DragomanError {
  override readonly name: string = "AcpProviderError";

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    tagAs(this, "vercel.ai.error");
  }
}

/** The agent does not offer this model. `NoSuchModelError.isInstance` recognizes it. */
export class AcpModelError extends AcpProviderError {
  override readonly name = "AcpModelError";
  readonly modelId: string;
  /** The kind of model that was requested. */
  readonly modelType: "languageModel" | "embeddingModel" | "imageModel";
  /** The ids that the agent offers. */
  readonly offered: readonly string[];

  constructor(
    modelId: string,
    modelType: "languageModel" | "embeddingModel" | "imageModel",
    message: string,
    offered: readonly string[] = [],
  ) {
    super("not_found", message);
    this.modelId = modelId;
    this.modelType = modelType;
    this.offered = offered;
    tagAs(this, "vercel.ai.error.AI_NoSuchModelError");
  }
}

/**
 * The prompt contains something that the agent does not accept, such as an image, or the call comes from an
 * AI SDK that is too old.
 * `UnsupportedFunctionalityError.isInstance` recognizes it.
 */
export class AcpUnsupportedError extends AcpProviderError {
  override readonly name = "AcpUnsupportedError";
  /** The part of the prompt that is not supported; `ai 6` for a call from that version of the AI SDK. */
  readonly functionality: string;

  constructor(functionality: string, message: string, options?: ErrorOptions) {
    super("unsupported", message, options);
    this.functionality = functionality;
    tagAs(this, "vercel.ai.error.AI_UnsupportedFunctionalityError");
  }
}

/** There is nothing to send. `InvalidPromptError.isInstance` recognizes it. */
export class AcpPromptError extends AcpProviderError {
  override readonly name = "AcpPromptError";
  /** The prompt as the AI SDK passed it on. */
  readonly prompt: unknown;

  constructor(prompt: unknown, message: string) {
    super("invalid_argument", message);
    this.prompt = prompt;
    tagAs(this, "vercel.ai.error.AI_InvalidPromptError");
  }
}

/**
 * The AI SDK recognizes its errors by these symbols, so that errors of other packages can be recognized
 * as well. This saves an import of the SDK.
 */
function tagAs(error: Error, name: string): void {
  Object.defineProperty(error, Symbol.for(name), { value: true });
}

/** The error for users of the AI SDK: it says what failed, why, and what to do. */
export function toProviderError(thrown: unknown): AcpProviderError {
  if (thrown instanceof AcpProviderError) return thrown;
  const cause = toError(thrown);
  const fail = (code: ErrorCode, message: string): AcpProviderError =>
    new AcpProviderError(code, message, { cause });
  if (cause instanceof AuthRequiredError) {
    return fail(
      "auth_required",
      `${cause.message}; sign in with the agent's own command, or name a login in the option "auth"`,
    );
  }
  if (cause instanceof StartError) return startError(cause);
  if (cause instanceof CapabilityError) {
    return new AcpUnsupportedError(cause.capability, cause.message, { cause });
  }
  if (cause instanceof InvalidArgumentError) return fail("invalid_argument", cause.message);
  if (cause instanceof SessionError) return fail("session_not_found", cause.message);
  if (cause instanceof TimeoutError) {
    return fail("timeout", `${cause.message}; the option "timeouts" sets the limit`);
  }
  if (cause instanceof RemoteError) {
    return fail("remote_error", `the agent answered with an error: ${cause.message}`);
  }
  if (cause instanceof ConnectionError) {
    return fail("connection_lost", `the connection to the agent was lost: ${cause.message}`);
  }
  return fail("internal", cause.message);
}

function startError(cause: StartError): AcpProviderError {
  const hint = "check the command, its arguments, and that it starts by itself in a terminal";
  return new AcpProviderError("start_failed", `${cause.message}; ${hint}`, { cause });
}
