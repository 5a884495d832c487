import type { AuthStatus, SystemPrompt, SystemPromptMode } from "../../protocol/acp/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import { assertCapability, type CapabilityHost } from "./capability.ts";

/** The part of the client's configuration that concerns the unstable protocol. */
export interface UnstableConfig {
  /**
   * Uses the parts of the protocol that are not stable yet: advertises `plan` and `subagents`, reads
   * their updates, and allows the calls that say so. They may change in any release. Default: false.
   */
  readonly unstable?: boolean | undefined;
  /** Called when the agent reports that its sign-in state changed. Needs `unstable: true`. */
  readonly onAuthStatus?: ((status: AuthStatus) => void) | undefined;
}

/** Instructions for a session: text to add to the agent's own, or text with a mode. */
export type SystemPromptInput =
  | string
  | {
      /** Default: `append`. `override` needs `sessionCapabilities.systemPrompt.mode.override`. */
      readonly mode?: SystemPromptMode | undefined;
      readonly text: string;
    };

/** The options of an opened session that concern the unstable protocol. */
export interface UnstableSessionOptions {
  /**
   * Instructions for the agent. Needs `unstable: true` and `sessionCapabilities.systemPrompt`. When
   * you load, resume or fork a session, give the same instructions again.
   */
  readonly systemPrompt?: SystemPromptInput | undefined;
}

/** The params for the options. Throws CapabilityError, or InvalidArgumentError for an empty text. */
export function toUnstableParams(
  method: string,
  { systemPrompt }: UnstableSessionOptions,
  host: CapabilityHost,
): { readonly systemPrompt?: SystemPrompt } {
  if (systemPrompt === undefined) return {};
  const { mode = "append", text } =
    typeof systemPrompt === "string" ? { text: systemPrompt } : systemPrompt;
  const what = `${method} with systemPrompt`;
  assertCapability(host, what, "sessionCapabilities.systemPrompt");
  if (mode === "override") {
    assertCapability(host, what, "sessionCapabilities.systemPrompt.mode.override");
  }
  if (text === "") throw new InvalidArgumentError(`${what}: the text is empty`);
  return { systemPrompt: { mode, content: [{ type: "text", text }] } };
}
