import type { JSONObject, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AcpClient, AcpClientConfig, SessionOptions } from "../index.ts";
import { AcpProviderError } from "./errors.ts";

/** The key of Dragoman's values in `providerOptions` and `providerMetadata`. */
export const PROVIDER = "dragoman";

/** How the provider opens sessions. */
export interface AcpSessionSettings extends Omit<SessionOptions, "cwd" | "signal"> {
  /** The folder to work in, as an absolute path. Default: the agent's `cwd`, or that of this process. */
  readonly cwd?: string | undefined;
}

/** The options of every provider, however it reaches its agent. */
export interface AcpProviderSettings {
  /** How the provider opens sessions. */
  readonly session?: AcpSessionSettings | undefined;
  /** The id of the login to use if the agent requires one. Default: the call fails. */
  readonly auth?: string | undefined;
  /**
   * How many idle sessions stay open, so that a later call can continue them. The provider closes the
   * one that was used least recently. Default: 16.
   */
  readonly maxSessions?: number | undefined;
}

/**
 * A provider that starts its agent, and ends it in `close`. `permissions` decides what the agent may do.
 * Default: `deny`.
 */
type AcpStartedAgent = AcpClientConfig & {
  /** Not together with a command or a channel. */
  readonly client?: undefined;
};

/** A provider on a client that the program has started. `close` leaves the client open. */
interface AcpExistingClient {
  /** The client to use. Its own `permissions` decide. */
  readonly client: AcpClient;
}

/** The options of `createAcpProvider`. */
export type AcpProviderOptions = AcpProviderSettings & (AcpStartedAgent | AcpExistingClient);

/** The options of one model. */
export interface AcpModelSettings {
  /** Uses this session for every call. The agent must have it open, or be able to resume or load it. */
  readonly sessionId?: string | undefined;
  /** Switches every session to this mode. */
  readonly mode?: string | undefined;
  /** Sets these options of every session, by id. */
  readonly config?: Readonly<Record<string, string | boolean>> | undefined;
}

/** Values for `providerOptions.dragoman`, for one call. */
export interface AcpCallOptions {
  /** Uses this session. It takes precedence over the model's session and over the messages. */
  readonly sessionId?: string | undefined;
}

/**
 * Values in `providerMetadata.dragoman` of text, reasoning and tool calls. They let a later call
 * continue the session, if the program passes the messages back.
 */
export interface AcpPartMetadata {
  readonly sessionId: string;
  /** The turn that the part belongs to. It cannot be guessed. */
  readonly turnId: string;
}

/** The session and turn of an assistant message; undefined if it did not come from this provider. */
export function readOrigin(
  options: SharedV4ProviderOptions | undefined,
): AcpPartMetadata | undefined {
  const { sessionId, turnId }: JSONObject = options?.[PROVIDER] ?? {};
  if (typeof sessionId !== "string" || typeof turnId !== "string") return undefined;
  return { sessionId, turnId };
}

/** Reads `providerOptions.dragoman`. Throws AcpProviderError if a value has the wrong type. */
export function readCallOptions(options: SharedV4ProviderOptions | undefined): AcpCallOptions {
  const { sessionId }: JSONObject = options?.[PROVIDER] ?? {};
  if (sessionId === undefined || typeof sessionId === "string") return { sessionId };
  throw new AcpProviderError(
    "invalid_argument",
    `providerOptions.${PROVIDER}.sessionId must be a string`,
  );
}
