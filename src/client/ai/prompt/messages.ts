import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { AcpPromptError } from "../errors.ts";
import { type AcpPartMetadata, readOrigin } from "../options.ts";

/** A prompt of the AI SDK, which always contains the whole conversation. */
export interface ConversationParts {
  /** The system messages, joined. Empty if there are none. */
  readonly system: string;
  /** Everything up to the last answer. */
  readonly earlier: LanguageModelV4Prompt;
  /** Everything after the last answer. */
  readonly latest: LanguageModelV4Prompt;
  /** The session and turn that the last answer came from. */
  readonly origin: AcpPartMetadata | undefined;
}

/** Splits a prompt at the last answer. Throws AcpPromptError if no user message follows it. Pure. */
export function splitPrompt(prompt: LanguageModelV4Prompt): ConversationParts {
  const system = prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  const messages = prompt.filter(({ role }) => role !== "system");
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const latest = messages.slice(at + 1);
  if (!latest.some(({ role }) => role === "user")) {
    throw new AcpPromptError(
      prompt,
      "the conversation must end with a message from the user, because an agent answers prompts",
    );
  }
  const answer = messages[at];
  return {
    system: system.join("\n\n"),
    earlier: messages.slice(0, at + 1),
    latest,
    origin: answer && originOf(answer),
  };
}

/** The AI SDK keeps the metadata of each part, so any part may have it. */
function originOf(answer: LanguageModelV4Message): AcpPartMetadata | undefined {
  if (answer.role !== "assistant") return undefined;
  const own = [answer, ...answer.content.toReversed()];
  return own.map(({ providerOptions }) => readOrigin(providerOptions)).find((origin) => origin);
}
